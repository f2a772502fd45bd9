import { defineCheck } from '../../engine/check.js';
import { notEmpty, some } from '../../engine/condition.js';

export default defineCheck({
  id: 'AZURE-NET-005',
  title: 'Network interface must not have a public IP address',
  severity: 'medium',
  category: 'network-exposure',
  exposure: true,
  aliases: ['AVD-AZU-0076', 'CKV_AZURE_119'],
  types: ['azurerm_network_interface'],
  fail: some('ip_configuration', notEmpty('public_ip_address_id')),
  remediation: 'Remove public_ip_address_id from ip_configuration.',
  failing: [
    {
      ip_configuration: [
        {
          public_ip_address_id:
            '/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/publicIPAddresses/a',
        },
      ],
    },
  ],
  passing: [{}, { ip_configuration: [{}] }],
});
