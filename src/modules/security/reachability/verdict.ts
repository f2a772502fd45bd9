import type { ReachabilityVerdict } from './reachability.js';

/** A verdict before it is known for which instance. */
export type Verdict = Omit<ReachabilityVerdict, 'ref'>;
export const CLOSED: Verdict = { reach: 'closed' };
export const UNDECIDED: Verdict = { reach: 'undecided' };

/** @param way ids or addresses from the internet on; what is not known is left out */
export function reachable(way: readonly (string | undefined)[], ports?: string): Verdict {
  const evidence = ['internet', ...way.filter((step) => step !== undefined)].join(' > ');
  return { reach: 'reachable', evidence, ...(ports === undefined ? {} : { ports }) };
}

/** The same way, and one step further. */
export function beyond(front: Verdict, step: string | undefined, ports?: string): Verdict {
  const evidence = [front.evidence, step].filter((part) => part !== undefined).join(' > ');
  return { reach: 'reachable', evidence, ...(ports === undefined ? {} : { ports }) };
}

/** What guards several resources is reachable when one of them is, and closed when all of them are. */
export function guardVerdict(guarded: readonly Verdict[]): Verdict {
  const open = guarded.find(({ reach }) => reach === 'reachable');
  if (open !== undefined) return open;
  return guarded.length > 0 && guarded.every(({ reach }) => reach === 'closed') ? CLOSED : UNDECIDED;
}

/** Verdicts of instances by ref, and of what is guarded by the id of what guards it. */
export class Verdicts {
  private readonly byRef = new Map<string, Verdict>();
  private readonly guarded = new Map<string, Verdict[]>();

  get(ref: string): Verdict | undefined {
    return this.byRef.get(ref);
  }

  isReachable(ref: string): boolean {
    return this.byRef.get(ref)?.reach === 'reachable';
  }

  /** @param guards ids of groups or policies that the instance stands behind */
  set(ref: string, verdict: Verdict, guards: readonly string[] = []): void {
    this.byRef.set(ref, verdict);
    for (const guard of guards) this.guarded.set(guard, [...(this.guarded.get(guard) ?? []), verdict]);
  }

  guardedBy(guard: string | undefined): readonly Verdict[] {
    return (guard !== undefined && this.guarded.get(guard)) || [];
  }

  all(): ReachabilityVerdict[] {
    return [...this.byRef].map(([ref, verdict]) => ({ ref, ...verdict }));
  }
}
