import { defineCheck } from '../../engine/check.js';
import { isTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'AZURE-APP-006',
  title: 'Web or function app must not have remote debugging enabled',
  severity: 'medium',
  category: 'hardening',
  aliases: ['CKV_AZURE_72'],
  types: [
    'azurerm_app_service',
    'azurerm_linux_web_app',
    'azurerm_windows_web_app',
    'azurerm_app_service_slot',
    'azurerm_linux_web_app_slot',
    'azurerm_windows_web_app_slot',
    'azurerm_function_app',
    'azurerm_linux_function_app',
    'azurerm_windows_function_app',
    'azurerm_function_app_slot',
    'azurerm_linux_function_app_slot',
    'azurerm_windows_function_app_slot',
  ],
  fail: isTrue('site_config.0.remote_debugging_enabled'),
  remediation: 'Set remote_debugging_enabled = false in site_config.',
  failing: [{ site_config: [{ remote_debugging_enabled: true }] }],
  passing: [{}, { site_config: [{ remote_debugging_enabled: false }] }],
});
