import { defineCheck, example } from '../../engine/check.js';
import { any, isIn } from '../../engine/condition.js';

export default defineCheck({
  id: 'AZURE-DB-004',
  title: 'Database server must require TLS 1.2',
  severity: 'medium',
  category: 'encryption-transit',
  aliases: ['AVD-AZU-0026', 'CKV_AZURE_52'],
  types: ['azurerm_mssql_server', 'azurerm_mysql_server', 'azurerm_postgresql_server'],
  fail: any(
    isIn('minimum_tls_version', ['1.0', '1.1', 'Disabled']),
    isIn('ssl_minimal_tls_version_enforced', ['TLS1_0', 'TLS1_1', 'TLSEnforcementDisabled']),
  ),
  remediation:
    'Set minimum_tls_version = "1.2" (ssl_minimal_tls_version_enforced = "TLS1_2" of MySQL and PostgreSQL servers).',
  failing: [
    { minimum_tls_version: '1.0' },
    { minimum_tls_version: '1.1' },
    example({
      type: 'azurerm_postgresql_server',
      attributes: { ssl_minimal_tls_version_enforced: 'TLS1_1' },
    }),
  ],
  passing: [{ minimum_tls_version: '1.2' }, {}],
});
