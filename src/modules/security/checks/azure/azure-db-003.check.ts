import { defineCheck } from '../../engine/check.js';
import { all, isIn } from '../../engine/condition.js';

export default defineCheck({
  id: 'AZURE-DB-003',
  title: 'Database firewall must not admit every address',
  severity: 'high',
  category: 'network-exposure',
  exposure: true,
  aliases: ['AVD-AZU-0029', 'CKV_AZURE_11'],
  types: [
    'azurerm_mssql_firewall_rule',
    'azurerm_sql_firewall_rule',
    'azurerm_mysql_firewall_rule',
    'azurerm_postgresql_firewall_rule',
    'azurerm_mariadb_firewall_rule',
    'azurerm_mysql_flexible_server_firewall_rule',
    'azurerm_postgresql_flexible_server_firewall_rule',
    'azurerm_redis_firewall_rule',
  ],
  fail: all(
    isIn('start_ip_address', ['0.0.0.0', '0.0.0.0/0']),
    isIn('end_ip_address', ['255.255.255.255', '0.0.0.0/0']),
  ),
  remediation: 'Narrow start_ip_address and end_ip_address to a known range.',
  failing: [
    { start_ip_address: '0.0.0.0', end_ip_address: '255.255.255.255' },
    { start_ip_address: '0.0.0.0', end_ip_address: '0.0.0.0/0' },
  ],
  passing: [
    { start_ip_address: '203.0.113.7', end_ip_address: '255.255.255.255' },
    { start_ip_address: '203.0.113.7', end_ip_address: '0.0.0.0/0' },
  ],
});
