import { defineCheck } from '../../engine/check.js';
import { notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-S3-001',
  title: 'S3 public access block must set block_public_acls',
  severity: 'high',
  category: 'public-access',
  exposure: true,
  cis: '2.1.4',
  aliases: ['AVD-AWS-0086', 'CKV_AWS_53'],
  types: ['aws_s3_bucket_public_access_block'],
  fail: notTrue('block_public_acls'),
  remediation: 'Set block_public_acls = true.',
  failing: [{}, { block_public_acls: false }],
  passing: [{ block_public_acls: true }, { block_public_acls: 'true' }],
});
