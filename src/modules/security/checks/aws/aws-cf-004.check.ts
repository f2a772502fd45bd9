import { defineCheck } from '../../engine/check.js';
import { all, isEmpty, linked, not } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-CF-004',
  title: 'CloudFront distribution must write access logs',
  severity: 'medium',
  category: 'logging',
  aliases: ['AVD-AWS-0010', 'CKV_AWS_86'],
  types: ['aws_cloudfront_distribution'],
  fail: all(
    isEmpty('logging_config'),
    not(linked({ types: ['aws_cloudwatch_log_delivery_source'], via: 'resource_arn' })),
  ),
  remediation:
    'Add a logging_config block, or an aws_cloudwatch_log_delivery_source whose resource_arn is the ARN of the distribution.',
  failing: [{ id: 'this-1' }],
  passing: [{ logging_config: [{}], id: 'this-1' }, { logging_config: [{}] }],
});
