import { defineCheck } from '../../engine/check.js';
import { notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'AZURE-KV-001',
  title: 'Key vault must have purge protection enabled',
  severity: 'medium',
  category: 'resilience',
  aliases: ['AVD-AZU-0016', 'CKV_AZURE_110'],
  types: ['azurerm_key_vault'],
  fail: notTrue('purge_protection_enabled'),
  remediation: 'Set purge_protection_enabled = true.',
  failing: [{}, { purge_protection_enabled: false }],
  passing: [{ purge_protection_enabled: true }],
});
