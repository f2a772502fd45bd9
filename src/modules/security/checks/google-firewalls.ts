import {
  all,
  any,
  type Condition,
  googlePorts,
  isEmpty,
  isInIgnoringCase,
  ne,
  notEmpty,
  notTrue,
  some,
  world,
} from '../engine/condition.js';

/** An enabled ingress rule that admits every address to a TCP port. */
export function opensToWorld(port: number): Condition {
  return all(
    isEmpty('source_tags'),
    isEmpty('source_service_accounts'),
    notEmpty('source_ranges'),
    world('source_ranges'),
    some(
      'allow',
      any(
        isInIgnoringCase('protocol', ['all']),
        all(isInIgnoringCase('protocol', ['tcp', '6']), googlePorts([port], 'ports')),
      ),
    ),
    notTrue('disabled'),
    ne('direction', 'EGRESS'),
  );
}

const OPEN = { source_ranges: ['0.0.0.0/0'], allow: [{ protocol: 'all' }] };
/** Rules that open every port, and the same for the sources with a tag only. */
export const OPEN_FIREWALLS = [OPEN, { ...OPEN, direction: 'Ingress' }];
export const TAGGED_FIREWALLS = OPEN_FIREWALLS.map((rule) => ({ source_tags: [{}], ...rule }));
