import { defineCheck, example } from '../../engine/check.js';
import { any, isFalse } from '../../engine/condition.js';

export default defineCheck({
  id: 'AZURE-VM-001',
  title: 'Linux virtual machine must not allow password authentication',
  severity: 'high',
  category: 'hardening',
  aliases: ['AVD-AZU-0039', 'CKV_AZURE_149'],
  types: [
    'azurerm_linux_virtual_machine',
    'azurerm_linux_virtual_machine_scale_set',
    'azurerm_virtual_machine',
  ],
  fail: any(
    isFalse('disable_password_authentication'),
    isFalse('os_profile_linux_config.0.disable_password_authentication'),
  ),
  remediation:
    'Set disable_password_authentication = true (in os_profile_linux_config of azurerm_virtual_machine) and add an SSH key.',
  failing: [
    { disable_password_authentication: false },
    example({
      type: 'azurerm_virtual_machine',
      attributes: { os_profile_linux_config: [{ disable_password_authentication: false }] },
    }),
  ],
  passing: [{ disable_password_authentication: true }, {}],
});
