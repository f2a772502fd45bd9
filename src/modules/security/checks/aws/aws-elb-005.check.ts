import { defineCheck } from '../../engine/check.js';
import { notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-ELB-005',
  title: 'Load balancer access logging is disabled',
  severity: 'low',
  category: 'logging',
  aliases: ['CKV_AWS_91'],
  types: ['aws_lb', 'aws_alb'],
  fail: notTrue('access_logs.0.enabled'),
  remediation: 'Set access_logs.enabled = true.',
  failing: [{}, { access_logs: [{ enabled: false }] }],
  passing: [{ access_logs: [{ enabled: true }] }],
});
