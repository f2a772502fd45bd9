import { defineCheck } from '../../engine/check.js';
import { isEmpty, lessThanOrAbsent } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-RDS-005',
  title: 'RDS database must keep backups for more than one day',
  severity: 'medium',
  category: 'resilience',
  aliases: ['AVD-AWS-0077'],
  types: ['aws_db_instance', 'aws_rds_cluster'],
  when: isEmpty('replicate_source_db'),
  fail: lessThanOrAbsent('backup_retention_period', 2),
  remediation: 'Set backup_retention_period to at least 2.',
  failing: [{}, { backup_retention_period: 1 }],
  passing: [{ backup_retention_period: 2 }],
});
