import { defineCheck } from '../../engine/check.js';
import { contains, some } from '../../engine/condition.js';

export default defineCheck({
  id: 'AZURE-IAM-001',
  title: 'Custom role definition allows all actions',
  severity: 'medium',
  category: 'identity',
  aliases: ['AVD-AZU-0030', 'CKV_AZURE_39'],
  types: ['azurerm_role_definition'],
  fail: some('permissions', contains('actions', '*')),
  remediation: 'Remove "*" from actions in permissions.',
  failing: [{ permissions: [{ actions: ['*'] }] }, { permissions: [{ actions: '*' }] }],
  passing: [{}, { permissions: [{}] }],
});
