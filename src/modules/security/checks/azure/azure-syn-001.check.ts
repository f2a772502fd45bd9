import { defineCheck } from '../../engine/check.js';
import { notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'AZURE-SYN-001',
  title: 'Synapse workspace must have a managed virtual network',
  severity: 'medium',
  category: 'network-exposure',
  aliases: ['AVD-AZU-0034', 'CKV_AZURE_58'],
  types: ['azurerm_synapse_workspace'],
  fail: notTrue('managed_virtual_network_enabled'),
  remediation: 'Set managed_virtual_network_enabled = true.',
  failing: [{}, { managed_virtual_network_enabled: false }],
  passing: [{ managed_virtual_network_enabled: true }],
});
