import { defineCheck } from '../../engine/check.js';
import { OPEN_FIREWALLS, opensToWorld, TAGGED_FIREWALLS } from '../google-firewalls.js';

export default defineCheck({
  id: 'GCP-NET-003',
  title: 'Firewall rule must not admit MySQL from every address',
  severity: 'high',
  category: 'network-exposure',
  exposure: true,
  aliases: ['CKV_GCP_88'],
  types: ['google_compute_firewall'],
  fail: opensToWorld(3306),
  remediation: 'Narrow source_ranges to known networks.',
  failing: OPEN_FIREWALLS,
  passing: TAGGED_FIREWALLS,
});
