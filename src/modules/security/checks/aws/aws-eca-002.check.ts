import { defineCheck } from '../../engine/check.js';
import { notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-ECA-002',
  title: 'ElastiCache replication group must be encrypted in transit',
  severity: 'high',
  category: 'encryption-transit',
  aliases: ['AVD-AWS-0051', 'CKV_AWS_30'],
  types: ['aws_elasticache_replication_group'],
  fail: notTrue('transit_encryption_enabled'),
  remediation: 'Set transit_encryption_enabled = true.',
  failing: [{}, { transit_encryption_enabled: false }],
  passing: [{ transit_encryption_enabled: true }],
});
