import { defineCheck } from '../../engine/check.js';
import { isEmpty } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-EC2-006',
  title: 'EBS volume is not encrypted with a customer managed key',
  severity: 'low',
  category: 'encryption',
  aliases: ['AVD-AWS-0027', 'CKV_AWS_189'],
  types: ['aws_ebs_volume'],
  fail: isEmpty('kms_key_id'),
  remediation: 'Set kms_key_id.',
  failing: [{}],
  passing: [{ kms_key_id: 'value' }],
});
