import { defineCheck } from '../../engine/check.js';
import {
  all,
  any,
  googlePorts,
  isEmpty,
  isInIgnoringCase,
  ne,
  notEmpty,
  notTrue,
  some,
  world,
} from '../../engine/condition.js';

export default defineCheck({
  id: 'GCP-NET-003',
  title: 'Firewall rule must not admit MySQL from every address',
  severity: 'high',
  category: 'network-exposure',
  exposure: true,
  aliases: ['CKV_GCP_88'],
  types: ['google_compute_firewall'],
  fail: all(
    isEmpty('source_tags'),
    isEmpty('source_service_accounts'),
    notEmpty('source_ranges'),
    world('source_ranges'),
    some(
      'allow',
      any(
        isInIgnoringCase('protocol', ['all']),
        all(isInIgnoringCase('protocol', ['tcp', '6']), googlePorts([3306], 'ports')),
      ),
    ),
    notTrue('disabled'),
    ne('direction', 'EGRESS'),
  ),
  remediation: 'Narrow source_ranges to known networks.',
  failing: [
    { source_ranges: ['0.0.0.0/0'], allow: [{ protocol: 'all' }] },
    { source_ranges: ['0.0.0.0/0'], allow: [{ protocol: 'all' }], direction: 'Ingress' },
  ],
  passing: [
    { source_tags: [{}], source_ranges: ['0.0.0.0/0'], allow: [{ protocol: 'all' }] },
    { source_tags: [{}], source_ranges: ['0.0.0.0/0'], allow: [{ protocol: 'all' }], direction: 'Ingress' },
  ],
});
