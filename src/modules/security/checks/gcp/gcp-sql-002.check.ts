import { defineCheck } from '../../engine/check.js';
import { any, isEmpty, notFalse, some, world } from '../../engine/condition.js';

export default defineCheck({
  id: 'GCP-SQL-002',
  title: 'Cloud SQL instance must not have a public IP address',
  severity: 'high',
  category: 'network-exposure',
  exposure: true,
  aliases: ['AVD-GCP-0017', 'CKV_GCP_60'],
  types: ['google_sql_database_instance'],
  fail: any(
    isEmpty('settings.0.ip_configuration'),
    notFalse('settings.0.ip_configuration.0.ipv4_enabled'),
    some('settings.0.ip_configuration.0.authorized_networks', world('value')),
  ),
  remediation: 'Set ipv4_enabled = false and private_network in settings.ip_configuration.',
  failing: [{}, { settings: [{ ip_configuration: [{ ipv4_enabled: true }] }] }],
  passing: [
    {
      settings: [
        {
          ip_configuration: [
            { ipv4_enabled: false, authorized_networks: [{ value: '10.0.0.0/8' }, { value: '10.0.0.0/8' }] },
          ],
        },
      ],
    },
    {
      settings: [
        {
          ip_configuration: [
            {
              ipv4_enabled: false,
              authorized_networks: [
                { value: '10.0.0.0/8' },
                { value: '10.0.0.0/8' },
                { value: '10.0.0.0/8' },
              ],
            },
          ],
        },
      ],
    },
  ],
});
