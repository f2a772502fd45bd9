import { defineCheck } from '../../engine/check.js';
import { any, isEmpty, matches, some } from '../../engine/condition.js';

export default defineCheck({
  id: 'GCP-GCE-002',
  title: 'Compute instance must not use the default service account',
  severity: 'critical',
  category: 'identity',
  aliases: ['AVD-GCP-0044', 'CKV_GCP_30'],
  types: [
    'google_compute_instance',
    'google_compute_instance_template',
    'google_compute_instance_from_template',
  ],
  fail: any(
    isEmpty('service_account'),
    some(
      'service_account',
      any(isEmpty('email'), matches('email', '-compute@developer\\.gserviceaccount\\.com$')),
    ),
  ),
  remediation: 'Set email in service_account to a service account of your own.',
  failing: [{}, { service_account: [{}] }],
  passing: [
    { service_account: [{ email: 'deploy@project.iam.gserviceaccount.com' }] },
    { service_account: [{ email: 'deploy@project.iam.gserviceaccount.com' }] },
  ],
});
