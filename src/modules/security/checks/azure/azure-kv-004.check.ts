import { defineCheck } from '../../engine/check.js';
import { isEmpty } from '../../engine/condition.js';

export default defineCheck({
  id: 'AZURE-KV-004',
  title: 'Key vault secret must expire',
  severity: 'low',
  category: 'hygiene',
  aliases: ['AVD-AZU-0017', 'CKV_AZURE_41'],
  types: ['azurerm_key_vault_secret'],
  fail: isEmpty('expiration_date'),
  remediation: 'Set expiration_date.',
  failing: [{}],
  passing: [{ expiration_date: '2030-01-01T00:00:00Z' }],
});
