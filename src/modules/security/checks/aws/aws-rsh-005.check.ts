import { defineCheck } from '../../engine/check.js';
import { isEmpty } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-RSH-005',
  title: 'Redshift cluster must be encrypted with a customer managed key',
  severity: 'low',
  category: 'encryption',
  aliases: ['CKV_AWS_142'],
  types: ['aws_redshift_cluster'],
  fail: isEmpty('kms_key_id'),
  remediation: 'Set kms_key_id to the ARN of a customer managed key.',
  failing: [{}],
  passing: [{ kms_key_id: 'arn:aws:kms:eu-west-1:111122223333:key/1' }],
});
