import { FairQueue } from './fair-queue.js';

export interface SlotRules {
  /** tasks that run at the same time */
  slots: number;
  /** of those, tasks of one group */
  perGroup: number;
  /** tasks that wait, in all and of one group */
  maxWaiting: number;
  maxWaitingPerGroup: number;
  /** a task that waits longer is refused */
  maxWaitMs: number;
}

/** Why a task did not run. */
export class NoSlot extends Error {
  constructor() {
    super('too many tasks are running and waiting');
  }
}

interface Waiting {
  group: string;
  start: () => void;
}

/**
 * A few slots that many share: groups that wait take turns, and no group has them all. A task beyond the queue, or one that
 * waited too long, throws `NoSlot`.
 */
export class FairSlots {
  private readonly queue = new FairQueue<Waiting>();
  private readonly running = new Map<string, number>();
  private readonly waiting = new Map<string, number>();
  private inUse = 0;
  private waits = 0;

  constructor(private readonly rules: SlotRules) {}

  /** `hold` keeps the slot taken until a promise settles, after the task itself has ended. */
  async run<T>(group: string, task: (hold: (until: Promise<unknown>) => void) => Promise<T>): Promise<T> {
    if (this.hasRoom(group)) this.enter(group);
    else await this.wait(group);
    const held: Promise<unknown>[] = [];
    try {
      return await task((until) => held.push(until));
    } finally {
      if (held.length === 0) this.leave(group);
      else void Promise.allSettled(held).then(() => this.leave(group));
    }
  }

  private hasRoom(group: string): boolean {
    const { slots, perGroup } = this.rules;
    return this.inUse < slots && (this.running.get(group) ?? 0) < perGroup;
  }

  private async wait(group: string): Promise<void> {
    const { maxWaiting, maxWaitingPerGroup, maxWaitMs } = this.rules;
    if (this.waits >= maxWaiting || (this.waiting.get(group) ?? 0) >= maxWaitingPerGroup) throw new NoSlot();
    this.waits++;
    change(this.waiting, group, 1);
    let timer: NodeJS.Timeout | undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        const place: Waiting = { group, start: resolve };
        this.queue.push(place);
        timer = setTimeout(() => {
          // Taken out meanwhile, it has started.
          if (this.queue.remove((other) => other === place).length > 0) reject(new NoSlot());
        }, maxWaitMs);
      });
    } finally {
      clearTimeout(timer);
      this.waits--;
      change(this.waiting, group, -1);
    }
  }

  private enter(group: string): void {
    this.inUse++;
    change(this.running, group, 1);
  }

  private leave(group: string): void {
    this.inUse--;
    change(this.running, group, -1);
    for (let next = this.next(); next; next = this.next()) {
      // The slot is taken before anybody else can see it free.
      this.enter(next.group);
      next.start();
    }
  }

  private next(): Waiting | undefined {
    return this.queue.shift((group) => this.hasRoom(group));
  }
}

function change(counts: Map<string, number>, group: string, by: number): void {
  const count = (counts.get(group) ?? 0) + by;
  if (count > 0) counts.set(group, count);
  else counts.delete(group);
}
