import { defineCheck } from '../../engine/check.js';
import { isEmpty } from '../../engine/condition.js';

export default defineCheck({
  id: 'AZURE-APP-003',
  title: 'Web app has no managed identity',
  severity: 'low',
  category: 'identity',
  aliases: ['AVD-AZU-0002', 'CKV_AZURE_71'],
  types: ['azurerm_app_service', 'azurerm_linux_web_app', 'azurerm_windows_web_app'],
  fail: isEmpty('identity.0.type'),
  remediation: 'Set identity.type.',
  failing: [{}],
  passing: [{ identity: [{ type: 'value' }] }],
});
