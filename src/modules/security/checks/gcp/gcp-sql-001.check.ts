import { defineCheck } from '../../engine/check.js';
import { some, world } from '../../engine/condition.js';

export default defineCheck({
  id: 'GCP-SQL-001',
  title: 'Cloud SQL instance must not admit every address',
  severity: 'high',
  category: 'network-exposure',
  exposure: true,
  aliases: ['CKV_GCP_11'],
  types: ['google_sql_database_instance'],
  fail: some('settings.0.ip_configuration.0.authorized_networks', world('value')),
  remediation: 'Narrow value of authorized_networks in settings.ip_configuration to known networks.',
  failing: [{ settings: [{ ip_configuration: [{ authorized_networks: [{ value: '0.0.0.0/0' }] }] }] }],
  passing: [{}, { settings: [{ ip_configuration: [{ authorized_networks: [{ value: '10.0.0.0/8' }] }] }] }],
});
