import { defineCheck } from '../../engine/check.js';
import { notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'AZURE-AKS-006',
  title: 'AKS cluster must not have local accounts',
  severity: 'medium',
  category: 'identity',
  aliases: ['CKV_AZURE_141'],
  types: ['azurerm_kubernetes_cluster'],
  fail: notTrue('local_account_disabled'),
  remediation: 'Set local_account_disabled = true.',
  failing: [{}, { local_account_disabled: false }],
  passing: [{ local_account_disabled: true }],
});
