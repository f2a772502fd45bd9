import { defineCheck } from '../../engine/check.js';
import { any, holdsSecret } from '../../engine/condition.js';

export default defineCheck({
  id: 'AZURE-VM-003',
  title: 'Custom data of a virtual machine must not contain credentials',
  severity: 'critical',
  category: 'secrets',
  aliases: ['AVD-AZU-0037', 'CKV_AZURE_45'],
  types: ['azurerm_virtual_machine', 'azurerm_linux_virtual_machine', 'azurerm_windows_virtual_machine'],
  fail: any(holdsSecret('os_profile.0.custom_data'), holdsSecret('custom_data', { base64: true })),
  remediation: 'Remove the credential from custom_data and read it from a key vault with a managed identity.',
  failing: [
    { os_profile: [{ custom_data: 'export DB_PASSWORD="SomeSortOfPassword"' }] },
    { custom_data: 'ZXhwb3J0IERCX1BBU1NXT1JEPSJTb21lU29ydE9mUGFzc3dvcmQi' },
  ],
  passing: [{}, { custom_data: 'hello' }],
});
