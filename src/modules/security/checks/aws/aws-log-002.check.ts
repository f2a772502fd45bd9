import { defineCheck } from '../../engine/check.js';
import { isEmpty } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-LOG-002',
  title: 'CloudWatch log group must have a retention period',
  severity: 'low',
  category: 'logging',
  aliases: ['CKV_AWS_66'],
  types: ['aws_cloudwatch_log_group'],
  fail: isEmpty('retention_in_days'),
  remediation: 'Set retention_in_days to the number of days that logs are needed.',
  failing: [{}],
  passing: [{ retention_in_days: [{}] }, { retention_in_days: '90' }],
});
