import { defineCheck } from '../../engine/check.js';
import { isEmpty } from '../../engine/condition.js';

export default defineCheck({
  id: 'AZURE-KV-005',
  title: 'Key vault secret must have a content type',
  severity: 'low',
  category: 'hygiene',
  aliases: ['AVD-AZU-0015', 'CKV_AZURE_114'],
  types: ['azurerm_key_vault_secret'],
  fail: isEmpty('content_type'),
  remediation: 'Set content_type to what the secret is, such as "password".',
  failing: [{}],
  passing: [{ content_type: 'password' }],
});
