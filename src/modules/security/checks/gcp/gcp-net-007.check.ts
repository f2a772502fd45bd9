import { defineCheck } from '../../engine/check.js';
import { notIn, notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'GCP-NET-007',
  title: 'Subnetwork must have Private Google Access enabled',
  severity: 'low',
  category: 'hardening',
  aliases: ['AVD-GCP-0075', 'CKV_GCP_74'],
  types: ['google_compute_subnetwork'],
  when: notIn('purpose', ['INTERNAL_HTTPS_LOAD_BALANCER', 'REGIONAL_MANAGED_PROXY', 'GLOBAL_MANAGED_PROXY']),
  fail: notTrue('private_ip_google_access'),
  remediation: 'Set private_ip_google_access = true.',
  failing: [{}, { private_ip_google_access: false }],
  passing: [{ private_ip_google_access: true }, { purpose: 'PRIVATE', private_ip_google_access: true }],
});
