import { defineCheck } from '../../engine/check.js';
import { eq } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-IAM-014',
  title: 'Root user must not have access keys',
  severity: 'critical',
  category: 'identity',
  cis: '1.4',
  aliases: ['AVD-AWS-0141', 'CKV_AWS_348'],
  types: ['aws_iam_access_key'],
  fail: eq('user', 'root'),
  remediation: 'Remove the access key whose user is "root".',
  failing: [{ user: 'root' }],
  passing: [{}, { user: 'ada' }],
});
