import { defineCheck } from '../../engine/check.js';
import { OPEN_FIREWALLS, opensToWorld, TAGGED_FIREWALLS } from '../google-firewalls.js';

export default defineCheck({
  id: 'GCP-NET-002',
  title: 'Firewall rule must not admit RDP from every address',
  severity: 'high',
  category: 'network-exposure',
  exposure: true,
  aliases: ['AVD-GCP-0070', 'CKV_GCP_3'],
  types: ['google_compute_firewall'],
  fail: opensToWorld(3389),
  remediation: 'Narrow source_ranges to known networks.',
  failing: OPEN_FIREWALLS,
  passing: TAGGED_FIREWALLS,
});
