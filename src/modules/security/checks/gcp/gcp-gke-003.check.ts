import { defineCheck } from '../../engine/check.js';
import { notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'GCP-GKE-003',
  title: 'GKE cluster must have private nodes',
  severity: 'medium',
  category: 'network-exposure',
  exposure: true,
  aliases: ['AVD-GCP-0059'],
  types: ['google_container_cluster'],
  fail: notTrue('private_cluster_config.0.enable_private_nodes'),
  remediation: 'Set enable_private_nodes = true in private_cluster_config.',
  failing: [{}, { private_cluster_config: [{ enable_private_nodes: false }] }],
  passing: [{ private_cluster_config: [{ enable_private_nodes: true }] }],
});
