import { defineCheck } from '../../engine/check.js';
import { isIn } from '../../engine/condition.js';

export default defineCheck({
  id: 'GCP-GKE-006',
  title: 'GKE cluster must have monitoring enabled',
  severity: 'low',
  category: 'logging',
  aliases: ['AVD-GCP-0052', 'CKV_GCP_8'],
  types: ['google_container_cluster'],
  fail: isIn('monitoring_service', ['none', 'monitoring.googleapis.com']),
  remediation: 'Set monitoring_service = "monitoring.googleapis.com/kubernetes".',
  failing: [{ monitoring_service: 'none' }, { monitoring_service: 'monitoring.googleapis.com' }],
  passing: [{}, { monitoring_service: 'monitoring.googleapis.com/kubernetes' }],
});
