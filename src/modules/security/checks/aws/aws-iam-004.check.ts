import { defineCheck, example } from '../../engine/check.js';
import { ofType } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-IAM-004',
  title: 'IAM policy is attached directly to a user',
  severity: 'low',
  category: 'identity',
  cis: '1.15',
  aliases: ['AVD-AWS-0143'],
  types: ['aws_iam_user_policy', 'aws_iam_user_policy_attachment'],
  fail: ofType('aws_iam_user_policy', 'aws_iam_user_policy_attachment'),
  remediation: 'Remove the aws_iam_user_policy resource and use a resource of your own instead.',
  failing: [{}, example({ type: 'aws_iam_user_policy_attachment', attributes: {} })],
  passing: [example({ type: 'aws_iam_user_policy_other', attributes: {} })],
});
