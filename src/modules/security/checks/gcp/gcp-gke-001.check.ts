import { defineCheck } from '../../engine/check.js';
import { isTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'GCP-GKE-001',
  title: 'GKE cluster must not use legacy authorization',
  severity: 'high',
  category: 'identity',
  aliases: ['AVD-GCP-0062', 'CKV_GCP_7'],
  types: ['google_container_cluster'],
  fail: isTrue('enable_legacy_abac'),
  remediation: 'Set enable_legacy_abac = false.',
  failing: [{ enable_legacy_abac: true }],
  passing: [{}, { enable_legacy_abac: false }],
});
