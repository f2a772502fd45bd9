import { defineCheck } from '../../engine/check.js';
import { notFalse } from '../../engine/condition.js';

export default defineCheck({
  id: 'AZURE-CDB-001',
  title: 'Cosmos DB account must not be reachable over the public network',
  severity: 'high',
  category: 'public-access',
  exposure: true,
  aliases: ['CKV_AZURE_101'],
  types: ['azurerm_cosmosdb_account'],
  fail: notFalse('public_network_access_enabled'),
  remediation: 'Set public_network_access_enabled = false.',
  failing: [{}, { public_network_access_enabled: true }],
  passing: [{ public_network_access_enabled: false }],
});
