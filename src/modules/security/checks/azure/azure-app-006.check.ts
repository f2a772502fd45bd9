import { defineCheck } from '../../engine/check.js';
import { isTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'AZURE-APP-006',
  title: 'Web app remote debugging is enabled',
  severity: 'medium',
  category: 'hardening',
  aliases: ['CKV_AZURE_72'],
  types: ['azurerm_app_service', 'azurerm_linux_web_app', 'azurerm_windows_web_app'],
  fail: isTrue('site_config.0.remote_debugging_enabled'),
  remediation: 'Set site_config.remote_debugging_enabled = false.',
  failing: [{ site_config: [{ remote_debugging_enabled: true }] }],
  passing: [{}, { site_config: [{ remote_debugging_enabled: false }] }],
});
