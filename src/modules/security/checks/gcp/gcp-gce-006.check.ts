import { defineCheck } from '../../engine/check.js';
import { falsy } from '../../engine/condition.js';

export default defineCheck({
  id: 'GCP-GCE-006',
  title: 'Compute instance must not switch OS Login off',
  severity: 'medium',
  category: 'hardening',
  aliases: ['AVD-GCP-0036', 'CKV_GCP_34'],
  types: [
    'google_compute_instance',
    'google_compute_instance_template',
    'google_compute_instance_from_template',
  ],
  fail: falsy('metadata.enable-oslogin'),
  remediation: 'Remove enable-oslogin from metadata, or set it to "true".',
  failing: [{ metadata: { 'enable-oslogin': 'false' } }],
  passing: [{}, { metadata: { 'enable-oslogin': 'true' } }],
});
