import { defineCheck } from '../../engine/check.js';
import { isEmpty } from '../../engine/condition.js';

export default defineCheck({
  id: 'GCP-GCE-008',
  title: 'Disk is not encrypted with a customer managed key',
  severity: 'low',
  category: 'encryption',
  aliases: ['AVD-GCP-0034', 'CKV_GCP_37'],
  types: ['google_compute_disk'],
  fail: isEmpty('disk_encryption_key'),
  remediation: 'Set disk_encryption_key.',
  failing: [{}],
  passing: [{ disk_encryption_key: 'value' }],
});
