import { defineCheck } from '../../engine/check.js';
import { notFalse } from '../../engine/condition.js';

export default defineCheck({
  id: 'AZURE-CDB-003',
  title: 'Cosmos DB account keys must not be able to change metadata',
  severity: 'low',
  category: 'hardening',
  aliases: ['CKV_AZURE_132'],
  types: ['azurerm_cosmosdb_account'],
  fail: notFalse('access_key_metadata_writes_enabled'),
  remediation: 'Set access_key_metadata_writes_enabled = false.',
  failing: [{}, { access_key_metadata_writes_enabled: true }],
  passing: [{ access_key_metadata_writes_enabled: false }],
});
