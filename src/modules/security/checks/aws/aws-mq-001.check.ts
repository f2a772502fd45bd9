import { defineCheck } from '../../engine/check.js';
import { isTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-MQ-001',
  title: 'MQ broker must not be publicly accessible',
  severity: 'high',
  category: 'network-exposure',
  exposure: true,
  aliases: ['AVD-AWS-0072', 'CKV_AWS_69'],
  types: ['aws_mq_broker'],
  fail: isTrue('publicly_accessible'),
  remediation: 'Set publicly_accessible = false.',
  failing: [{ publicly_accessible: true }],
  passing: [{}, { publicly_accessible: false }],
});
