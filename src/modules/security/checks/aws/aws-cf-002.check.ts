import { defineCheck } from '../../engine/check.js';
import { isEmpty } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-CF-002',
  title: 'CloudFront has no web ACL',
  severity: 'high',
  category: 'hardening',
  aliases: ['AVD-AWS-0011', 'CKV_AWS_68'],
  types: ['aws_cloudfront_distribution'],
  fail: isEmpty('web_acl_id'),
  remediation: 'Set web_acl_id.',
  failing: [{}],
  passing: [{ web_acl_id: 'value' }],
});
