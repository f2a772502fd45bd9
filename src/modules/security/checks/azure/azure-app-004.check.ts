import { defineCheck } from '../../engine/check.js';
import { eq } from '../../engine/condition.js';

export default defineCheck({
  id: 'AZURE-APP-004',
  title: 'Web app allows plain FTP',
  severity: 'medium',
  category: 'encryption-transit',
  aliases: ['AVD-AZU-0071'],
  types: ['azurerm_app_service', 'azurerm_linux_web_app', 'azurerm_windows_web_app'],
  fail: eq('site_config.0.ftps_state', 'AllAllowed'),
  remediation: 'Change site_config.ftps_state from "AllAllowed".',
  failing: [{ site_config: [{ ftps_state: 'AllAllowed' }] }],
  passing: [{}, { site_config: [{ ftps_state: 'other' }] }],
});
