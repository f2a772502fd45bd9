import { defineCheck } from '../../engine/check.js';
import { isIn, notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-ELB-002',
  title: 'Application load balancer must drop invalid header fields',
  severity: 'high',
  category: 'hardening',
  aliases: ['AVD-AWS-0052', 'CKV_AWS_131'],
  types: ['aws_lb', 'aws_alb'],
  when: isIn('load_balancer_type', [null, '', 'application']),
  fail: notTrue('drop_invalid_header_fields'),
  remediation: 'Set drop_invalid_header_fields = true.',
  failing: [{}, { drop_invalid_header_fields: false }],
  passing: [
    { drop_invalid_header_fields: true },
    { load_balancer_type: 'application', drop_invalid_header_fields: true },
  ],
});
