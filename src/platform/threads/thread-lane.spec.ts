import * as fc from 'fast-check';
import { FairQueue } from './fair-queue.js';
import { type LostReason, ThreadLane } from './thread-lane.js';

/** Echoes a number; `'hang'` never ends, `'crash'` ends the thread. */
const WORKER = `
  const { parentPort } = require('node:worker_threads');
  parentPort.on('message', ({ job }) => {
    if (job === 'hang') for (;;);
    if (job === 'crash') throw new Error('crash');
    parentPort.postMessage(job);
    parentPort.postMessage('next');
  });`;

describe('A thread that many share', () => {
  const lanes: ThreadLane[] = [];
  afterEach(async () => {
    for (const lane of lanes.splice(0)) await lane.close();
  });

  function aLane(baseMs = 10_000): {
    lane: ThreadLane;
    post: (group: string, owner: number, job: unknown) => void;
    answers: unknown[];
    losses: [number, LostReason][];
    settled: (count: number) => Promise<void>;
  } {
    const answers: unknown[] = [];
    const losses: [number, LostReason][] = [];
    let wake: (() => void) | undefined;
    const lane = new ThreadLane({
      file: WORKER,
      name: 'test',
      workerOptions: { eval: true },
      effort: { baseMs, msPerMiB: 0 },
      onMessage: (answer) => {
        answers.push(answer);
        wake?.();
      },
      onLost: (lost) => {
        losses.push(...lost);
        wake?.();
      },
    });
    lanes.push(lane);
    const settled = async (count: number): Promise<void> => {
      while (answers.length + losses.length < count) await new Promise<void>((resolve) => (wake = resolve));
    };
    const post = (group: string, owner: number, job: unknown): void =>
      lane.post({ group, owner, message: { job }, bytes: 0 });
    return { lane, post, answers, losses, settled };
  }

  it('answers one group in turn with another that queued a hundred times as much before', async () => {
    const { post, answers, settled } = aLane();
    for (let job = 0; job < 1000; job++) post('busy', 1, 'busy');
    for (let job = 0; job < 10; job++) post('other', 2, 'other');
    await settled(1010);
    // Two were in the thread already, then they take turns.
    expect(answers.lastIndexOf('other')).toBeLessThan(2 + 2 * 10);
  });

  it('ends a job that does not end, and answers the others in a new thread', async () => {
    const { post, answers, losses, settled } = aLane(3000);
    post('a', 1, 'hang');
    post('b', 2, 'was behind it in the thread');
    post('c', 3, 'was queued');
    await settled(3);
    expect(losses).toEqual([
      [1, 'effort'],
      [2, 'ended'],
    ]);
    expect(answers).toEqual(['was queued']);
  });

  it('tells those for whom the thread kept something when it ends', async () => {
    const { lane, post, losses, settled } = aLane();
    lane.retain(7);
    post('a', 1, 'crash');
    await settled(2);
    expect(new Map(losses)).toEqual(
      new Map([
        [7, 'ended'],
        [1, 'ended'],
      ]),
    );
  });

  it('drops what is queued for an owner that is gone', async () => {
    const { lane, post, answers, settled } = aLane();
    for (let job = 0; job < 50; job++) post('a', 1, 'gone');
    post('a', 2, 'stays');
    lane.release(1);
    await settled(3);
    expect(answers).toEqual(['gone', 'gone', 'stays']);
    expect(lane.queued).toBe(0);
  });
});

describe('A queue in which groups take turns', () => {
  it('keeps the order of each group, loses nothing, and lets no group wait for more than one turn of each other', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'b', 'c')), (groups) => {
        const queue = new FairQueue<{ group: string; n: number }>();
        for (const [n, group] of groups.entries()) queue.push({ group, n });
        const taken: { group: string; n: number }[] = [];
        for (let item = queue.shift(); item; item = queue.shift()) taken.push(item);
        expect(taken.map(({ n }) => n).toSorted((a, b) => a - b)).toEqual(groups.map((_, n) => n));
        for (const group of ['a', 'b', 'c']) {
          const own = taken.filter((item) => item.group === group).map(({ n }) => n);
          expect(own).toEqual(own.toSorted((a, b) => a - b));
          // The k-th of a group comes within the first k rounds.
          for (const [k, n] of own.entries())
            expect(taken.findIndex((item) => item.n === n)).toBeLessThan(3 * (k + 1));
        }
      }),
    );
  });
});
