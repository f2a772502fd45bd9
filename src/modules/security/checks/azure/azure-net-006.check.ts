import { defineCheck } from '../../engine/check.js';
import { any, isTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'AZURE-NET-006',
  title: 'Network interface must not forward IP traffic',
  severity: 'medium',
  category: 'hardening',
  aliases: ['AVD-AZU-0075', 'CKV_AZURE_118'],
  types: ['azurerm_network_interface'],
  fail: any(isTrue('enable_ip_forwarding'), isTrue('ip_forwarding_enabled')),
  remediation: 'Set ip_forwarding_enabled = false.',
  failing: [{ enable_ip_forwarding: true }, { ip_forwarding_enabled: true }],
  passing: [{}, { ip_forwarding_enabled: false }],
});
