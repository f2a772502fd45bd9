import { defineCheck } from '../../engine/check.js';
import { notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'GCP-SPN-001',
  title: 'Spanner database must be protected against being dropped',
  severity: 'medium',
  category: 'resilience',
  aliases: ['CKV_GCP_120'],
  types: ['google_spanner_database'],
  fail: notTrue('enable_drop_protection'),
  remediation: 'Set enable_drop_protection = true.',
  failing: [{}, { enable_drop_protection: false }],
  passing: [{ enable_drop_protection: true }],
});
