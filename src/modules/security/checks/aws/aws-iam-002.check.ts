import { defineCheck } from '../../engine/check.js';
import { any, policyHas } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-IAM-002',
  title: 'IAM policy must not allow all actions',
  severity: 'high',
  category: 'identity',
  aliases: ['CKV_AWS_63'],
  types: [
    'aws_iam_policy',
    'aws_iam_role_policy',
    'aws_iam_user_policy',
    'aws_iam_group_policy',
    'aws_ssoadmin_permission_set_inline_policy',
  ],
  fail: any(
    policyHas('policy', { effect: 'Allow', action: '*' }),
    policyHas('inline_policy', { effect: 'Allow', action: '*' }),
  ),
  remediation:
    'List the needed actions in Action of the statement in policy (inline_policy of a permission set).',
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
