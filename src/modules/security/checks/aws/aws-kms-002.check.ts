import { defineCheck } from '../../engine/check.js';
import { policyHas } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-KMS-002',
  title: 'KMS key policy must not allow every principal',
  severity: 'high',
  category: 'public-access',
  exposure: true,
  aliases: [],
  types: ['aws_kms_key'],
  fail: policyHas('policy', {
    effect: 'Allow',
    principal: '*',
    action: 'kms:*',
    exactAction: true,
    noCondition: true,
  }),
  remediation: 'Name accounts or roles in the Principal of policy, or add a Condition that narrows it.',
  failing: [
    {
      policy:
        '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":"*","Action":"kms:*","Resource":"*"}]}',
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
