import { defineCheck } from '../../engine/check.js';
import { notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-EFS-001',
  title: 'EFS file system must be encrypted',
  severity: 'high',
  category: 'encryption',
  aliases: ['AVD-AWS-0037', 'CKV_AWS_42'],
  types: ['aws_efs_file_system'],
  fail: notTrue('encrypted'),
  remediation: 'Set encrypted = true.',
  failing: [{}, { encrypted: false }],
  passing: [{ encrypted: true }],
});
