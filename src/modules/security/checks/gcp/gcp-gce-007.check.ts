import { defineCheck } from '../../engine/check.js';
import { any, isEmpty, isFalse } from '../../engine/condition.js';

export default defineCheck({
  id: 'GCP-GCE-007',
  title: 'Compute instance must be a shielded VM',
  severity: 'medium',
  category: 'hardening',
  aliases: ['AVD-GCP-0041', 'AVD-GCP-0045', 'CKV_GCP_39'],
  types: [
    'google_compute_instance',
    'google_compute_instance_template',
    'google_compute_instance_from_template',
  ],
  fail: any(
    isEmpty('shielded_instance_config'),
    isFalse('shielded_instance_config.0.enable_vtpm'),
    isFalse('shielded_instance_config.0.enable_integrity_monitoring'),
  ),
  remediation:
    'Add a shielded_instance_config block with enable_vtpm = true and enable_integrity_monitoring = true.',
  failing: [{}, { shielded_instance_config: [{ enable_vtpm: false }] }],
  passing: [
    { shielded_instance_config: [{ enable_vtpm: true, enable_integrity_monitoring: true }] },
    { shielded_instance_config: [{ enable_vtpm: true }] },
  ],
});
