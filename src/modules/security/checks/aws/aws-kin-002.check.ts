import { defineCheck } from '../../engine/check.js';
import { isEmpty, notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-KIN-002',
  title: 'Firehose delivery stream must be encrypted',
  severity: 'high',
  category: 'encryption',
  aliases: ['CKV_AWS_240'],
  types: ['aws_kinesis_firehose_delivery_stream'],
  when: isEmpty('kinesis_source_configuration'),
  fail: notTrue('server_side_encryption.0.enabled'),
  remediation: 'Set enabled = true in server_side_encryption.',
  failing: [{}, { server_side_encryption: [{ enabled: false }] }],
  passing: [{ server_side_encryption: [{ enabled: true }] }],
});
