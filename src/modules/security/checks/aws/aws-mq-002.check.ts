import { defineCheck } from '../../engine/check.js';
import { notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-MQ-002',
  title: 'MQ broker must upgrade minor versions automatically',
  severity: 'low',
  category: 'hygiene',
  aliases: ['CKV_AWS_207'],
  types: ['aws_mq_broker'],
  fail: notTrue('auto_minor_version_upgrade'),
  remediation: 'Set auto_minor_version_upgrade = true.',
  failing: [{}, { auto_minor_version_upgrade: false }],
  passing: [{ auto_minor_version_upgrade: true }],
});
