import { defineCheck } from '../../engine/check.js';
import { notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'AZURE-CDB-002',
  title: 'Cosmos DB account must accept Entra identities only',
  severity: 'medium',
  category: 'identity',
  aliases: ['CKV_AZURE_140'],
  types: ['azurerm_cosmosdb_account'],
  fail: notTrue('local_authentication_disabled'),
  remediation: 'Set local_authentication_disabled = true.',
  failing: [{}, { local_authentication_disabled: false }],
  passing: [{ local_authentication_disabled: true }],
});
