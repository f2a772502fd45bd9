import { defineCheck } from '../../engine/check.js';
import { contains, some } from '../../engine/condition.js';

export default defineCheck({
  id: 'AZURE-IAM-001',
  title: 'Custom role must not allow all actions',
  severity: 'medium',
  category: 'identity',
  aliases: ['AVD-AZU-0030', 'CKV_AZURE_39'],
  types: ['azurerm_role_definition'],
  fail: some('permissions', contains('actions', '*')),
  remediation: 'Replace "*" in actions of permissions by the needed actions.',
  failing: [{ permissions: [{ actions: ['*'] }] }, { permissions: [{ actions: '*' }] }],
  passing: [{}, { permissions: [{}] }],
});
