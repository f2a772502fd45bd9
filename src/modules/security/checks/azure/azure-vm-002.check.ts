import { defineCheck } from '../../engine/check.js';
import { isFalse } from '../../engine/condition.js';

export default defineCheck({
  id: 'AZURE-VM-002',
  title: 'Managed disk must be encrypted',
  severity: 'high',
  category: 'encryption',
  aliases: ['AVD-AZU-0038', 'CKV_AZURE_2'],
  types: ['azurerm_managed_disk'],
  fail: isFalse('encryption_settings.0.enabled'),
  remediation: 'Set enabled = true in encryption_settings, or remove the block.',
  failing: [{ encryption_settings: [{ enabled: false }] }],
  passing: [{ encryption_settings: [{ enabled: true }] }, {}],
});
