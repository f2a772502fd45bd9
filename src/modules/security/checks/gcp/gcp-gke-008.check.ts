import { defineCheck } from '../../engine/check.js';
import { notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'GCP-GKE-008',
  title: 'GKE node pool must upgrade nodes automatically',
  severity: 'low',
  category: 'hardening',
  aliases: ['AVD-GCP-0058', 'CKV_GCP_10'],
  types: ['google_container_node_pool'],
  fail: notTrue('management.0.auto_upgrade'),
  remediation: 'Set auto_upgrade = true in management.',
  failing: [{}, { management: [{ auto_upgrade: false }] }],
  passing: [{ management: [{ auto_upgrade: true }] }],
});
