import { defineCheck } from '../../engine/check.js';
import { any, isIn } from '../../engine/condition.js';

export default defineCheck({
  id: 'AZURE-APP-002',
  title: 'Web app must require TLS 1.2',
  severity: 'high',
  category: 'encryption-transit',
  aliases: ['AVD-AZU-0006', 'CKV_AZURE_15'],
  types: [
    'azurerm_app_service',
    'azurerm_linux_web_app',
    'azurerm_windows_web_app',
    'azurerm_app_service_slot',
    'azurerm_linux_web_app_slot',
    'azurerm_windows_web_app_slot',
  ],
  fail: any(
    isIn('site_config.0.min_tls_version', ['1.0', '1.1', 1, 1.1]),
    isIn('site_config.0.minimum_tls_version', ['1.0', '1.1', 1, 1.1]),
  ),
  remediation: 'Set minimum_tls_version = "1.2" in site_config (min_tls_version of azurerm_app_service).',
  failing: [{ site_config: [{ min_tls_version: '1.0' }] }, { site_config: [{ min_tls_version: '1.1' }] }],
  passing: [
    { site_config: [{ min_tls_version: '1.2', minimum_tls_version: '1.2' }] },
    { site_config: [{ min_tls_version: '1.2' }] },
  ],
});
