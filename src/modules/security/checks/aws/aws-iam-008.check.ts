import { defineCheck } from '../../engine/check.js';
import { lessThanOrAbsent } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-IAM-008',
  title: 'Account password policy must prevent the reuse of passwords',
  severity: 'medium',
  category: 'identity',
  cis: '1.9',
  aliases: ['AVD-AWS-0056'],
  types: ['aws_iam_account_password_policy'],
  fail: lessThanOrAbsent('password_reuse_prevention', 5),
  remediation: 'Set password_reuse_prevention to at least 5.',
  failing: [{}, { password_reuse_prevention: 4 }],
  passing: [{ password_reuse_prevention: 5 }],
});
