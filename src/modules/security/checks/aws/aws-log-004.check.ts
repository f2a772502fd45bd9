import { defineCheck } from '../../engine/check.js';
import { notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-LOG-004',
  title: 'CloudTrail trail must have log file validation enabled',
  severity: 'high',
  category: 'logging',
  cis: '3.2',
  aliases: ['AVD-AWS-0016', 'CKV_AWS_36'],
  types: ['aws_cloudtrail'],
  fail: notTrue('enable_log_file_validation'),
  remediation: 'Set enable_log_file_validation = true.',
  failing: [{}, { enable_log_file_validation: false }],
  passing: [{ enable_log_file_validation: true }],
});
