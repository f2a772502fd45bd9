import { defineCheck } from '../../engine/check.js';
import { eq } from '../../engine/condition.js';

export default defineCheck({
  id: 'GCP-GKE-006',
  title: 'GKE cluster monitoring is disabled',
  severity: 'low',
  category: 'logging',
  aliases: ['AVD-GCP-0052', 'CKV_GCP_8'],
  types: ['google_container_cluster'],
  fail: eq('monitoring_service', 'none'),
  remediation: 'Change monitoring_service from "none".',
  failing: [{ monitoring_service: 'none' }],
  passing: [{}, { monitoring_service: 'other' }],
});
