import { defineCheck } from '../../engine/check.js';
import { eqi, some } from '../../engine/condition.js';

export default defineCheck({
  id: 'GCP-DNS-002',
  title: 'DNS zone must not be signed with RSASHA1',
  severity: 'medium',
  category: 'hardening',
  aliases: ['AVD-GCP-0012', 'CKV_GCP_17'],
  types: ['google_dns_managed_zone'],
  fail: some('dnssec_config.0.default_key_specs', eqi('algorithm', 'rsasha1')),
  remediation: 'Set algorithm in default_key_specs of dnssec_config to "rsasha256" or "ecdsap256sha256".',
  failing: [{ dnssec_config: [{ default_key_specs: [{ algorithm: 'rsasha1' }] }] }],
  passing: [{}, { dnssec_config: [{ default_key_specs: [{}] }] }],
});
