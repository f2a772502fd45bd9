import type { Check } from '../engine/check.js';
import { evaluate, type LinkedLookup, type ScannedResource } from '../engine/condition-evaluation.rules.js';

/**
 * The checks that fail on an instance. A check that throws is a defect of ours: it is reported, makes no finding, and
 * the others go on.
 */
export function failingChecks(
  resource: ScannedResource,
  checks: readonly Check[],
  context: { lookup: LinkedLookup; onError: (check: Check, error: unknown) => void },
): Check[] {
  return checks.filter((check) => {
    try {
      if (check.when !== undefined && evaluate(check.when, resource, context.lookup) !== true) return false;
      return evaluate(check.fail, resource, context.lookup) === true;
    } catch (error) {
      context.onError(check, error);
      return false;
    }
  });
}
