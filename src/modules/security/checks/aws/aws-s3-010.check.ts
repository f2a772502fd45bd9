import { defineCheck, example } from '../../engine/check.js';
import { policyHas } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-S3-010',
  title: 'S3 bucket policy must not grant access to everyone',
  severity: 'high',
  category: 'public-access',
  exposure: true,
  aliases: ['CKV_AWS_70'],
  types: ['aws_s3_bucket_policy', 'aws_s3_bucket'],
  fail: policyHas('policy', { effect: 'Allow', principal: '*', noCondition: true }),
  remediation: 'Name accounts or roles in the Principal of policy, or add a Condition that narrows it.',
  failing: [
    {
      policy:
        '{"Statement":[{"Effect":"Allow","Principal":"*","Action":"s3:GetObject","Resource":"arn:aws:s3:::b/*"}]}',
    },
    example({
      type: 'aws_s3_bucket',
      attributes: { policy: '{"Statement":{"Effect":"Allow","Principal":{"AWS":["*"]},"Action":["s3:*"]}}' },
    }),
  ],
  passing: [
    {},
    { policy: 'no json' },
    { policy: '{"Statement":[{"Effect":"Deny","Principal":"*","Action":"s3:*"}]}' },
    {
      policy:
        '{"Statement":[{"Effect":"Allow","Principal":"*","Action":"s3:*","Condition":{"StringEquals":{"aws:PrincipalOrgID":"o-1"}}}]}',
    },
  ],
});
