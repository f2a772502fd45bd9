import { defineCheck } from '../../engine/check.js';
import { all, isEmpty, notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-SQS-001',
  title: 'SQS queue must be encrypted',
  severity: 'high',
  category: 'encryption',
  aliases: ['AVD-AWS-0096', 'CKV_AWS_27'],
  types: ['aws_sqs_queue'],
  fail: all(isEmpty('kms_master_key_id'), notTrue('sqs_managed_sse_enabled')),
  remediation: 'Set sqs_managed_sse_enabled = true, or kms_master_key_id to a key of your own.',
  failing: [{}, { sqs_managed_sse_enabled: false }],
  passing: [
    { kms_master_key_id: 'arn:aws:kms:eu-west-1:111122223333:key/1' },
    { kms_master_key_id: 'arn:aws:kms:eu-west-1:111122223333:key/1', sqs_managed_sse_enabled: false },
  ],
});
