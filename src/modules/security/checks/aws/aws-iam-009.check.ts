import { defineCheck } from '../../engine/check.js';
import { notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-IAM-009',
  title: 'Account password policy must require lowercase letters',
  severity: 'medium',
  category: 'identity',
  aliases: ['AVD-AWS-0058', 'CKV_AWS_11'],
  types: ['aws_iam_account_password_policy'],
  fail: notTrue('require_lowercase_characters'),
  remediation: 'Set require_lowercase_characters = true.',
  failing: [{}, { require_lowercase_characters: false }],
  passing: [{ require_lowercase_characters: true }],
});
