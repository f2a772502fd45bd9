import { defineCheck } from '../../engine/check.js';
import { ne } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-KIN-001',
  title: 'Kinesis stream must be encrypted',
  severity: 'high',
  category: 'encryption',
  aliases: ['AVD-AWS-0064', 'CKV_AWS_43'],
  types: ['aws_kinesis_stream'],
  fail: ne('encryption_type', 'KMS'),
  remediation: 'Set encryption_type = "KMS" and kms_key_id.',
  failing: [{}, { encryption_type: 'NONE' }],
  passing: [{ encryption_type: 'KMS' }],
});
