import { defineCheck } from '../../engine/check.js';
import { notIn } from '../../engine/condition.js';

export default defineCheck({
  id: 'GCP-GCE-009',
  title: 'SSL policy must require TLS 1.2',
  severity: 'critical',
  category: 'encryption-transit',
  aliases: ['AVD-GCP-0039'],
  types: ['google_compute_ssl_policy'],
  fail: notIn('min_tls_version', ['TLS_1_2', 'TLS_1_3']),
  remediation: 'Set min_tls_version = "TLS_1_2".',
  failing: [{}, { min_tls_version: 'TLS_1_1' }],
  passing: [{ min_tls_version: 'TLS_1_2' }, { min_tls_version: 'TLS_1_3' }],
});
