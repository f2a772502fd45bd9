import { defineCheck } from '../../engine/check.js';
import { ne } from '../../engine/condition.js';

export default defineCheck({
  id: 'AZURE-KV-002',
  title: 'Key vault must deny network access by default',
  severity: 'critical',
  category: 'network-exposure',
  exposure: true,
  aliases: ['AVD-AZU-0013', 'CKV_AZURE_109'],
  types: ['azurerm_key_vault'],
  fail: ne('network_acls.0.default_action', 'Deny'),
  remediation: 'Set default_action = "Deny" in network_acls.',
  failing: [{}, { network_acls: [{ default_action: 'Allow' }] }],
  passing: [{ network_acls: [{ default_action: 'Deny' }] }],
});
