import { defineCheck } from '../../engine/check.js';
import { notFalse } from '../../engine/condition.js';

export default defineCheck({
  id: 'AZURE-DF-001',
  title: 'Data factory must not be reachable over the public network',
  severity: 'critical',
  category: 'network-exposure',
  exposure: true,
  aliases: ['AVD-AZU-0035', 'CKV_AZURE_104'],
  types: ['azurerm_data_factory'],
  fail: notFalse('public_network_enabled'),
  remediation: 'Set public_network_enabled = false.',
  failing: [{}, { public_network_enabled: true }],
  passing: [{ public_network_enabled: false }],
});
