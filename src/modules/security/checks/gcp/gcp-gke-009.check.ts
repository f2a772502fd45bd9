import { defineCheck } from '../../engine/check.js';
import { isTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'GCP-GKE-009',
  title: 'GKE cluster must not issue client certificates',
  severity: 'high',
  category: 'identity',
  aliases: ['AVD-GCP-0064', 'CKV_GCP_13'],
  types: ['google_container_cluster'],
  fail: isTrue('master_auth.0.client_certificate_config.0.issue_client_certificate'),
  remediation: 'Set issue_client_certificate = false in master_auth.client_certificate_config.',
  failing: [{ master_auth: [{ client_certificate_config: [{ issue_client_certificate: true }] }] }],
  passing: [{}, { master_auth: [{ client_certificate_config: [{ issue_client_certificate: false }] }] }],
});
