import { defineCheck } from '../../engine/check.js';
import { notFalse } from '../../engine/condition.js';

export default defineCheck({
  id: 'AZURE-SB-002',
  title: 'Service Bus namespace must accept Entra identities only',
  severity: 'medium',
  category: 'identity',
  aliases: ['CKV_AZURE_203'],
  types: ['azurerm_servicebus_namespace'],
  fail: notFalse('local_auth_enabled'),
  remediation: 'Set local_auth_enabled = false.',
  failing: [{}, { local_auth_enabled: true }],
  passing: [{ local_auth_enabled: false }],
});
