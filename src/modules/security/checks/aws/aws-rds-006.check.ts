import { defineCheck } from '../../engine/check.js';
import { notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-RDS-006',
  title: 'RDS database must have IAM authentication enabled',
  severity: 'medium',
  category: 'identity',
  aliases: ['AVD-AWS-0176', 'CKV_AWS_161', 'CKV_AWS_162'],
  types: ['aws_db_instance', 'aws_rds_cluster'],
  fail: notTrue('iam_database_authentication_enabled'),
  remediation: 'Set iam_database_authentication_enabled = true.',
  failing: [{}, { iam_database_authentication_enabled: false }],
  passing: [{ iam_database_authentication_enabled: true }],
});
