import { defineCheck } from '../../engine/check.js';
import { isFalse } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-RDS-008',
  title: 'RDS instance must upgrade minor versions automatically',
  severity: 'low',
  category: 'hardening',
  cis: '2.3.2',
  aliases: ['CKV_AWS_226'],
  types: ['aws_db_instance', 'aws_rds_cluster_instance'],
  fail: isFalse('auto_minor_version_upgrade'),
  remediation: 'Set auto_minor_version_upgrade = true.',
  failing: [{ auto_minor_version_upgrade: false }],
  passing: [{ auto_minor_version_upgrade: true }, {}],
});
