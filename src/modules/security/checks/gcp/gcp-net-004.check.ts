import { defineCheck } from '../../engine/check.js';
import { OPEN_FIREWALLS, opensToWorld, TAGGED_FIREWALLS } from '../google-firewalls.js';

export default defineCheck({
  id: 'GCP-NET-004',
  title: 'Firewall rule must not admit FTP from every address',
  severity: 'medium',
  category: 'network-exposure',
  exposure: true,
  aliases: ['CKV_GCP_75'],
  types: ['google_compute_firewall'],
  fail: opensToWorld(21),
  remediation: 'Narrow source_ranges to known networks.',
  failing: OPEN_FIREWALLS,
  passing: TAGGED_FIREWALLS,
});
