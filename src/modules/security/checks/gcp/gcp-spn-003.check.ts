import { defineCheck } from '../../engine/check.js';
import { isFalse } from '../../engine/condition.js';

export default defineCheck({
  id: 'GCP-SPN-003',
  title: 'Spanner database must be protected against deletion by Terraform',
  severity: 'low',
  category: 'resilience',
  aliases: ['CKV_GCP_119'],
  types: ['google_spanner_database'],
  // Protected unless told otherwise.
  fail: isFalse('deletion_protection'),
  remediation: 'Set deletion_protection = true.',
  failing: [{ deletion_protection: false }],
  passing: [{}, { deletion_protection: true }],
});
