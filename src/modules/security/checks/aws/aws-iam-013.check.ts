import { defineCheck } from '../../engine/check.js';
import { any, eq, greaterThan, isEmpty } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-IAM-013',
  title: 'Account password policy must expire passwords within 90 days',
  severity: 'medium',
  category: 'identity',
  aliases: ['AVD-AWS-0062', 'CKV_AWS_9'],
  types: ['aws_iam_account_password_policy'],
  fail: any(isEmpty('max_password_age'), eq('max_password_age', 0), greaterThan('max_password_age', 90)),
  remediation: 'Set max_password_age to a number from 1 to 90.',
  failing: [{}, { max_password_age: 0 }],
  passing: [{ max_password_age: 90 }],
});
