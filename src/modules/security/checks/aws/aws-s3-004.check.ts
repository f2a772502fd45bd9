import { defineCheck } from '../../engine/check.js';
import { notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-S3-004',
  title: 'S3 public access block must set restrict_public_buckets',
  severity: 'high',
  category: 'public-access',
  exposure: true,
  cis: '2.1.4',
  aliases: ['AVD-AWS-0093', 'CKV_AWS_56'],
  types: ['aws_s3_bucket_public_access_block'],
  fail: notTrue('restrict_public_buckets'),
  remediation: 'Set restrict_public_buckets = true.',
  failing: [{}, { restrict_public_buckets: false }],
  passing: [{ restrict_public_buckets: true }],
});
