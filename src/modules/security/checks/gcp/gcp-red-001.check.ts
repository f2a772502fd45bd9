import { defineCheck } from '../../engine/check.js';
import { notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'GCP-RED-001',
  title: 'Memorystore instance must require authentication',
  severity: 'medium',
  category: 'identity',
  aliases: ['CKV_GCP_95'],
  types: ['google_redis_instance'],
  fail: notTrue('auth_enabled'),
  remediation: 'Set auth_enabled = true.',
  failing: [{}, { auth_enabled: false }],
  passing: [{ auth_enabled: true }],
});
