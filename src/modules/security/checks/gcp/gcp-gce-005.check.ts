import { defineCheck } from '../../engine/check.js';
import { notTruthy } from '../../engine/condition.js';

export default defineCheck({
  id: 'GCP-GCE-005',
  title: 'Compute instance must block SSH keys of the project',
  severity: 'medium',
  category: 'hardening',
  aliases: ['AVD-GCP-0030', 'CKV_GCP_32'],
  types: [
    'google_compute_instance',
    'google_compute_instance_template',
    'google_compute_instance_from_template',
  ],
  fail: notTruthy('metadata.block-project-ssh-keys'),
  remediation: 'Set block-project-ssh-keys = "true" in metadata.',
  failing: [{}, { metadata: { 'block-project-ssh-keys': 'false' } }],
  passing: [{ metadata: { 'block-project-ssh-keys': 'TRUE' } }],
});
