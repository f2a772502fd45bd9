import { defineCheck } from '../../engine/check.js';
import { notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-EC2-010',
  title: 'EBS snapshot copy must be encrypted',
  severity: 'high',
  category: 'encryption',
  aliases: [],
  types: ['aws_ebs_snapshot_copy'],
  fail: notTrue('encrypted'),
  remediation: 'Set encrypted = true.',
  failing: [{}, { encrypted: false }],
  passing: [{ encrypted: true }],
});
