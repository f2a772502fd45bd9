import { defineCheck } from '../../engine/check.js';
import { notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-ELB-005',
  title: 'Load balancer must write access logs',
  severity: 'low',
  category: 'logging',
  aliases: ['CKV_AWS_91'],
  types: ['aws_lb', 'aws_alb'],
  fail: notTrue('access_logs.0.enabled'),
  remediation: 'Set enabled = true and bucket in access_logs.',
  failing: [{}, { access_logs: [{ enabled: false }] }],
  passing: [{ access_logs: [{ enabled: true }] }],
});
