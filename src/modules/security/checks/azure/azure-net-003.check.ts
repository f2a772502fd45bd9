import { defineCheck } from '../../engine/check.js';
import { all, azureWorld, eqi } from '../../engine/condition.js';

export default defineCheck({
  id: 'AZURE-NET-003',
  title: 'Network security rule must not admit every address',
  severity: 'critical',
  category: 'network-exposure',
  exposure: true,
  aliases: ['AVD-AZU-0047'],
  types: ['azurerm_network_security_rule'],
  fail: all(
    eqi('access', 'allow'),
    eqi('direction', 'inbound'),
    azureWorld('source_address_prefix', 'source_address_prefixes'),
  ),
  remediation: 'Narrow source_address_prefix to known networks.',
  failing: [
    { access: 'allow', direction: 'inbound', source_address_prefix: '*' },
    { access: 'allow', direction: 'inbound', source_address_prefixes: ['Internet'] },
  ],
  passing: [
    { direction: 'inbound', source_address_prefix: '*' },
    { direction: 'inbound', source_address_prefixes: ['Internet'] },
  ],
});
