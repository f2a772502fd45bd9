import { defineCheck } from '../../engine/check.js';
import { isEmpty } from '../../engine/condition.js';

export default defineCheck({
  id: 'GCP-SPN-002',
  title: 'Spanner database is not encrypted with a customer managed key',
  severity: 'low',
  category: 'encryption',
  aliases: ['CKV_GCP_93'],
  types: ['google_spanner_database'],
  fail: isEmpty('encryption_config.0.kms_key_name'),
  remediation: 'Set encryption_config.kms_key_name.',
  failing: [{}],
  passing: [{ encryption_config: [{ kms_key_name: 'value' }] }],
});
