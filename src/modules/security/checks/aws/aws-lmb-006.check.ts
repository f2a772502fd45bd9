import { defineCheck } from '../../engine/check.js';
import { isEmpty } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-LMB-006',
  title: 'Lambda function has no dead letter queue',
  severity: 'low',
  category: 'resilience',
  aliases: ['CKV_AWS_116'],
  types: ['aws_lambda_function'],
  fail: isEmpty('dead_letter_config.0.target_arn'),
  remediation: 'Set dead_letter_config.target_arn.',
  failing: [{}],
  passing: [{ dead_letter_config: [{ target_arn: 'value' }] }],
});
