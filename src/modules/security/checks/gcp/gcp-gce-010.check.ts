import { defineCheck } from '../../engine/check.js';
import { notTruthy } from '../../engine/condition.js';

export default defineCheck({
  id: 'GCP-GCE-010',
  title: 'Project metadata must enable OS Login',
  severity: 'medium',
  category: 'hardening',
  aliases: ['AVD-GCP-0042', 'CKV_GCP_33'],
  types: ['google_compute_project_metadata'],
  fail: notTruthy('metadata.enable-oslogin'),
  remediation: 'Set enable-oslogin = "true" in metadata.',
  failing: [{}, { metadata: { 'enable-oslogin': 'false' } }],
  passing: [{ metadata: { 'enable-oslogin': 'TRUE' } }],
});
