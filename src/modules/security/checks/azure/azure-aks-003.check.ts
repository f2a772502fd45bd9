import { defineCheck } from '../../engine/check.js';
import { isEmpty } from '../../engine/condition.js';

export default defineCheck({
  id: 'AZURE-AKS-003',
  title: 'AKS has no network policy',
  severity: 'high',
  category: 'hardening',
  aliases: ['AVD-AZU-0043', 'CKV_AZURE_7'],
  types: ['azurerm_kubernetes_cluster'],
  fail: isEmpty('network_profile.0.network_policy'),
  remediation: 'Set network_profile.network_policy.',
  failing: [{}],
  passing: [
    { network_profile: [{ network_policy: [{}] }] },
    { network_profile: [{ network_policy: 'value' }] },
  ],
});
