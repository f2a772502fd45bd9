import { defineCheck } from '../../engine/check.js';
import { isEmpty } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-BKP-001',
  title: 'Backup vault must be encrypted with a customer managed key',
  severity: 'low',
  category: 'encryption',
  aliases: ['CKV_AWS_166'],
  types: ['aws_backup_vault'],
  fail: isEmpty('kms_key_arn'),
  remediation: 'Set kms_key_arn to the ARN of a customer managed key.',
  failing: [{}],
  passing: [{ kms_key_arn: 'arn:aws:kms:eu-west-1:111122223333:key/1' }],
});
