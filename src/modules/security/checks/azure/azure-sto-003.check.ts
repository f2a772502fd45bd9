import { defineCheck } from '../../engine/check.js';
import { isIn } from '../../engine/condition.js';

export default defineCheck({
  id: 'AZURE-STO-003',
  title: 'Storage container must not be public',
  severity: 'high',
  category: 'public-access',
  exposure: true,
  aliases: ['AVD-AZU-0007', 'CKV_AZURE_34'],
  types: ['azurerm_storage_container'],
  fail: isIn('container_access_type', ['blob', 'container']),
  remediation: 'Set container_access_type = "private".',
  failing: [{ container_access_type: 'blob' }, { container_access_type: 'container' }],
  passing: [{ container_access_type: 'private' }, {}],
});
