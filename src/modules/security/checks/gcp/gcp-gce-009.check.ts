import { defineCheck } from '../../engine/check.js';
import { ne } from '../../engine/condition.js';

export default defineCheck({
  id: 'GCP-GCE-009',
  title: 'SSL policy allows outdated TLS',
  severity: 'critical',
  category: 'encryption-transit',
  aliases: ['AVD-GCP-0039'],
  types: ['google_compute_ssl_policy'],
  fail: ne('min_tls_version', 'TLS_1_2'),
  remediation: 'Set min_tls_version = "TLS_1_2".',
  failing: [{}, { min_tls_version: 'other' }],
  passing: [{ min_tls_version: 'TLS_1_2' }],
});
