import { defineCheck } from '../../engine/check.js';
import { contains } from '../../engine/condition.js';

export default defineCheck({
  id: 'AZURE-APP-005',
  title: 'Web app must not accept requests from every origin',
  severity: 'medium',
  category: 'hardening',
  aliases: ['CKV_AZURE_57'],
  types: [
    'azurerm_app_service',
    'azurerm_linux_web_app',
    'azurerm_windows_web_app',
    'azurerm_app_service_slot',
    'azurerm_linux_web_app_slot',
    'azurerm_windows_web_app_slot',
  ],
  fail: contains('site_config.0.cors.0.allowed_origins', '*'),
  remediation: 'Replace "*" in allowed_origins of site_config.cors by the origins that need access.',
  failing: [
    { site_config: [{ cors: [{ allowed_origins: ['*'] }] }] },
    { site_config: [{ cors: [{ allowed_origins: '*' }] }] },
  ],
  passing: [{}, { site_config: [{ cors: [{ allowed_origins: ['other'] }] }] }],
});
