import { defineCheck } from '../../engine/check.js';
import { isEmpty } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-CF-002',
  title: 'CloudFront distribution must have a web ACL',
  severity: 'high',
  category: 'hardening',
  aliases: ['AVD-AWS-0011', 'CKV_AWS_68'],
  types: ['aws_cloudfront_distribution'],
  fail: isEmpty('web_acl_id'),
  remediation: 'Set web_acl_id to the ARN of an aws_wafv2_web_acl with scope CLOUDFRONT.',
  failing: [{}],
  passing: [{ web_acl_id: 'arn:aws:wafv2:us-east-1:111122223333:global/webacl/a/1' }],
});
