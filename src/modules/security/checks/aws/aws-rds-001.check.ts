import { defineCheck } from '../../engine/check.js';
import { isTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-RDS-001',
  title: 'RDS instance must not be publicly accessible',
  severity: 'high',
  category: 'network-exposure',
  exposure: true,
  cis: '2.3.3',
  aliases: ['AVD-AWS-0180', 'CKV_AWS_17'],
  types: ['aws_db_instance', 'aws_rds_cluster_instance'],
  fail: isTrue('publicly_accessible'),
  remediation: 'Set publicly_accessible = false.',
  failing: [{ publicly_accessible: true }],
  passing: [{}, { publicly_accessible: false }],
});
