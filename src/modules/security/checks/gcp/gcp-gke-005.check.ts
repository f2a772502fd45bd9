import { defineCheck } from '../../engine/check.js';
import { eq } from '../../engine/condition.js';

export default defineCheck({
  id: 'GCP-GKE-005',
  title: 'GKE cluster logging is disabled',
  severity: 'low',
  category: 'logging',
  aliases: ['AVD-GCP-0060', 'CKV_GCP_1'],
  types: ['google_container_cluster'],
  fail: eq('logging_service', 'none'),
  remediation: 'Change logging_service from "none".',
  failing: [{ logging_service: 'none' }],
  passing: [{}, { logging_service: 'other' }],
});
