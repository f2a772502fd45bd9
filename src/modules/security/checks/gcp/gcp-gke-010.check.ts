import { defineCheck } from '../../engine/check.js';
import { all, ne, notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'GCP-GKE-010',
  title: 'GKE cluster must enforce network policies',
  severity: 'medium',
  category: 'hardening',
  aliases: ['AVD-GCP-0056'],
  types: ['google_container_cluster'],
  fail: all(
    notTrue('network_policy.0.enabled'),
    ne('datapath_provider', 'ADVANCED_DATAPATH'),
    notTrue('enable_autopilot'),
  ),
  remediation: 'Set enabled = true in network_policy, or datapath_provider = "ADVANCED_DATAPATH".',
  failing: [{}, { enable_autopilot: false }],
  passing: [
    { network_policy: [{ enabled: true }] },
    { network_policy: [{ enabled: true }], enable_autopilot: false },
  ],
});
