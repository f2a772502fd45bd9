import { defineCheck } from '../../engine/check.js';
import { all, azureWorld, eqi } from '../../engine/condition.js';

export default defineCheck({
  id: 'AZURE-NET-004',
  title: 'Network security rule must not allow egress to every address',
  severity: 'low',
  category: 'network-exposure',
  aliases: ['AVD-AZU-0051'],
  types: ['azurerm_network_security_rule'],
  fail: all(
    eqi('access', 'allow'),
    eqi('direction', 'outbound'),
    azureWorld('destination_address_prefix', 'destination_address_prefixes'),
  ),
  remediation: 'Narrow destination_address_prefix to known networks.',
  failing: [
    { access: 'allow', direction: 'outbound', destination_address_prefix: '*' },
    { access: 'allow', direction: 'outbound', destination_address_prefixes: ['Internet'] },
  ],
  passing: [
    { direction: 'outbound', destination_address_prefix: '*' },
    { direction: 'outbound', destination_address_prefixes: ['Internet'] },
  ],
});
