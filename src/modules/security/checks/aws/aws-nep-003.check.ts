import { defineCheck } from '../../engine/check.js';
import { contains, not } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-NEP-003',
  title: 'Neptune cluster must export its audit log',
  severity: 'low',
  category: 'logging',
  aliases: ['CKV_AWS_101'],
  types: ['aws_neptune_cluster'],
  fail: not(contains('enable_cloudwatch_logs_exports', 'audit')),
  remediation: 'Add "audit" to enable_cloudwatch_logs_exports.',
  failing: [{}, { enable_cloudwatch_logs_exports: ['other'] }],
  passing: [{ enable_cloudwatch_logs_exports: ['audit'] }, { enable_cloudwatch_logs_exports: 'audit' }],
});
