import { defineCheck } from '../../engine/check.js';
import { policyHas } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-SQS-003',
  title: 'SQS queue policy must not allow all actions',
  severity: 'high',
  category: 'identity',
  aliases: ['AVD-AWS-0097'],
  types: ['aws_sqs_queue_policy', 'aws_sqs_queue'],
  fail: policyHas('policy', { effect: 'Allow', action: '*', service: 'sqs' }),
  remediation: 'List the needed actions in Action of the statement in policy.',
  failing: [
    { policy: '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"sqs:*","Resource":"*"}]}' },
  ],
  passing: [
    {
      policy:
        '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"AWS":"arn:aws:iam::123456789012:root"},"Action":"s3:GetObject","Resource":"arn:aws:s3:::b/*"}]}',
    },
    {},
  ],
});
