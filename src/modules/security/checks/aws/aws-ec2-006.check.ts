import { defineCheck } from '../../engine/check.js';
import { isEmpty } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-EC2-006',
  title: 'EBS volume must be encrypted with a customer managed key',
  severity: 'low',
  category: 'encryption',
  aliases: ['AVD-AWS-0027', 'CKV_AWS_189'],
  types: ['aws_ebs_volume'],
  fail: isEmpty('kms_key_id'),
  remediation: 'Set kms_key_id to the ARN of a customer managed key.',
  failing: [{}],
  passing: [{ kms_key_id: 'arn:aws:kms:eu-west-1:111122223333:key/1' }],
});
