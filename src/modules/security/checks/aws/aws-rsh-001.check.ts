import { defineCheck } from '../../engine/check.js';
import { notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-RSH-001',
  title: 'Redshift cluster must be encrypted at rest',
  severity: 'high',
  category: 'encryption',
  aliases: ['CKV_AWS_64'],
  types: ['aws_redshift_cluster'],
  fail: notTrue('encrypted'),
  remediation: 'Set encrypted = true.',
  failing: [{}, { encrypted: false }],
  passing: [{ encrypted: true }],
});
