import { defineCheck } from '../../engine/check.js';
import { ne } from '../../engine/condition.js';

export default defineCheck({
  id: 'GCP-GCS-003',
  title: 'Storage bucket must enforce public access prevention',
  severity: 'medium',
  category: 'public-access',
  exposure: true,
  aliases: ['CKV_GCP_114'],
  types: ['google_storage_bucket'],
  fail: ne('public_access_prevention', 'enforced'),
  remediation: 'Set public_access_prevention = "enforced".',
  failing: [{}, { public_access_prevention: 'inherited' }],
  passing: [{ public_access_prevention: 'enforced' }],
});
