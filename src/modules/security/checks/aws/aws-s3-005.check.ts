import { defineCheck, example } from '../../engine/check.js';
import { linked, not } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-S3-005',
  title: 'S3 bucket must have a public access block',
  severity: 'low',
  category: 'public-access',
  aliases: ['AVD-AWS-0094'],
  types: ['aws_s3_bucket'],
  fail: not(linked({ types: ['aws_s3_bucket_public_access_block'], via: 'bucket' })),
  remediation: 'Add an aws_s3_bucket_public_access_block whose bucket is the name of the bucket.',
  failing: [{ id: 'this-1' }],
  passing: [
    example({
      attributes: { id: 'this-1' },
      others: [{ type: 'aws_s3_bucket_public_access_block', attributes: { bucket: 'this-1' } }],
    }),
  ],
});
