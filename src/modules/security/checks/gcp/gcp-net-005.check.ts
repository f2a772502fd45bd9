import { defineCheck } from '../../engine/check.js';
import { all, ne, notEmpty, world } from '../../engine/condition.js';

export default defineCheck({
  id: 'GCP-NET-005',
  title: 'Firewall rule must not admit every address',
  severity: 'critical',
  category: 'network-exposure',
  exposure: true,
  aliases: ['AVD-GCP-0027'],
  types: ['google_compute_firewall'],
  fail: all(notEmpty('allow'), ne('direction', 'EGRESS'), world('source_ranges')),
  remediation: 'Narrow source_ranges to known networks.',
  failing: [
    { allow: [{}], source_ranges: ['0.0.0.0/0'] },
    { allow: [{}], direction: 'Ingress', source_ranges: ['0.0.0.0/0'] },
  ],
  passing: [{ source_ranges: ['0.0.0.0/0'] }, {}],
});
