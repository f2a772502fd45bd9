import { defineCheck } from '../../engine/check.js';
import { isFalse } from '../../engine/condition.js';

export default defineCheck({
  id: 'GCP-GKE-004',
  title: 'GKE cluster must use shielded nodes',
  severity: 'high',
  category: 'hardening',
  aliases: ['AVD-GCP-0055', 'CKV_GCP_71'],
  types: ['google_container_cluster'],
  fail: isFalse('enable_shielded_nodes'),
  remediation: 'Set enable_shielded_nodes = true.',
  failing: [{ enable_shielded_nodes: false }],
  passing: [{ enable_shielded_nodes: true }, {}],
});
