import { defineCheck } from '../../engine/check.js';
import { all, isEmpty, notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'AZURE-AGW-001',
  title: 'Application gateway must have a web application firewall',
  severity: 'medium',
  category: 'hardening',
  aliases: ['CKV_AZURE_120'],
  types: ['azurerm_application_gateway'],
  fail: all(notTrue('waf_configuration.0.enabled'), isEmpty('firewall_policy_id')),
  remediation: 'Set enabled = true in waf_configuration, or firewall_policy_id to the id of a policy.',
  failing: [{}, { waf_configuration: [{ enabled: false }] }],
  passing: [
    { waf_configuration: [{ enabled: true }] },
    {
      firewall_policy_id:
        '/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/applicationGatewayWebApplicationFirewallPolicies/a',
    },
  ],
});
