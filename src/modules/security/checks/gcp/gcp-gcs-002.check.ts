import { defineCheck } from '../../engine/check.js';
import { notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'GCP-GCS-002',
  title: 'Storage bucket must use uniform bucket-level access',
  severity: 'medium',
  category: 'identity',
  aliases: ['AVD-GCP-0002', 'CKV_GCP_29'],
  types: ['google_storage_bucket'],
  fail: notTrue('uniform_bucket_level_access'),
  remediation: 'Set uniform_bucket_level_access = true.',
  failing: [{}, { uniform_bucket_level_access: false }],
  passing: [{ uniform_bucket_level_access: true }],
});
