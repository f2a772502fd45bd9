import { defineCheck } from '../../engine/check.js';
import { isEmpty } from '../../engine/condition.js';

export default defineCheck({
  id: 'GCP-GCS-005',
  title: 'Storage bucket access logging is disabled',
  severity: 'low',
  category: 'logging',
  aliases: ['AVD-GCP-0077', 'CKV_GCP_62'],
  types: ['google_storage_bucket'],
  fail: isEmpty('logging'),
  remediation: 'Set logging.',
  failing: [{}],
  passing: [{ logging: [{}] }, { logging: 'value' }],
});
