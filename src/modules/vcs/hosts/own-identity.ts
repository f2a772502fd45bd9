import type { Clock } from '../../../platform/time/clock.js';

const KEPT_MS = 300_000;

interface Kept<T> {
  credential: string;
  until: number;
  identity: T;
}

/** Keeps for some minutes whom a credential stands for. Another credential of the same owner is asked anew. */
export class OwnIdentity<T> {
  private readonly kept = new Map<string, Kept<T>>();

  constructor(private readonly clock: Clock) {}

  async read(owner: string, credential: string, ask: () => Promise<T>): Promise<T> {
    const now = this.clock.now().getTime();
    const known = this.kept.get(owner);
    if (known && known.credential === credential && known.until > now) return known.identity;
    const identity = await ask();
    this.kept.set(owner, { credential, until: now + KEPT_MS, identity });
    return identity;
  }
}
