import { defineCheck } from '../../engine/check.js';
import { notFalse } from '../../engine/condition.js';

export default defineCheck({
  id: 'AZURE-DB-001',
  title: 'Database server must not be reachable over the public network',
  severity: 'medium',
  category: 'network-exposure',
  exposure: true,
  aliases: ['AVD-AZU-0022', 'CKV_AZURE_113', 'CKV_AZURE_53', 'CKV_AZURE_68', 'CKV_AZURE_48'],
  types: [
    'azurerm_mssql_server',
    'azurerm_mysql_server',
    'azurerm_postgresql_server',
    'azurerm_mariadb_server',
  ],
  fail: notFalse('public_network_access_enabled'),
  remediation: 'Set public_network_access_enabled = false.',
  failing: [{}, { public_network_access_enabled: true }],
  passing: [{ public_network_access_enabled: false }],
});
