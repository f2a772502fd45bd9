import fc from 'fast-check';
import { runInOrder } from './dirspace-order.js';

interface Result {
  success: boolean;
  position: number;
  failed?: number;
}

/** A played run: every position takes some turns of the event loop, and some fail. */
async function play(of: {
  lists: number[][];
  listOf: (number | undefined)[];
  parallel?: number;
  failing?: ReadonlySet<number>;
  turns?: readonly number[];
}) {
  const { lists, listOf, parallel = 3, failing = new Set(), turns = [1] } = of;
  const begun: number[] = [];
  const ended = new Set<number>();
  let [running, most] = [0, 0];
  const early: number[] = [];
  const results = await runInOrder<Result>({
    count: listOf.length,
    parallel,
    lists,
    listOf: (position) => listOf[position],
    run: async (position) => {
      begun.push(position);
      most = Math.max(most, ++running);
      if (!(lists[listOf[position] ?? -1] ?? []).every((each) => ended.has(each))) early.push(position);
      for (let turn = turns[position % turns.length] ?? 1; turn > 0; turn--) await Promise.resolve();
      running--;
      ended.add(position);
      return { success: !failing.has(position), position };
    },
    skip: (position, failed) => {
      ended.add(position);
      return Promise.resolve({ success: false, position, failed });
    },
  });
  return { begun, results, most, early };
}

describe('The order of dirspaces', () => {
  it('runs each after what it depends on, at most as many at once as are allowed, and each once', async () => {
    const graph = fc.integer({ min: 1, max: 25 }).chain((count) =>
      fc.record({
        // Dependencies of lower numbers only are no cycle; the positions are shuffled.
        edges: fc.array(fc.array(fc.nat(count - 1), { maxLength: 4 }), {
          minLength: count,
          maxLength: count,
        }),
        order: fc.shuffledSubarray([...Array(count).keys()], { minLength: count }),
        failing: fc.array(fc.nat(count - 1), { maxLength: 2 }),
        parallel: fc.integer({ min: 1, max: 5 }),
        turns: fc.array(fc.nat(6), { minLength: 1, maxLength: 5 }),
      }),
    );
    await fc.assert(
      fc.asyncProperty(graph, async ({ edges, order, failing, parallel, turns }) => {
        const lists: number[][] = [];
        const listOf: (number | undefined)[] = [];
        for (const [n, below] of edges.entries()) {
          const list = [...new Set(below.filter((each) => each < n))].map((each) => order[each] ?? 0);
          listOf[order[n] ?? 0] = list.length > 0 ? lists.push(list) - 1 : undefined;
        }
        const { begun, results, most, early } = await play({
          lists,
          listOf,
          parallel,
          failing: new Set(failing),
          turns,
        });
        expect(early).toEqual([]);
        expect(most).toBeLessThanOrEqual(parallel);
        expect(results.map(({ position }) => position)).toEqual([...order.keys()]);
        expect(new Set(begun).size).toBe(begun.length);
        for (const { position, failed } of results) {
          const dependsOn = lists[listOf[position] ?? -1] ?? [];
          const [isSkipped, hasFailed] = [
            !begun.includes(position),
            dependsOn.some((each) => results[each]?.success === false),
          ];
          expect(isSkipped).toBe(hasFailed);
          if (isSkipped) expect(dependsOn).toContain(failed);
        }
      }),
    );
  });

  it('begins with what others depend on', async () => {
    const { begun } = await play({
      lists: [[4], [3]],
      listOf: [0, undefined, undefined, undefined, 1],
      parallel: 1,
    });
    expect(begun).toEqual([3, 4, 1, 2, 0]);
  });

  it('ends although a service names dependencies in a circle, or none that is there', async () => {
    const { begun } = await play({ lists: [[1], [0], [9]], listOf: [0, 1, 2, 7] });
    expect(begun.toSorted()).toEqual([0, 1, 2, 3]);
  });
});
