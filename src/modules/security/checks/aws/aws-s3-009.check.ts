import { defineCheck } from '../../engine/check.js';
import { all, linked, matches, not, some } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-S3-009',
  title: 'S3 bucket must be encrypted with a KMS key',
  severity: 'low',
  category: 'encryption',
  aliases: ['CKV_AWS_145'],
  types: ['aws_s3_bucket'],
  fail: all(
    not(
      some(
        'server_side_encryption_configuration.0.rule',
        matches('apply_server_side_encryption_by_default.0.sse_algorithm', '^aws:kms'),
      ),
    ),
    not(
      linked({
        types: ['aws_s3_bucket_server_side_encryption_configuration'],
        via: 'bucket',
        where: some('rule', matches('apply_server_side_encryption_by_default.0.sse_algorithm', '^aws:kms')),
      }),
    ),
  ),
  remediation: 'Add an aws_s3_bucket_server_side_encryption_configuration with sse_algorithm = "aws:kms".',
  failing: [{ id: 'this-1' }, { server_side_encryption_configuration: [{ rule: [{}] }], id: 'this-1' }],
  passing: [
    {
      server_side_encryption_configuration: [
        { rule: [{ apply_server_side_encryption_by_default: [{ sse_algorithm: 'aws:kms' }] }] },
      ],
      id: 'this-1',
    },
    {
      server_side_encryption_configuration: [
        { rule: [{ apply_server_side_encryption_by_default: [{ sse_algorithm: 'aws:kms' }] }] },
      ],
    },
  ],
});
