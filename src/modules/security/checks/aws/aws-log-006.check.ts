import { defineCheck } from '../../engine/check.js';
import { isEmpty } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-LOG-006',
  title: 'CloudTrail trail must be sent to CloudWatch Logs',
  severity: 'low',
  category: 'logging',
  aliases: ['AVD-AWS-0162', 'CKV2_AWS_10'],
  types: ['aws_cloudtrail'],
  fail: isEmpty('cloud_watch_logs_group_arn'),
  remediation: 'Set cloud_watch_logs_group_arn and cloud_watch_logs_role_arn.',
  failing: [{}],
  passing: [{ cloud_watch_logs_group_arn: 'arn:aws:logs:eu-west-1:111122223333:log-group:trail' }],
});
