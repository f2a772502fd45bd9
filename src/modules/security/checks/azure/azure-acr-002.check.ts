import { defineCheck } from '../../engine/check.js';
import { notFalse } from '../../engine/condition.js';

export default defineCheck({
  id: 'AZURE-ACR-002',
  title: 'Container registry must not be reachable over the public network',
  severity: 'medium',
  category: 'network-exposure',
  exposure: true,
  aliases: ['CKV_AZURE_139'],
  types: ['azurerm_container_registry'],
  fail: notFalse('public_network_access_enabled'),
  remediation: 'Set public_network_access_enabled = false.',
  failing: [{}, { public_network_access_enabled: true }],
  passing: [{ public_network_access_enabled: false }],
});
