import { defineCheck } from '../../engine/check.js';
import { notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'GCP-GKE-007',
  title: 'GKE node pool must repair nodes automatically',
  severity: 'low',
  category: 'resilience',
  aliases: ['AVD-GCP-0063', 'CKV_GCP_9'],
  types: ['google_container_node_pool'],
  fail: notTrue('management.0.auto_repair'),
  remediation: 'Set auto_repair = true in management.',
  failing: [{}, { management: [{ auto_repair: false }] }],
  passing: [{ management: [{ auto_repair: true }] }],
});
