import { defineCheck } from '../../engine/check.js';
import { notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-IAM-011',
  title: 'Account password policy must require symbols',
  severity: 'medium',
  category: 'identity',
  aliases: ['AVD-AWS-0060', 'CKV_AWS_14'],
  types: ['aws_iam_account_password_policy'],
  fail: notTrue('require_symbols'),
  remediation: 'Set require_symbols = true.',
  failing: [{}, { require_symbols: false }],
  passing: [{ require_symbols: true }],
});
