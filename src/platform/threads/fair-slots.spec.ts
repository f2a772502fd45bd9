import { FairSlots, NoSlot } from './fair-slots.js';

describe('Slots that groups share', () => {
  const rules = { slots: 4, perGroup: 3, maxWaiting: 50, maxWaitingPerGroup: 40, maxWaitMs: 10_000 };

  /** Tasks that end when they are told to, and the order in which they began. */
  function aBench(more: Partial<typeof rules> = {}): {
    slots: FairSlots;
    begun: string[];
    start: (group: string) => Promise<void>;
    end: (index: number) => void;
  } {
    const slots = new FairSlots({ ...rules, ...more });
    const begun: string[] = [];
    const ends: (() => void)[] = [];
    const start = (group: string): Promise<void> => {
      const task = slots.run(group, () => {
        begun.push(group);
        return new Promise<void>((resolve) => ends.push(resolve));
      });
      task.catch(() => undefined);
      return task;
    };
    return { slots, begun, start, end: (index) => ends[index]?.() };
  }

  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it('leave a place for others, however much one group asks for', async () => {
    const { begun, start } = aBench();
    for (let task = 0; task < 30; task++) void start('a');
    void start('b');
    await settled();
    expect(begun).toEqual(['a', 'a', 'a', 'b']);
  });

  it('go to the groups in turn', async () => {
    const { begun, start, end } = aBench();
    for (let task = 0; task < 10; task++) void start('a');
    for (let task = 0; task < 3; task++) void start('b');
    await settled();
    for (let ended = 0; ended < 6; ended++) {
      end(ended);
      await settled();
    }
    expect(begun.join('')).toBe('aaabababaa');
    expect(begun.filter((group) => group === 'b')).toHaveLength(3);
  });

  it('refuse what is beyond the queue, and what waited too long', async () => {
    const { start } = aBench({ maxWaitingPerGroup: 2, maxWaitMs: 30 });
    for (let task = 0; task < 3; task++) void start('a');
    const waiting = [start('a'), start('a'), start('a')];
    const outcomes = await Promise.allSettled(waiting);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    await expect(waiting[2]).rejects.toBeInstanceOf(NoSlot);
  });

  it('are given back when a task fails, and kept as long as it holds them', async () => {
    const slots = new FairSlots({ ...rules, slots: 1, perGroup: 1 });
    await expect(slots.run('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    let free: (() => void) | undefined;
    await slots.run('a', async (hold) => hold(new Promise<void>((resolve) => (free = resolve))));
    let isRunning = false;
    const next = slots.run('b', async () => {
      isRunning = true;
    });
    await settled();
    expect(isRunning).toBe(false);
    free?.();
    await next;
    expect(isRunning).toBe(true);
  });
});
