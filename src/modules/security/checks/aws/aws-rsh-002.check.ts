import { defineCheck } from '../../engine/check.js';
import { notFalse } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-RSH-002',
  title: 'Redshift cluster must not be publicly accessible',
  severity: 'high',
  category: 'network-exposure',
  exposure: true,
  aliases: ['CKV_AWS_87'],
  types: ['aws_redshift_cluster'],
  fail: notFalse('publicly_accessible'),
  remediation: 'Set publicly_accessible = false.',
  failing: [{}, { publicly_accessible: true }],
  passing: [{ publicly_accessible: false }],
});
