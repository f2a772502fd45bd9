import { defineCheck } from '../../engine/check.js';
import { isIn } from '../../engine/condition.js';

export default defineCheck({
  id: 'AZURE-RED-002',
  title: 'Redis cache must require TLS 1.2',
  severity: 'high',
  category: 'encryption-transit',
  aliases: ['CKV_AZURE_148'],
  types: ['azurerm_redis_cache'],
  fail: isIn('minimum_tls_version', [null, '', '1.0', '1.1']),
  remediation: 'Set minimum_tls_version = "1.2".',
  failing: [{}, { minimum_tls_version: '1.0' }],
  passing: [{ minimum_tls_version: '1.2' }],
});
