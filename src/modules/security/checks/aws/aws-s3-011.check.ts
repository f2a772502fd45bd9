import { defineCheck } from '../../engine/check.js';
import { all, eqi, linked, not, notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-S3-011',
  title: 'S3 bucket must require MFA to delete versions',
  severity: 'low',
  category: 'resilience',
  aliases: ['AVD-AWS-0170'],
  types: ['aws_s3_bucket'],
  fail: all(
    notTrue('versioning.0.mfa_delete'),
    not(
      linked({
        types: ['aws_s3_bucket_versioning'],
        via: 'bucket',
        where: eqi('versioning_configuration.0.mfa_delete', 'Enabled'),
      }),
    ),
  ),
  remediation: 'Add an aws_s3_bucket_versioning with mfa_delete = "Enabled" in versioning_configuration.',
  failing: [{ id: 'this-1' }, { versioning: [{ mfa_delete: false }], id: 'this-1' }],
  passing: [{ versioning: [{ mfa_delete: true }], id: 'this-1' }, { versioning: [{ mfa_delete: true }] }],
});
