import { defineCheck } from '../../engine/check.js';
import { notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-RDS-007',
  title: 'RDS instance must have Performance Insights enabled',
  severity: 'low',
  category: 'logging',
  aliases: ['AVD-AWS-0133', 'CKV_AWS_353'],
  types: ['aws_db_instance', 'aws_rds_cluster_instance'],
  fail: notTrue('performance_insights_enabled'),
  remediation: 'Set performance_insights_enabled = true.',
  failing: [{}, { performance_insights_enabled: false }],
  passing: [{ performance_insights_enabled: true }],
});
