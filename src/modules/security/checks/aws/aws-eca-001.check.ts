import { defineCheck } from '../../engine/check.js';
import { notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-ECA-001',
  title: 'ElastiCache replication group must be encrypted at rest',
  severity: 'high',
  category: 'encryption',
  aliases: ['AVD-AWS-0045', 'CKV_AWS_29'],
  types: ['aws_elasticache_replication_group'],
  fail: notTrue('at_rest_encryption_enabled'),
  remediation: 'Set at_rest_encryption_enabled = true.',
  failing: [{}, { at_rest_encryption_enabled: false }],
  passing: [{ at_rest_encryption_enabled: true }],
});
