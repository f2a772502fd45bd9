import { defineCheck } from '../../engine/check.js';
import { any, isTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'AZURE-RED-001',
  title: 'Redis cache must not accept connections without TLS',
  severity: 'high',
  category: 'encryption-transit',
  aliases: ['CKV_AZURE_91'],
  types: ['azurerm_redis_cache'],
  fail: any(isTrue('enable_non_ssl_port'), isTrue('non_ssl_port_enabled')),
  remediation: 'Set non_ssl_port_enabled = false.',
  failing: [{ enable_non_ssl_port: true }, { non_ssl_port_enabled: true }],
  passing: [{}, { non_ssl_port_enabled: false }],
});
