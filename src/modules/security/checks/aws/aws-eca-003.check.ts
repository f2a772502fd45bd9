import { defineCheck } from '../../engine/check.js';
import { all, lessThanOrAbsent, ne } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-ECA-003',
  title: 'ElastiCache cluster must keep backups',
  severity: 'medium',
  category: 'resilience',
  aliases: ['AVD-AWS-0050', 'CKV_AWS_134'],
  types: ['aws_elasticache_cluster', 'aws_elasticache_replication_group'],
  // The smallest node type cannot make backups.
  when: all(ne('engine', 'memcached'), ne('node_type', 'cache.t1.micro')),
  fail: lessThanOrAbsent('snapshot_retention_limit', 1),
  remediation: 'Set snapshot_retention_limit to at least 1.',
  failing: [{}, { snapshot_retention_limit: 0 }],
  passing: [{ snapshot_retention_limit: 1 }, { engine: 'memcached' }, { node_type: 'cache.t1.micro' }],
});
