import { defineCheck } from '../../engine/check.js';
import { notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-ELB-006',
  title: 'Load balancer must have deletion protection enabled',
  severity: 'low',
  category: 'resilience',
  aliases: ['CKV_AWS_150'],
  types: ['aws_lb', 'aws_alb'],
  fail: notTrue('enable_deletion_protection'),
  remediation: 'Set enable_deletion_protection = true.',
  failing: [{}, { enable_deletion_protection: false }],
  passing: [{ enable_deletion_protection: true }],
});
