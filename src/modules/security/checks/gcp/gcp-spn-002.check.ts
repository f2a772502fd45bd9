import { defineCheck } from '../../engine/check.js';
import { isEmpty } from '../../engine/condition.js';

export default defineCheck({
  id: 'GCP-SPN-002',
  title: 'Spanner database must be encrypted with a customer managed key',
  severity: 'low',
  category: 'encryption',
  aliases: ['CKV_GCP_93'],
  types: ['google_spanner_database'],
  fail: isEmpty('encryption_config.0.kms_key_name'),
  remediation: 'Set kms_key_name in encryption_config to the name of a Cloud KMS key.',
  failing: [{}],
  passing: [{ encryption_config: [{ kms_key_name: 'projects/p/locations/europe/keyRings/r/cryptoKeys/k' }] }],
});
