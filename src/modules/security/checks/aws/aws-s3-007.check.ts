import { defineCheck, example } from '../../engine/check.js';
import { all, eqi, linked, not, notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-S3-007',
  title: 'S3 bucket must keep versions of its objects',
  severity: 'medium',
  category: 'resilience',
  aliases: ['AVD-AWS-0090', 'CKV_AWS_21'],
  types: ['aws_s3_bucket'],
  fail: all(
    notTrue('versioning.0.enabled'),
    not(
      linked({
        types: ['aws_s3_bucket_versioning'],
        via: 'bucket',
        where: eqi('versioning_configuration.0.status', 'Enabled'),
      }),
    ),
  ),
  remediation: 'Add an aws_s3_bucket_versioning with status = "Enabled" in versioning_configuration.',
  failing: [
    { id: 'logs', versioning: [{ enabled: false }] },
    example({
      attributes: { id: 'logs' },
      others: [
        {
          type: 'aws_s3_bucket_versioning',
          attributes: { bucket: 'logs', versioning_configuration: [{ status: 'Suspended' }] },
        },
        {
          type: 'aws_s3_bucket_versioning',
          attributes: { bucket: 'another-bucket', versioning_configuration: [{ status: 'Enabled' }] },
        },
      ],
    }),
  ],
  passing: [
    { id: 'logs', versioning: [{ enabled: true }] },
    example({
      attributes: { id: 'logs' },
      others: [
        {
          type: 'aws_s3_bucket_versioning',
          attributes: { bucket: 'logs', versioning_configuration: [{ status: 'Enabled' }] },
        },
      ],
    }),
  ],
});
