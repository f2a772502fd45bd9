import { defineCheck } from '../../engine/check.js';
import { all, isIn, ne, notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-KMS-001',
  title: 'KMS key must rotate automatically',
  severity: 'medium',
  category: 'encryption',
  cis: '3.8',
  aliases: ['AVD-AWS-0065', 'CKV_AWS_7'],
  types: ['aws_kms_key'],
  when: all(
    ne('key_usage', 'SIGN_VERIFY'),
    isIn('customer_master_key_spec', [null, '', 'SYMMETRIC_DEFAULT']),
  ),
  fail: notTrue('enable_key_rotation'),
  remediation: 'Set enable_key_rotation = true.',
  failing: [{}, { enable_key_rotation: false }],
  passing: [
    { enable_key_rotation: true },
    { customer_master_key_spec: 'SYMMETRIC_DEFAULT', enable_key_rotation: true },
  ],
});
