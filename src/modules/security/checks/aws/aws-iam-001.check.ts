import { defineCheck } from '../../engine/check.js';
import { any, policyHas } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-IAM-001',
  title: 'IAM policy must not grant full administrative access',
  severity: 'critical',
  category: 'identity',
  cis: '1.16',
  aliases: ['CKV_AWS_62'],
  types: [
    'aws_iam_policy',
    'aws_iam_role_policy',
    'aws_iam_user_policy',
    'aws_iam_group_policy',
    'aws_ssoadmin_permission_set_inline_policy',
  ],
  fail: any(
    policyHas('policy', { effect: 'Allow', action: '*', resource: '*' }),
    policyHas('inline_policy', { effect: 'Allow', action: '*', resource: '*' }),
  ),
  remediation: 'Narrow Action and Resource of the statement in policy (inline_policy of a permission set).',
  failing: [
    { policy: '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"*","Resource":"*"}]}' },
    {
      inline_policy: '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"*","Resource":"*"}]}',
    },
  ],
  passing: [
    {
      policy:
        '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"AWS":"arn:aws:iam::123456789012:root"},"Action":"s3:GetObject","Resource":"arn:aws:s3:::b/*"}]}',
      inline_policy:
        '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"AWS":"arn:aws:iam::123456789012:root"},"Action":"s3:GetObject","Resource":"arn:aws:s3:::b/*"}]}',
    },
    {
      policy:
        '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"AWS":"arn:aws:iam::123456789012:root"},"Action":"s3:GetObject","Resource":"arn:aws:s3:::b/*"}]}',
    },
  ],
});
