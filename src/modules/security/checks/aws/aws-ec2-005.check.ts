import { defineCheck } from '../../engine/check.js';
import { notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-EC2-005',
  title: 'EBS volume must be encrypted',
  severity: 'high',
  category: 'encryption',
  cis: '2.2.1',
  aliases: ['AVD-AWS-0026', 'CKV_AWS_3'],
  types: ['aws_ebs_volume'],
  fail: notTrue('encrypted'),
  remediation: 'Set encrypted = true.',
  failing: [{}, { encrypted: false }],
  passing: [{ encrypted: true }],
});
