import { defineCheck } from '../../engine/check.js';
import { isEmpty } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-LOG-001',
  title: 'CloudWatch log group must be encrypted with a customer managed key',
  severity: 'low',
  category: 'encryption',
  aliases: ['AVD-AWS-0017', 'CKV_AWS_158'],
  types: ['aws_cloudwatch_log_group'],
  fail: isEmpty('kms_key_id'),
  remediation: 'Set kms_key_id to the ARN of a customer managed key.',
  failing: [{}],
  passing: [{ kms_key_id: 'arn:aws:kms:eu-west-1:111122223333:key/1' }],
});
