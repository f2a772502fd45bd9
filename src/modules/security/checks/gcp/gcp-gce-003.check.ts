import { defineCheck } from '../../engine/check.js';
import { isTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'GCP-GCE-003',
  title: 'Compute instance must not forward IP traffic',
  severity: 'high',
  category: 'hardening',
  aliases: ['AVD-GCP-0043', 'CKV_GCP_36'],
  types: [
    'google_compute_instance',
    'google_compute_instance_template',
    'google_compute_instance_from_template',
  ],
  fail: isTrue('can_ip_forward'),
  remediation: 'Set can_ip_forward = false.',
  failing: [{ can_ip_forward: true }],
  passing: [{}, { can_ip_forward: false }],
});
