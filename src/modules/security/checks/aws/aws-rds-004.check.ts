import { defineCheck } from '../../engine/check.js';
import { notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-RDS-004',
  title: 'RDS database must have deletion protection enabled',
  severity: 'medium',
  category: 'resilience',
  aliases: ['AVD-AWS-0177', 'AVD-AWS-0343', 'CKV_AWS_293', 'CKV_AWS_139'],
  types: ['aws_db_instance', 'aws_rds_cluster'],
  fail: notTrue('deletion_protection'),
  remediation: 'Set deletion_protection = true.',
  failing: [{}, { deletion_protection: false }],
  passing: [{ deletion_protection: true }],
});
