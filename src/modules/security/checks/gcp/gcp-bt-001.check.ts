import { defineCheck } from '../../engine/check.js';
import { isEmpty, some } from '../../engine/condition.js';

export default defineCheck({
  id: 'GCP-BT-001',
  title: 'Bigtable cluster must be encrypted with a customer managed key',
  severity: 'low',
  category: 'encryption',
  aliases: ['CKV_GCP_85'],
  types: ['google_bigtable_instance'],
  fail: some('cluster', isEmpty('kms_key_name')),
  remediation: 'Set kms_key_name in each cluster to the name of a Cloud KMS key.',
  failing: [{ cluster: [{}] }],
  passing: [{}, { cluster: [{ kms_key_name: 'projects/p/locations/europe/keyRings/r/cryptoKeys/k' }] }],
});
