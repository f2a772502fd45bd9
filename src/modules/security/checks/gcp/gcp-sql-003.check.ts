import { defineCheck } from '../../engine/check.js';
import { all, notIn, notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'GCP-SQL-003',
  title: 'Cloud SQL instance must require SSL connections',
  severity: 'high',
  category: 'encryption-transit',
  aliases: ['AVD-GCP-0015'],
  types: ['google_sql_database_instance'],
  fail: all(
    notTrue('settings.0.ip_configuration.0.require_ssl'),
    notIn('settings.0.ip_configuration.0.ssl_mode', [
      'ENCRYPTED_ONLY',
      'TRUSTED_CLIENT_CERTIFICATE_REQUIRED',
    ]),
  ),
  remediation:
    'Set ssl_mode = "ENCRYPTED_ONLY" in settings.ip_configuration (require_ssl = true with older providers).',
  failing: [{}, { settings: [{ ip_configuration: [{ ssl_mode: 'ALLOW_UNENCRYPTED_AND_ENCRYPTED' }] }] }],
  passing: [
    { settings: [{ ip_configuration: [{ require_ssl: true }] }] },
    { settings: [{ ip_configuration: [{ require_ssl: true, ssl_mode: 'ENCRYPTED_ONLY' }] }] },
  ],
});
