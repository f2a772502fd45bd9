import { defineCheck } from '../../engine/check.js';
import { isEmpty } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-RDS-011',
  title: 'RDS instance must export its logs to CloudWatch',
  severity: 'low',
  category: 'logging',
  aliases: ['CKV_AWS_129'],
  types: ['aws_db_instance'],
  fail: isEmpty('enabled_cloudwatch_logs_exports'),
  remediation: 'Set enabled_cloudwatch_logs_exports to the logs that the engine offers.',
  failing: [{}],
  passing: [{ enabled_cloudwatch_logs_exports: [{}] }, { enabled_cloudwatch_logs_exports: ['audit'] }],
});
