import { defineCheck } from '../../engine/check.js';
import { policyHas } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-IAM-005',
  title: 'IAM policy must not allow iam:PassRole on every role',
  severity: 'medium',
  category: 'identity',
  aliases: ['AVD-AWS-0342'],
  types: ['aws_iam_policy', 'aws_iam_role_policy', 'aws_iam_user_policy', 'aws_iam_group_policy'],
  fail: policyHas('policy', { effect: 'Allow', action: 'iam:PassRole', resource: '*' }),
  remediation: 'Name the roles that may be passed in Resource of the statement in policy.',
  failing: [
    {
      policy:
        '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"iam:PassRole","Resource":"*"}]}',
    },
  ],
  passing: [
    {
      policy:
        '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"AWS":"arn:aws:iam::123456789012:root"},"Action":"s3:GetObject","Resource":"arn:aws:s3:::b/*"}]}',
    },
    {},
  ],
});
