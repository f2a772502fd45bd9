import { defineCheck } from '../../engine/check.js';
import { notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-S3-002',
  title: 'S3 public access block must set block_public_policy',
  severity: 'high',
  category: 'public-access',
  exposure: true,
  cis: '2.1.4',
  aliases: ['AVD-AWS-0087', 'CKV_AWS_54'],
  types: ['aws_s3_bucket_public_access_block'],
  fail: notTrue('block_public_policy'),
  remediation: 'Set block_public_policy = true.',
  failing: [{}, { block_public_policy: false }],
  passing: [{ block_public_policy: true }],
});
