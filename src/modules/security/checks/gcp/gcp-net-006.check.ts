import { defineCheck } from '../../engine/check.js';
import { isEmpty, notIn } from '../../engine/condition.js';

export default defineCheck({
  id: 'GCP-NET-006',
  title: 'Subnetwork must have flow logs enabled',
  severity: 'low',
  category: 'logging',
  aliases: ['AVD-GCP-0029', 'CKV_GCP_26'],
  types: ['google_compute_subnetwork'],
  when: notIn('purpose', ['INTERNAL_HTTPS_LOAD_BALANCER', 'REGIONAL_MANAGED_PROXY', 'GLOBAL_MANAGED_PROXY']),
  fail: isEmpty('log_config'),
  remediation: 'Add a log_config block.',
  failing: [{}, { purpose: 'PRIVATE' }],
  passing: [{ log_config: [{}] }, { log_config: [{ flow_sampling: 0.5 }] }],
});
