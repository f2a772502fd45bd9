import { defineCheck } from '../../engine/check.js';
import { isIn } from '../../engine/condition.js';

export default defineCheck({
  id: 'GCP-GKE-005',
  title: 'GKE cluster must have logging enabled',
  severity: 'low',
  category: 'logging',
  aliases: ['AVD-GCP-0060', 'CKV_GCP_1'],
  types: ['google_container_cluster'],
  fail: isIn('logging_service', ['none', 'logging.googleapis.com']),
  remediation: 'Set logging_service = "logging.googleapis.com/kubernetes".',
  failing: [{ logging_service: 'none' }, { logging_service: 'logging.googleapis.com' }],
  passing: [{}, { logging_service: 'logging.googleapis.com/kubernetes' }],
});
