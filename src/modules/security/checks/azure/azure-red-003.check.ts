import { defineCheck } from '../../engine/check.js';
import { notFalse } from '../../engine/condition.js';

export default defineCheck({
  id: 'AZURE-RED-003',
  title: 'Redis cache must not be reachable over the public network',
  severity: 'medium',
  category: 'public-access',
  exposure: true,
  aliases: ['CKV_AZURE_89'],
  types: ['azurerm_redis_cache'],
  fail: notFalse('public_network_access_enabled'),
  remediation: 'Set public_network_access_enabled = false.',
  failing: [{}, { public_network_access_enabled: true }],
  passing: [{ public_network_access_enabled: false }],
});
