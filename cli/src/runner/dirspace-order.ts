export interface OrderedWork<T extends { success: boolean }> {
  count: number;
  /** maximum number at the same time */
  parallel: number;
  /** positions, in lists that several may share */
  lists: readonly (readonly number[])[];
  /** the list that a position waits for; undefined for none */
  listOf: (position: number) => number | undefined;
  run: (position: number) => Promise<T>;
  /** Called instead of `run` when something that the position depends on has failed; undefined to run it anyway. */
  skip: (position: number, failed: number) => Promise<T> | undefined;
}

interface WaitingList {
  left: number;
  failed: number | undefined;
  /** positions that wait for this list */
  waiting: number[];
}

/** Does everything once, each after what it depends on, and first what others depend on. Answers in order of position. */
export async function runInOrder<T extends { success: boolean }>(work: OrderedWork<T>): Promise<T[]> {
  return new OrderedRun(work).all();
}

class OrderedRun<T extends { success: boolean }> {
  private readonly results: T[] = [];
  private readonly lists: WaitingList[];
  /** by position: the lists that it is in */
  private readonly listsWith = new Map<number, WaitingList[]>();
  /** what others depend on, then the rest; both in order of position */
  private readonly ready: [number[], number[]] = [[], []];
  private readonly started = new Set<number>();
  private readonly running = new Set<Promise<void>>();

  constructor(private readonly work: OrderedWork<T>) {
    this.lists = work.lists.map((positions) => {
      const list: WaitingList = { left: positions.length, failed: undefined, waiting: [] };
      for (const position of positions) {
        const known = this.listsWith.get(position);
        if (known) known.push(list);
        else this.listsWith.set(position, [list]);
      }
      return list;
    });
    for (let position = 0; position < work.count; position++) {
      const list = this.listFor(position);
      if (list && list.left > 0) list.waiting.push(position);
      else this.release(position);
    }
  }

  async all(): Promise<T[]> {
    const { count, parallel } = this.work;
    while (this.started.size < count) {
      while (this.running.size < Math.max(1, parallel)) {
        const position = this.next();
        if (position === undefined) break;
        this.start(position);
      }
      await Promise.race(this.running);
    }
    await Promise.all(this.running);
    return this.results;
  }

  /** When nothing runs and all that is left waits, the lists make no sense: go on in order of position. */
  private next(): number | undefined {
    const position = this.ready[0].shift() ?? this.ready[1].shift();
    if (position !== undefined || this.running.size > 0) return position;
    for (let left = 0; left < this.work.count; left++) if (!this.started.has(left)) return left;
    return undefined;
  }

  private start(position: number): void {
    if (this.started.has(position)) return;
    this.started.add(position);
    const begun = this.do(position).then((result) => {
      this.running.delete(begun);
      this.results[position] = result;
      this.finish(position, result);
    });
    this.running.add(begun);
  }

  private do(position: number): Promise<T> {
    const failed = this.listFor(position)?.failed;
    return (failed === undefined ? undefined : this.work.skip(position, failed)) ?? this.work.run(position);
  }

  private finish(position: number, { success }: T): void {
    for (const list of this.listsWith.get(position) ?? []) {
      if (!success) list.failed ??= position;
      list.left--;
      if (list.left === 0) for (const waiting of list.waiting) this.release(waiting);
    }
  }

  private release(position: number): void {
    this.ready[this.listsWith.has(position) ? 0 : 1].push(position);
  }

  private listFor(position: number): WaitingList | undefined {
    const list = this.work.listOf(position);
    return list === undefined ? undefined : this.lists[list];
  }
}
