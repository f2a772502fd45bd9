import { defineCheck, example } from '../../engine/check.js';
import { ofType } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-IAM-004',
  title: 'IAM policy must not be attached to a user',
  severity: 'low',
  category: 'identity',
  cis: '1.15',
  aliases: ['AVD-AWS-0143'],
  types: ['aws_iam_user_policy', 'aws_iam_user_policy_attachment'],
  fail: ofType('aws_iam_user_policy', 'aws_iam_user_policy_attachment'),
  remediation:
    'Replace the aws_iam_user_policy or aws_iam_user_policy_attachment by a policy of a group or role.',
  failing: [{}, example({ type: 'aws_iam_user_policy_attachment', attributes: {} })],
  passing: [example({ type: 'aws_iam_user_policy_other', attributes: {} })],
});
