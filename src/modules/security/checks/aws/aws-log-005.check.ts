import { defineCheck } from '../../engine/check.js';
import { isEmpty } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-LOG-005',
  title: 'CloudTrail trail must be encrypted with a customer managed key',
  severity: 'high',
  category: 'encryption',
  cis: '3.5',
  aliases: ['AVD-AWS-0015', 'CKV_AWS_35'],
  types: ['aws_cloudtrail'],
  fail: isEmpty('kms_key_id'),
  remediation: 'Set kms_key_id to the ARN of a customer managed key.',
  failing: [{}],
  passing: [{ kms_key_id: 'arn:aws:kms:eu-west-1:111122223333:key/1' }],
});
