import { defineCheck } from '../../engine/check.js';
import { isTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'AZURE-ACR-001',
  title: 'Container registry must not have an admin account',
  severity: 'medium',
  category: 'identity',
  aliases: ['CKV_AZURE_137'],
  types: ['azurerm_container_registry'],
  fail: isTrue('admin_enabled'),
  remediation: 'Set admin_enabled = false.',
  failing: [{ admin_enabled: true }],
  passing: [{}, { admin_enabled: false }],
});
