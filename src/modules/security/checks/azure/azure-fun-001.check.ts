import { defineCheck } from '../../engine/check.js';
import { any, isFalse, notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'AZURE-FUN-001',
  title: 'Function app must require HTTPS',
  severity: 'critical',
  category: 'encryption-transit',
  aliases: ['AVD-AZU-0004', 'CKV_AZURE_70'],
  types: [
    'azurerm_function_app',
    'azurerm_linux_function_app',
    'azurerm_windows_function_app',
    'azurerm_function_app_slot',
    'azurerm_linux_function_app_slot',
    'azurerm_windows_function_app_slot',
  ],
  fail: any(notTrue('https_only'), isFalse('auth_settings_v2.0.require_https')),
  remediation: 'Set https_only = true, and require_https = true in auth_settings_v2 where the block stands.',
  failing: [{}, { https_only: false }, { https_only: true, auth_settings_v2: [{ require_https: false }] }],
  passing: [{ https_only: true }],
});
