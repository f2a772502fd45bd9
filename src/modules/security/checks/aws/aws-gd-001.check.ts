import { defineCheck } from '../../engine/check.js';
import { isFalse } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-GD-001',
  title: 'GuardDuty detector must be enabled',
  severity: 'medium',
  category: 'logging',
  aliases: ['CKV_AWS_238'],
  types: ['aws_guardduty_detector'],
  fail: isFalse('enable'),
  remediation: 'Set enable = true.',
  failing: [{ enable: false }],
  passing: [{ enable: true }, {}],
});
