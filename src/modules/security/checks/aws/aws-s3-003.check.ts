import { defineCheck } from '../../engine/check.js';
import { notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-S3-003',
  title: 'S3 public access block must set ignore_public_acls',
  severity: 'high',
  category: 'public-access',
  exposure: true,
  cis: '2.1.4',
  aliases: ['AVD-AWS-0091', 'CKV_AWS_55'],
  types: ['aws_s3_bucket_public_access_block'],
  fail: notTrue('ignore_public_acls'),
  remediation: 'Set ignore_public_acls = true.',
  failing: [{}, { ignore_public_acls: false }],
  passing: [{ ignore_public_acls: true }],
});
