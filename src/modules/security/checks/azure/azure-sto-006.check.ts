import { defineCheck } from '../../engine/check.js';
import { notFalse } from '../../engine/condition.js';

export default defineCheck({
  id: 'AZURE-STO-006',
  title: 'Storage account must not be reachable over the public network',
  severity: 'medium',
  category: 'network-exposure',
  exposure: true,
  aliases: ['CKV_AZURE_59'],
  types: ['azurerm_storage_account'],
  fail: notFalse('public_network_access_enabled'),
  remediation: 'Set public_network_access_enabled = false.',
  failing: [{}, { public_network_access_enabled: true }],
  passing: [{ public_network_access_enabled: false }],
});
