import { defineCheck } from '../../engine/check.js';
import { isEmpty } from '../../engine/condition.js';

export default defineCheck({
  id: 'GCP-PS-001',
  title: 'Pub/Sub topic must be encrypted with a customer managed key',
  severity: 'low',
  category: 'encryption',
  aliases: ['CKV_GCP_83'],
  types: ['google_pubsub_topic'],
  fail: isEmpty('kms_key_name'),
  remediation: 'Set kms_key_name to the name of a Cloud KMS key.',
  failing: [{}],
  passing: [{ kms_key_name: 'projects/p/locations/europe/keyRings/r/cryptoKeys/k' }],
});
