import { defineCheck } from '../../engine/check.js';
import { isEmpty } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-ECA-005',
  title: 'ElastiCache replication group must be encrypted with a customer managed key',
  severity: 'low',
  category: 'encryption',
  aliases: ['CKV_AWS_191'],
  types: ['aws_elasticache_replication_group'],
  fail: isEmpty('kms_key_id'),
  remediation: 'Set kms_key_id to the ARN of a customer managed key.',
  failing: [{}],
  passing: [{ kms_key_id: 'arn:aws:kms:eu-west-1:111122223333:key/1' }],
});
