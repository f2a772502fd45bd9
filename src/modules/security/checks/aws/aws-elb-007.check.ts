import { defineCheck } from '../../engine/check.js';
import { eq } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-ELB-007',
  title: 'Load balancer must act on desync attacks',
  severity: 'medium',
  category: 'hardening',
  aliases: ['CKV_AWS_328'],
  types: ['aws_lb', 'aws_alb', 'aws_elb'],
  fail: eq('desync_mitigation_mode', 'monitor'),
  remediation: 'Set desync_mitigation_mode to "defensive" or "strictest".',
  failing: [{ desync_mitigation_mode: 'monitor' }],
  passing: [{}, { desync_mitigation_mode: 'defensive' }],
});
