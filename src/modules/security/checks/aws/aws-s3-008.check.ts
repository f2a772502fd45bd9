import { defineCheck } from '../../engine/check.js';
import { all, eq, isEmpty, linked, ne, not } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-S3-008',
  title: 'S3 bucket must write access logs',
  severity: 'low',
  category: 'logging',
  aliases: ['AVD-AWS-0089', 'CKV_AWS_18'],
  types: ['aws_s3_bucket'],
  fail: all(
    isEmpty('logging'),
    not(linked({ types: ['aws_s3_bucket_logging'], via: 'bucket' })),
    ne('acl', 'log-delivery-write'),
    not(linked({ types: ['aws_s3_bucket_acl'], via: 'bucket', where: eq('acl', 'log-delivery-write') })),
  ),
  remediation: 'Add an aws_s3_bucket_logging whose bucket is the name of the bucket.',
  failing: [{ id: 'this-1' }, { id: 'this-1', acl: 'private' }],
  passing: [
    { logging: [{}], id: 'this-1' },
    { logging: [{}], id: 'this-1', acl: 'private' },
  ],
});
