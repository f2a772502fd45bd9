import { defineCheck } from '../../engine/check.js';
import { OPEN_FIREWALLS, opensToWorld, TAGGED_FIREWALLS } from '../google-firewalls.js';

export default defineCheck({
  id: 'GCP-NET-001',
  title: 'Firewall rule must not admit SSH from every address',
  severity: 'high',
  category: 'network-exposure',
  exposure: true,
  aliases: ['AVD-GCP-0071', 'CKV_GCP_2'],
  types: ['google_compute_firewall'],
  fail: opensToWorld(22),
  remediation: 'Narrow source_ranges to known networks.',
  failing: OPEN_FIREWALLS,
  passing: TAGGED_FIREWALLS,
});
