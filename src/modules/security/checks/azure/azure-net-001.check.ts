import { defineCheck, example } from '../../engine/check.js';
import {
  all,
  any,
  azurePorts,
  azureWorld,
  eqi,
  isInIgnoringCase,
  ofType,
  some,
} from '../../engine/condition.js';

const admitsSsh = all(
  eqi('access', 'allow'),
  eqi('direction', 'inbound'),
  isInIgnoringCase('protocol', ['tcp', '*']),
  azureWorld('source_address_prefix', 'source_address_prefixes'),
  azurePorts([22], 'destination_port_range', 'destination_port_ranges'),
);

export default defineCheck({
  id: 'AZURE-NET-001',
  title: 'Network security group must not admit SSH from every address',
  severity: 'critical',
  category: 'network-exposure',
  exposure: true,
  aliases: ['AVD-AZU-0050', 'CKV_AZURE_10'],
  types: ['azurerm_network_security_group', 'azurerm_network_security_rule'],
  fail: any(some('security_rule', admitsSsh), all(ofType('azurerm_network_security_rule'), admitsSsh)),
  remediation:
    'Narrow source_address_prefix of the rule to known networks, or remove port 22 from destination_port_range.',
  failing: [
    {
      security_rule: [
        {
          access: 'Allow',
          direction: 'Inbound',
          protocol: 'Tcp',
          source_address_prefix: '*',
          destination_port_range: '20-30',
        },
      ],
    },
    example({
      type: 'azurerm_network_security_rule',
      attributes: {
        access: 'Allow',
        direction: 'Inbound',
        protocol: '*',
        source_address_prefixes: ['Internet'],
        destination_port_ranges: ['443', '22'],
      },
    }),
  ],
  passing: [
    {},
    example({
      type: 'azurerm_network_security_rule',
      attributes: {
        access: 'Allow',
        direction: 'Inbound',
        protocol: 'Tcp',
        source_address_prefix: '10.0.0.0/8',
        destination_port_range: '22',
      },
    }),
  ],
});
