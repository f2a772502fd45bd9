import { defineCheck } from '../../engine/check.js';
import { isEmpty, notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'GCP-SQL-004',
  title: 'Cloud SQL instance must make automatic backups',
  severity: 'medium',
  category: 'resilience',
  aliases: ['AVD-GCP-0024', 'CKV_GCP_14'],
  types: ['google_sql_database_instance'],
  when: isEmpty('master_instance_name'),
  fail: notTrue('settings.0.backup_configuration.0.enabled'),
  remediation: 'Set enabled = true in settings.backup_configuration.',
  failing: [{}, { settings: [{ backup_configuration: [{ enabled: false }] }] }],
  passing: [{ settings: [{ backup_configuration: [{ enabled: true }] }] }],
});
