import { createHash } from 'node:crypto';
import type { Check } from '../engine/check.js';
import { type Blast, effectiveSeverity } from './effective-severity.rules.js';

/** An instance with the address that `/states/{id}/instances` gives it. */
export interface FoundInstance {
  readonly stateId: string;
  readonly key: string;
  readonly address: string;
}

/** What is known of how to get to an instance. */
export interface Reach {
  readonly reachable: boolean;
  readonly evidence: string | null;
}

/** A finding as it ought to stand. Check and instance tell it apart, as the fingerprint does that is made when it is stored. */
export interface WantedFinding extends FoundInstance {
  readonly checkId: string;
  readonly category: string;
  readonly severityBase: number;
  readonly severity: number;
  readonly severityReason: string | null;
  readonly reachable: boolean | null;
  readonly evidence: string | null;
  readonly blast: Blast;
}

/** SHA-1 hex of `check_id:address` (notes section 6). */
export function fingerprintOf(checkId: string, address: string): string {
  return createHash('sha1').update(`${checkId}:${address}`).digest('hex');
}

export function findingOf(
  instance: FoundInstance,
  check: Check,
  { reach, blast }: { reach: Reach | undefined; blast: Blast },
): WantedFinding {
  const evidence = reach?.reachable === true ? reach.evidence : null;
  const { base, effective, reason } = effectiveSeverity(check, {
    reachable: reach?.reachable,
    evidence: evidence ?? undefined,
    blast,
  });
  return {
    stateId: instance.stateId,
    key: instance.key,
    address: instance.address,
    checkId: check.id,
    category: check.category,
    severityBase: base,
    severity: effective,
    severityReason: reason ?? null,
    reachable: reach?.reachable ?? null,
    evidence,
    blast,
  };
}
