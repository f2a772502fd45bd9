import { defineCheck } from '../../engine/check.js';
import { any, eq, some } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-CF-001',
  title: 'CloudFront allows plain HTTP',
  severity: 'critical',
  category: 'encryption-transit',
  aliases: ['AVD-AWS-0012', 'CKV_AWS_34'],
  types: ['aws_cloudfront_distribution'],
  fail: any(
    some('default_cache_behavior', eq('viewer_protocol_policy', 'allow-all')),
    some('ordered_cache_behavior', eq('viewer_protocol_policy', 'allow-all')),
  ),
  remediation:
    'Change viewer_protocol_policy from "allow-all" in default_cache_behavior; change viewer_protocol_policy from "allow-all" in ordered_cache_behavior.',
  failing: [
    { default_cache_behavior: [{ viewer_protocol_policy: 'allow-all' }] },
    { ordered_cache_behavior: [{ viewer_protocol_policy: 'allow-all' }] },
  ],
  passing: [{}, { ordered_cache_behavior: [{}] }],
});
