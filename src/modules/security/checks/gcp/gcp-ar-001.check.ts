import { defineCheck } from '../../engine/check.js';
import { isEmpty } from '../../engine/condition.js';

export default defineCheck({
  id: 'GCP-AR-001',
  title: 'Artifact Registry repository must be encrypted with a customer managed key',
  severity: 'low',
  category: 'encryption',
  aliases: ['CKV_GCP_84'],
  types: ['google_artifact_registry_repository'],
  fail: isEmpty('kms_key_name'),
  remediation: 'Set kms_key_name to the name of a Cloud KMS key.',
  failing: [{}],
  passing: [{ kms_key_name: 'projects/p/locations/europe/keyRings/r/cryptoKeys/k' }],
});
