import { defineCheck } from '../../engine/check.js';
import { any, isIn, matches, some } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-S3-006',
  title: 'S3 bucket must not grant public access by its ACL',
  severity: 'high',
  category: 'public-access',
  exposure: true,
  aliases: ['AVD-AWS-0092', 'CKV_AWS_20'],
  types: ['aws_s3_bucket', 'aws_s3_bucket_acl'],
  fail: any(
    isIn('acl', ['public-read', 'public-read-write', 'website', 'authenticated-read']),
    some('access_control_policy.0.grant', matches('grantee.0.uri', 'global/(AllUsers|AuthenticatedUsers)$')),
    some('grant', matches('uri', 'global/(AllUsers|AuthenticatedUsers)$')),
  ),
  remediation: 'Set acl = "private" and remove grants to AllUsers and AuthenticatedUsers.',
  failing: [{ acl: 'public-read' }, { acl: 'public-read-write' }],
  passing: [{ acl: 'private' }, { acl: 'private', grant: [{}] }],
});
