import { defineCheck } from '../../engine/check.js';
import { isIn } from '../../engine/condition.js';

export default defineCheck({
  id: 'AZURE-DB-004',
  title: 'SQL server minimum TLS version is below 1.2',
  severity: 'medium',
  category: 'encryption-transit',
  aliases: ['AVD-AZU-0026', 'CKV_AZURE_52'],
  types: ['azurerm_mssql_server'],
  fail: isIn('minimum_tls_version', ['1.0', '1.1', 'Disabled']),
  remediation: 'Set minimum_tls_version to another value than "1.0", "1.1", "Disabled".',
  failing: [{ minimum_tls_version: '1.0' }, { minimum_tls_version: '1.1' }],
  passing: [{ minimum_tls_version: 'other' }, {}],
});
