import { defineCheck } from '../../engine/check.js';
import { isFalse } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-EC2-007',
  title: 'EBS encryption by default must be enabled',
  severity: 'medium',
  category: 'encryption',
  aliases: ['CKV_AWS_106'],
  types: ['aws_ebs_encryption_by_default'],
  fail: isFalse('enabled'),
  remediation: 'Set enabled = true.',
  failing: [{ enabled: false }],
  passing: [{ enabled: true }, {}],
});
