import { defineCheck } from '../../engine/check.js';
import { notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'AZURE-DB-002',
  title: 'Database server must require SSL connections',
  severity: 'medium',
  category: 'encryption-transit',
  aliases: ['AVD-AZU-0020', 'CKV_AZURE_28', 'CKV_AZURE_29', 'CKV_AZURE_47'],
  types: ['azurerm_mysql_server', 'azurerm_postgresql_server', 'azurerm_mariadb_server'],
  fail: notTrue('ssl_enforcement_enabled'),
  remediation: 'Set ssl_enforcement_enabled = true.',
  failing: [{}, { ssl_enforcement_enabled: false }],
  passing: [{ ssl_enforcement_enabled: true }],
});
