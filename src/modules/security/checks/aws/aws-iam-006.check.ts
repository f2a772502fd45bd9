import { defineCheck } from '../../engine/check.js';
import { policyHas } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-IAM-006',
  title: 'IAM policy must not grant all S3 actions on every bucket',
  severity: 'high',
  category: 'identity',
  aliases: ['AVD-AWS-0345'],
  types: ['aws_iam_policy', 'aws_iam_role_policy', 'aws_iam_user_policy', 'aws_iam_group_policy'],
  fail: policyHas('policy', { effect: 'Allow', action: 's3:*', exactAction: true, resource: '*' }),
  remediation: 'Narrow Action and Resource of the statement in policy.',
  failing: [
    { policy: '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"s3:*","Resource":"*"}]}' },
  ],
  passing: [
    {
      policy:
        '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"AWS":"arn:aws:iam::123456789012:root"},"Action":"s3:GetObject","Resource":"arn:aws:s3:::b/*"}]}',
    },
    {},
  ],
});
