import { defineCheck } from '../../engine/check.js';
import { lessThanOrAbsent } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-IAM-007',
  title: 'Account password policy must require at least 14 characters',
  severity: 'medium',
  category: 'identity',
  cis: '1.8',
  aliases: ['AVD-AWS-0063', 'CKV_AWS_10'],
  types: ['aws_iam_account_password_policy'],
  fail: lessThanOrAbsent('minimum_password_length', 14),
  remediation: 'Set minimum_password_length to at least 14.',
  failing: [{}, { minimum_password_length: 13 }],
  passing: [{ minimum_password_length: 14 }],
});
