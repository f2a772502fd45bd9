import { defineCheck } from '../../engine/check.js';
import { notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-MQ-003',
  title: 'MQ broker must write its general log',
  severity: 'low',
  category: 'logging',
  aliases: ['CKV_AWS_48'],
  types: ['aws_mq_broker'],
  fail: notTrue('logs.0.general'),
  remediation: 'Set general = true in logs.',
  failing: [{}, { logs: [{ general: false }] }],
  passing: [{ logs: [{ general: true }] }],
});
