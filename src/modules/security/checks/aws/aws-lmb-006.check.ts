import { defineCheck } from '../../engine/check.js';
import { isEmpty } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-LMB-006',
  title: 'Lambda function must have a dead letter queue',
  severity: 'low',
  category: 'resilience',
  aliases: ['CKV_AWS_116'],
  types: ['aws_lambda_function'],
  fail: isEmpty('dead_letter_config.0.target_arn'),
  remediation: 'Set target_arn in dead_letter_config to the ARN of a queue or topic.',
  failing: [{}],
  passing: [{ dead_letter_config: [{ target_arn: 'arn:aws:sqs:eu-west-1:111122223333:dead' }] }],
});
