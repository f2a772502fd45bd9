import { defineCheck } from '../../engine/check.js';
import { notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'GCP-GCS-004',
  title: 'Storage bucket must keep versions of its objects',
  severity: 'low',
  category: 'resilience',
  aliases: ['AVD-GCP-0078', 'CKV_GCP_78'],
  types: ['google_storage_bucket'],
  fail: notTrue('versioning.0.enabled'),
  remediation: 'Set enabled = true in versioning.',
  failing: [{}, { versioning: [{ enabled: false }] }],
  passing: [{ versioning: [{ enabled: true }] }],
});
