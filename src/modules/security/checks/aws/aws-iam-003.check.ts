import { defineCheck } from '../../engine/check.js';
import { policyHas } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-IAM-003',
  title: 'IAM role must not be assumable by every AWS principal',
  severity: 'critical',
  category: 'identity',
  exposure: true,
  aliases: ['CKV_AWS_60'],
  types: ['aws_iam_role'],
  fail: policyHas('assume_role_policy', { effect: 'Allow', principal: '*' }),
  remediation: 'Name accounts, roles or services in the Principal of assume_role_policy.',
  failing: [
    {
      assume_role_policy:
        '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":"*","Action":"s3:GetObject","Resource":"*"}]}',
    },
  ],
  passing: [
    {
      assume_role_policy:
        '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"AWS":"arn:aws:iam::123456789012:root"},"Action":"s3:GetObject","Resource":"arn:aws:s3:::b/*"}]}',
    },
    {},
  ],
});
