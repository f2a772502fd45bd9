import { defineCheck } from '../../engine/check.js';
import { isEmpty } from '../../engine/condition.js';

export default defineCheck({
  id: 'GCP-GCS-005',
  title: 'Storage bucket must write access logs',
  severity: 'low',
  category: 'logging',
  aliases: ['AVD-GCP-0077', 'CKV_GCP_62'],
  types: ['google_storage_bucket'],
  fail: isEmpty('logging'),
  remediation: 'Add a logging block with log_bucket.',
  failing: [{}],
  passing: [{ logging: [{}] }, { logging: [{ log_bucket: 'logs' }] }],
});
