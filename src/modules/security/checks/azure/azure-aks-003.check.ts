import { defineCheck } from '../../engine/check.js';
import { isEmpty } from '../../engine/condition.js';

export default defineCheck({
  id: 'AZURE-AKS-003',
  title: 'AKS cluster must have a network policy',
  severity: 'high',
  category: 'hardening',
  aliases: ['AVD-AZU-0043', 'CKV_AZURE_7'],
  types: ['azurerm_kubernetes_cluster'],
  fail: isEmpty('network_profile.0.network_policy'),
  remediation: 'Set network_policy in network_profile to "azure", "calico" or "cilium".',
  failing: [{}],
  passing: [
    { network_profile: [{ network_policy: [{}] }] },
    { network_profile: [{ network_policy: 'calico' }] },
  ],
});
