import { defineCheck } from '../../engine/check.js';
import { notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-IAM-010',
  title: 'Account password policy must require numbers',
  severity: 'medium',
  category: 'identity',
  aliases: ['AVD-AWS-0059', 'CKV_AWS_12'],
  types: ['aws_iam_account_password_policy'],
  fail: notTrue('require_numbers'),
  remediation: 'Set require_numbers = true.',
  failing: [{}, { require_numbers: false }],
  passing: [{ require_numbers: true }],
});
