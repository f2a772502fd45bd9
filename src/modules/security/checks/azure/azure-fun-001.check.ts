import { defineCheck } from '../../engine/check.js';
import { notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'AZURE-FUN-001',
  title: 'Function app does not require HTTPS',
  severity: 'critical',
  category: 'encryption-transit',
  aliases: ['AVD-AZU-0004', 'CKV_AZURE_70'],
  types: ['azurerm_function_app', 'azurerm_linux_function_app', 'azurerm_windows_function_app'],
  fail: notTrue('https_only'),
  remediation: 'Set https_only = true.',
  failing: [{}, { https_only: false }],
  passing: [{ https_only: true }],
});
