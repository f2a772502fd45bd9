import { defineCheck } from '../../engine/check.js';
import { notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-IAM-012',
  title: 'Account password policy must require uppercase letters',
  severity: 'medium',
  category: 'identity',
  aliases: ['AVD-AWS-0061', 'CKV_AWS_15'],
  types: ['aws_iam_account_password_policy'],
  fail: notTrue('require_uppercase_characters'),
  remediation: 'Set require_uppercase_characters = true.',
  failing: [{}, { require_uppercase_characters: false }],
  passing: [{ require_uppercase_characters: true }],
});
