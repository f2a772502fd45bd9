import { defineCheck } from '../../engine/check.js';
import { ne, notIn } from '../../engine/condition.js';

export default defineCheck({
  id: 'GCP-DNS-001',
  title: 'Public DNS zone must be signed with DNSSEC',
  severity: 'medium',
  category: 'hardening',
  aliases: ['AVD-GCP-0013', 'CKV_GCP_16'],
  types: ['google_dns_managed_zone'],
  when: ne('visibility', 'private'),
  fail: notIn('dnssec_config.0.state', ['on', 'transfer']),
  remediation: 'Set state = "on" in dnssec_config.',
  failing: [{}, { dnssec_config: [{ state: 'off' }] }],
  passing: [{ dnssec_config: [{ state: 'on' }] }, { dnssec_config: [{ state: 'transfer' }] }],
});
