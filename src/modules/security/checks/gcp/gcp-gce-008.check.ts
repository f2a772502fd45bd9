import { defineCheck } from '../../engine/check.js';
import { isEmpty } from '../../engine/condition.js';

export default defineCheck({
  id: 'GCP-GCE-008',
  title: 'Disk must be encrypted with a customer managed key',
  severity: 'low',
  category: 'encryption',
  aliases: ['AVD-GCP-0034', 'CKV_GCP_37'],
  types: ['google_compute_disk'],
  fail: isEmpty('disk_encryption_key'),
  remediation: 'Add a disk_encryption_key block with kms_key_self_link.',
  failing: [{}],
  passing: [
    { disk_encryption_key: [{ kms_key_self_link: 'projects/p/locations/europe/keyRings/r/cryptoKeys/k' }] },
  ],
});
