import { defineCheck } from '../../engine/check.js';
import { isEmpty } from '../../engine/condition.js';

export default defineCheck({
  id: 'AZURE-KV-003',
  title: 'Key vault key must expire',
  severity: 'medium',
  category: 'hygiene',
  aliases: ['AVD-AZU-0014', 'CKV_AZURE_40'],
  types: ['azurerm_key_vault_key'],
  fail: isEmpty('expiration_date'),
  remediation: 'Set expiration_date.',
  failing: [{}],
  passing: [{ expiration_date: '2030-01-01T00:00:00Z' }],
});
