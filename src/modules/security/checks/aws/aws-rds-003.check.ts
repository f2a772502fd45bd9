import { defineCheck } from '../../engine/check.js';
import { ne, notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-RDS-003',
  title: 'RDS cluster must be encrypted at rest',
  severity: 'high',
  category: 'encryption',
  aliases: ['CKV_AWS_96'],
  types: ['aws_rds_cluster'],
  when: ne('engine_mode', 'serverless'),
  fail: notTrue('storage_encrypted'),
  remediation: 'Set storage_encrypted = true.',
  failing: [{}, { storage_encrypted: false }],
  passing: [{ storage_encrypted: true }, { engine_mode: 'provisioned', storage_encrypted: true }],
});
