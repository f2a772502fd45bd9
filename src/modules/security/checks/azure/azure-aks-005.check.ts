import { defineCheck } from '../../engine/check.js';
import { all, isEmpty, notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'AZURE-AKS-005',
  title: 'AKS cluster must send its logs to a workspace',
  severity: 'medium',
  category: 'logging',
  aliases: ['AVD-AZU-0040'],
  types: ['azurerm_kubernetes_cluster'],
  fail: all(isEmpty('oms_agent'), notTrue('addon_profile.0.oms_agent.0.enabled')),
  remediation: 'Add an oms_agent block with log_analytics_workspace_id.',
  failing: [{}, { addon_profile: [{ oms_agent: [{ enabled: false }] }] }],
  passing: [{ oms_agent: [{}] }, { oms_agent: [{}], addon_profile: [{ oms_agent: [{ enabled: false }] }] }],
});
