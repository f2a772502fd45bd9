import { defineCheck } from '../../engine/check.js';
import { all, isEmpty, linked, not } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-CF-004',
  title: 'CloudFront access logging is disabled',
  severity: 'medium',
  category: 'logging',
  aliases: ['AVD-AWS-0010', 'CKV_AWS_86'],
  types: ['aws_cloudfront_distribution'],
  fail: all(
    isEmpty('logging_config'),
    not(linked({ types: ['aws_cloudwatch_log_delivery_source'], via: 'resource_arn' })),
  ),
  remediation: 'Add aws_cloudwatch_log_delivery_source that names this resource in resource_arn.',
  failing: [{ id: 'this-1' }],
  passing: [{ logging_config: [{}], id: 'this-1' }, { logging_config: [{}] }],
});
