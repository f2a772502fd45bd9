import { defineCheck } from '../../engine/check.js';
import { isFalse } from '../../engine/condition.js';

export default defineCheck({
  id: 'AZURE-VM-001',
  title: 'Linux VM allows password authentication',
  severity: 'high',
  category: 'hardening',
  aliases: ['AVD-AZU-0039', 'CKV_AZURE_149'],
  types: ['azurerm_linux_virtual_machine', 'azurerm_linux_virtual_machine_scale_set'],
  fail: isFalse('disable_password_authentication'),
  remediation: 'Set disable_password_authentication = true.',
  failing: [{ disable_password_authentication: false }],
  passing: [{ disable_password_authentication: true }, {}],
});
