import { UNKNOWN, valueAt } from './attribute-path.rules.js';
import type { LinkedLookup, ScannedResource } from './condition-evaluation.rules.js';
import { namedIdsOf, ownIdsOf } from './linked-ids.rules.js';

/** Looks through a few resources one by one: for examples and single documents. */
export function lookupAmong(others: readonly ScannedResource[]): LinkedLookup {
  return (subject, types, via) => {
    const ids = new Set(ownIdsOf(subject.attributes));
    const ofType = others.filter((other) => types.includes(other.type));
    return {
      found: ofType.filter((other) => namedIdsOf(other.attributes, via).some((id) => ids.has(id))),
      incomplete: ofType.some((other) => valueAt(other.attributes, via) === UNKNOWN),
    };
  };
}
