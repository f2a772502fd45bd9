import type { FindLinked, Link, LinkedInstance } from '../../pricing/index.js';
import { linkHash } from './link-hash.js';

/** A linked instance with the key that decides between two with one id. */
export interface LinkTarget extends LinkedInstance {
  key: string;
  type: string;
}

/** Linked instances that were looked up so far. A question about another one is noted, so that it can be looked up. */
export class KnownLinks {
  private readonly known = new Map<string, LinkTarget | undefined>();
  private readonly missed = new Map<string, Link>();
  private misses = 0;

  readonly find: FindLinked = (type, id) => {
    const hash = linkHash(type, id);
    const found = this.known.get(hash);
    if (found === undefined && !this.known.has(hash)) {
      this.misses++;
      this.missed.set(hash, { type, id });
    }
    return found;
  };

  /** How often something was asked for that is not looked up yet. */
  get missCount(): number {
    return this.misses;
  }

  /** What has to be looked up; asked once. */
  takeMissed(): Map<string, Link> {
    const taken = new Map(this.missed);
    this.missed.clear();
    return taken;
  }

  /** The answers for what was asked; no target means that there is none. Of several the smallest key wins. */
  answer(asked: ReadonlyMap<string, Link>, targets: readonly { hash: string; target: LinkTarget }[]): void {
    for (const hash of asked.keys()) if (!this.known.has(hash)) this.known.set(hash, undefined);
    for (const { hash, target } of targets) this.put(hash, target);
  }

  private put(hash: string, target: LinkTarget): void {
    if (!this.known.has(hash)) return;
    const present = this.known.get(hash);
    if (present === undefined || target.key < present.key) this.known.set(hash, target);
  }
}
