import { defineCheck } from '../../engine/check.js';
import { isEmpty } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-EFS-002',
  title: 'EFS file system is not encrypted with a customer managed key',
  severity: 'low',
  category: 'encryption',
  aliases: ['CKV_AWS_184'],
  types: ['aws_efs_file_system'],
  fail: isEmpty('kms_key_id'),
  remediation: 'Set kms_key_id.',
  failing: [{}],
  passing: [{ kms_key_id: 'value' }],
});
