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

export default defineCheck({
  id: 'AZURE-NET-002',
  title: 'Network security group must not admit RDP from every address',
  severity: 'critical',
  category: 'network-exposure',
  exposure: true,
  aliases: ['AVD-AZU-0048', 'CKV_AZURE_9'],
  types: ['azurerm_network_security_group', 'azurerm_network_security_rule'],
  fail: any(
    some(
      'security_rule',
      all(
        eqi('access', 'allow'),
        eqi('direction', 'inbound'),
        isInIgnoringCase('protocol', ['tcp', '*']),
        azureWorld('source_address_prefix', 'source_address_prefixes'),
        azurePorts([3389], 'destination_port_range', 'destination_port_ranges'),
      ),
    ),
    all(
      ofType('azurerm_network_security_rule'),
      all(
        eqi('access', 'allow'),
        eqi('direction', 'inbound'),
        isInIgnoringCase('protocol', ['tcp', '*']),
        azureWorld('source_address_prefix', 'source_address_prefixes'),
        azurePorts([3389], 'destination_port_range', 'destination_port_ranges'),
      ),
    ),
  ),
  remediation:
    'Narrow source_address_prefix of the rule to known networks, or remove port 3389 from destination_port_range.',
  failing: [
    {
      security_rule: [
        {
          access: 'allow',
          direction: 'inbound',
          protocol: 'tcp',
          source_address_prefix: '*',
          destination_port_range: '3389',
        },
      ],
    },
    {
      security_rule: [
        {
          access: 'allow',
          direction: 'inbound',
          protocol: 'tcp',
          source_address_prefix: '*',
          destination_port_ranges: ['3389'],
        },
      ],
    },
    example({
      type: 'azurerm_network_security_rule',
      attributes: {
        access: 'allow',
        direction: 'inbound',
        protocol: 'tcp',
        source_address_prefix: '*',
        destination_port_range: '3389',
      },
    }),
  ],
  passing: [
    {
      access: 'allow',
      direction: 'inbound',
      protocol: 'tcp',
      source_address_prefix: '*',
      destination_port_range: '3389',
    },
    {
      access: 'allow',
      direction: 'inbound',
      protocol: 'tcp',
      source_address_prefix: '*',
      destination_port_ranges: ['3389'],
    },
    example({
      type: 'azurerm_network_security_rule',
      attributes: {
        direction: 'inbound',
        protocol: 'tcp',
        source_address_prefix: '*',
        destination_port_range: '3389',
      },
    }),
  ],
});
