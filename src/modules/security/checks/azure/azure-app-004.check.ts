import { defineCheck, example } from '../../engine/check.js';
import { all, any, eq, isEmpty, ofType } from '../../engine/condition.js';

export default defineCheck({
  id: 'AZURE-APP-004',
  title: 'Web app must not accept plain FTP',
  severity: 'medium',
  category: 'encryption-transit',
  aliases: ['AVD-AZU-0071'],
  types: [
    'azurerm_app_service',
    'azurerm_linux_web_app',
    'azurerm_windows_web_app',
    'azurerm_app_service_slot',
    'azurerm_linux_web_app_slot',
    'azurerm_windows_web_app_slot',
  ],
  // The older resource types allow plain FTP unless told otherwise; the newer ones disable it.
  fail: any(
    eq('site_config.0.ftps_state', 'AllAllowed'),
    all(ofType('azurerm_app_service', 'azurerm_app_service_slot'), isEmpty('site_config.0.ftps_state')),
  ),
  remediation: 'Set ftps_state = "FtpsOnly" or "Disabled" in site_config.',
  failing: [{}, { site_config: [{ ftps_state: 'AllAllowed' }] }],
  passing: [
    { site_config: [{ ftps_state: 'FtpsOnly' }] },
    example({ type: 'azurerm_linux_web_app', attributes: { site_config: [{}] } }),
  ],
});
