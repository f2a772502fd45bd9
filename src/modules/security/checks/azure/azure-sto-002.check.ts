import { defineCheck } from '../../engine/check.js';
import { isIn } from '../../engine/condition.js';

export default defineCheck({
  id: 'AZURE-STO-002',
  title: 'Storage account must require TLS 1.2',
  severity: 'critical',
  category: 'encryption-transit',
  aliases: ['AVD-AZU-0011'],
  types: ['azurerm_storage_account'],
  fail: isIn('min_tls_version', ['TLS1_0', 'TLS1_1']),
  remediation: 'Set min_tls_version = "TLS1_2".',
  failing: [{ min_tls_version: 'TLS1_0' }, { min_tls_version: 'TLS1_1' }],
  passing: [{ min_tls_version: '1.2' }, {}],
});
