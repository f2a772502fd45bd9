import { defineCheck } from '../../engine/check.js';
import { all, isIn, notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'GCP-GKE-011',
  title: 'GKE cluster must use Binary Authorization',
  severity: 'medium',
  category: 'hardening',
  aliases: ['CKV_GCP_66'],
  types: ['google_container_cluster'],
  fail: all(
    notTrue('enable_binary_authorization'),
    isIn('binary_authorization.0.evaluation_mode', [null, '', 'DISABLED']),
  ),
  remediation: 'Set evaluation_mode = "PROJECT_SINGLETON_POLICY_ENFORCE" in binary_authorization.',
  failing: [{}, { binary_authorization: [{ evaluation_mode: 'DISABLED' }] }],
  passing: [
    { enable_binary_authorization: true },
    { enable_binary_authorization: true, binary_authorization: [{ evaluation_mode: 'DISABLED' }] },
  ],
});
