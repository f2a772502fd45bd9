import { defineCheck } from '../../engine/check.js';
import { ne } from '../../engine/condition.js';

export default defineCheck({
  id: 'GCP-RED-002',
  title: 'Memorystore instance must be encrypted in transit',
  severity: 'medium',
  category: 'encryption-transit',
  aliases: ['CKV_GCP_97'],
  types: ['google_redis_instance'],
  fail: ne('transit_encryption_mode', 'SERVER_AUTHENTICATION'),
  remediation: 'Set transit_encryption_mode = "SERVER_AUTHENTICATION".',
  failing: [{}, { transit_encryption_mode: 'DISABLED' }],
  passing: [{ transit_encryption_mode: 'SERVER_AUTHENTICATION' }],
});
