import { defineCheck } from '../../engine/check.js';
import { ne, notIn } from '../../engine/condition.js';

export default defineCheck({
  id: 'GCP-DNS-001',
  title: 'Cloud DNS zone has DNSSEC disabled',
  severity: 'medium',
  category: 'hardening',
  aliases: ['AVD-GCP-0013', 'CKV_GCP_16'],
  types: ['google_dns_managed_zone'],
  when: ne('visibility', 'private'),
  fail: notIn('dnssec_config.0.state', ['on', 'transfer']),
  remediation: 'Set dnssec_config.state to "on" or "transfer".',
  failing: [{}, { dnssec_config: [{ state: 'other' }] }],
  passing: [{ dnssec_config: [{ state: 'on' }] }, { dnssec_config: [{ state: 'transfer' }] }],
});
