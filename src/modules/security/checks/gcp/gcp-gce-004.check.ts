import { defineCheck } from '../../engine/check.js';
import { truthy } from '../../engine/condition.js';

export default defineCheck({
  id: 'GCP-GCE-004',
  title: 'Compute instance must not enable the serial port',
  severity: 'medium',
  category: 'hardening',
  aliases: ['AVD-GCP-0032', 'CKV_GCP_35'],
  types: [
    'google_compute_instance',
    'google_compute_instance_template',
    'google_compute_instance_from_template',
  ],
  fail: truthy('metadata.serial-port-enable'),
  remediation: 'Set serial-port-enable = "false" in metadata, or remove the entry.',
  failing: [{ metadata: { 'serial-port-enable': 'true' } }],
  passing: [{}, { metadata: { 'serial-port-enable': 'false' } }],
});
