import { defineCheck } from '../../engine/check.js';
import { all, any, lessThanOrAbsent, ne, notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'AZURE-NET-007',
  title: 'Network watcher flow log must be kept for at least 90 days',
  severity: 'low',
  category: 'logging',
  aliases: ['AVD-AZU-0049', 'CKV_AZURE_12'],
  types: ['azurerm_network_watcher_flow_log'],
  fail: any(
    notTrue('retention_policy.0.enabled'),
    all(ne('retention_policy.0.days', 0), lessThanOrAbsent('retention_policy.0.days', 90)),
  ),
  remediation: 'Set enabled = true and days to at least 90 in retention_policy.',
  failing: [{}, { retention_policy: [{ enabled: false }] }],
  passing: [
    { retention_policy: [{ enabled: true, days: 0 }] },
    { retention_policy: [{ enabled: true, days: 90 }] },
  ],
});
