import { defineCheck } from '../../engine/check.js';
import { isEmpty } from '../../engine/condition.js';

export default defineCheck({
  id: 'AZURE-APP-003',
  title: 'Web app must have a managed identity',
  severity: 'low',
  category: 'identity',
  aliases: ['AVD-AZU-0002', 'CKV_AZURE_71'],
  types: [
    'azurerm_app_service',
    'azurerm_linux_web_app',
    'azurerm_windows_web_app',
    'azurerm_app_service_slot',
    'azurerm_linux_web_app_slot',
    'azurerm_windows_web_app_slot',
  ],
  fail: isEmpty('identity.0.type'),
  remediation: 'Set type in identity to "SystemAssigned" or "UserAssigned".',
  failing: [{}],
  passing: [{ identity: [{ type: 'SecureString' }] }],
});
