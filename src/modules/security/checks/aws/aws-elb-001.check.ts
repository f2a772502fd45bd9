import { defineCheck } from '../../engine/check.js';
import { ne, notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-ELB-001',
  title: 'Load balancer must be internal',
  severity: 'high',
  category: 'network-exposure',
  exposure: true,
  aliases: ['AVD-AWS-0053'],
  types: ['aws_lb', 'aws_alb', 'aws_elb'],
  when: ne('load_balancer_type', 'gateway'),
  fail: notTrue('internal'),
  remediation: 'Set internal = true.',
  failing: [{}, { internal: false }],
  passing: [{ internal: true }, { load_balancer_type: 'network', internal: true }],
});
