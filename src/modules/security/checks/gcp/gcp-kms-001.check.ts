import { defineCheck } from '../../engine/check.js';
import { durationOver, notIn } from '../../engine/condition.js';

export default defineCheck({
  id: 'GCP-KMS-001',
  title: 'KMS key must rotate at least every 90 days',
  severity: 'high',
  category: 'encryption',
  cis: '1.10',
  aliases: ['AVD-GCP-0065', 'CKV_GCP_43'],
  types: ['google_kms_crypto_key'],
  when: notIn('purpose', ['ASYMMETRIC_SIGN', 'ASYMMETRIC_DECRYPT', 'MAC']),
  fail: durationOver('rotation_period', 90),
  remediation: 'Set rotation_period = "7776000s" or less.',
  failing: [{}, { rotation_period: '15552000s' }],
  passing: [{ rotation_period: '7776000s' }, { purpose: 'ASYMMETRIC_SIGN' }],
});
