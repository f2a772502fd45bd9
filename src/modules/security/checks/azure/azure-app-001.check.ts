import { defineCheck } from '../../engine/check.js';
import { notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'AZURE-APP-001',
  title: 'Web app must require HTTPS',
  severity: 'medium',
  category: 'encryption-transit',
  aliases: ['AVD-AZU-0072', 'CKV_AZURE_14'],
  types: [
    'azurerm_app_service',
    'azurerm_linux_web_app',
    'azurerm_windows_web_app',
    'azurerm_app_service_slot',
    'azurerm_linux_web_app_slot',
    'azurerm_windows_web_app_slot',
  ],
  fail: notTrue('https_only'),
  remediation: 'Set https_only = true.',
  failing: [{}, { https_only: false }],
  passing: [{ https_only: true }],
});
