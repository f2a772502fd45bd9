import { defineCheck } from '../../engine/check.js';
import { notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'AZURE-AKS-004',
  title: 'AKS cluster must be private',
  severity: 'medium',
  category: 'network-exposure',
  exposure: true,
  aliases: ['AVD-AZU-0065', 'CKV_AZURE_115'],
  types: ['azurerm_kubernetes_cluster'],
  fail: notTrue('private_cluster_enabled'),
  remediation: 'Set private_cluster_enabled = true.',
  failing: [{}, { private_cluster_enabled: false }],
  passing: [{ private_cluster_enabled: true }],
});
