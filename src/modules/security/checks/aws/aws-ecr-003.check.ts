import { defineCheck } from '../../engine/check.js';
import { policyHas } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-ECR-003',
  title: 'ECR repository policy must not allow every principal',
  severity: 'high',
  category: 'public-access',
  exposure: true,
  aliases: ['AVD-AWS-0032', 'CKV_AWS_32'],
  types: ['aws_ecr_repository_policy'],
  fail: policyHas('policy', { effect: 'Allow', principal: '*', noCondition: true }),
  remediation: 'Name accounts or roles in the Principal of policy, or add a Condition that narrows it.',
  failing: [
    {
      policy:
        '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":"*","Action":"s3:GetObject","Resource":"*"}]}',
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
