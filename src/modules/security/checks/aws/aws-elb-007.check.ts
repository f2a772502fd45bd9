import { defineCheck } from '../../engine/check.js';
import { eq } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-ELB-007',
  title: 'Load balancer only monitors desync attacks',
  severity: 'medium',
  category: 'hardening',
  aliases: ['CKV_AWS_328'],
  types: ['aws_lb', 'aws_alb'],
  fail: eq('desync_mitigation_mode', 'monitor'),
  remediation: 'Change desync_mitigation_mode from "monitor".',
  failing: [{ desync_mitigation_mode: 'monitor' }],
  passing: [{}, { desync_mitigation_mode: 'other' }],
});
