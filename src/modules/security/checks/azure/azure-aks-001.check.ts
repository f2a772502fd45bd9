import { defineCheck } from '../../engine/check.js';
import { any, isFalse } from '../../engine/condition.js';

export default defineCheck({
  id: 'AZURE-AKS-001',
  title: 'AKS cluster must use role-based access control',
  severity: 'high',
  category: 'identity',
  aliases: ['AVD-AZU-0042', 'CKV_AZURE_5'],
  types: ['azurerm_kubernetes_cluster'],
  fail: any(isFalse('role_based_access_control_enabled'), isFalse('role_based_access_control.0.enabled')),
  remediation: 'Set role_based_access_control_enabled = true.',
  failing: [
    { role_based_access_control_enabled: false },
    { role_based_access_control: [{ enabled: false }] },
  ],
  passing: [
    { role_based_access_control_enabled: true, role_based_access_control: [{ enabled: true }] },
    { role_based_access_control_enabled: true },
  ],
});
