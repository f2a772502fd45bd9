import { defineCheck } from '../../engine/check.js';
import { any, eq, some } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-CF-001',
  title: 'CloudFront distribution must not serve content over plain HTTP',
  severity: 'critical',
  category: 'encryption-transit',
  aliases: ['AVD-AWS-0012', 'CKV_AWS_34'],
  types: ['aws_cloudfront_distribution'],
  fail: any(
    some('default_cache_behavior', eq('viewer_protocol_policy', 'allow-all')),
    some('ordered_cache_behavior', eq('viewer_protocol_policy', 'allow-all')),
  ),
  remediation:
    'Set viewer_protocol_policy to "redirect-to-https" or "https-only" in default_cache_behavior and each ordered_cache_behavior.',
  failing: [
    { default_cache_behavior: [{ viewer_protocol_policy: 'allow-all' }] },
    { ordered_cache_behavior: [{ viewer_protocol_policy: 'allow-all' }] },
  ],
  passing: [{}, { ordered_cache_behavior: [{}] }],
});
