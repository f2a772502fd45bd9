import { defineCheck } from '../../engine/check.js';
import { contains, not } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-DOC-002',
  title: 'DocumentDB cluster must export its audit log',
  severity: 'low',
  category: 'logging',
  aliases: ['CKV_AWS_85'],
  types: ['aws_docdb_cluster'],
  fail: not(contains('enabled_cloudwatch_logs_exports', 'audit')),
  remediation: 'Add "audit" to enabled_cloudwatch_logs_exports.',
  failing: [{}, { enabled_cloudwatch_logs_exports: ['other'] }],
  passing: [{ enabled_cloudwatch_logs_exports: ['audit'] }, { enabled_cloudwatch_logs_exports: 'audit' }],
});
