import { defineCheck } from '../../engine/check.js';
import { isIn } from '../../engine/condition.js';

export default defineCheck({
  id: 'AZURE-SB-003',
  title: 'Service Bus namespace must require TLS 1.2',
  severity: 'medium',
  category: 'encryption-transit',
  aliases: ['CKV_AZURE_205'],
  types: ['azurerm_servicebus_namespace'],
  fail: isIn('minimum_tls_version', ['1.0', '1.1']),
  remediation: 'Set minimum_tls_version = "1.2".',
  failing: [{ minimum_tls_version: '1.0' }, { minimum_tls_version: '1.1' }],
  passing: [{ minimum_tls_version: '1.2' }, {}],
});
