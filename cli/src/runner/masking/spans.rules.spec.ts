import fc from 'fast-check';
import { type Span, SpanQueue, takeBefore } from './spans.rules.js';

/** Counts how often its offsets are looked at. */
function counted(start: number, end: number, looks: { count: number }): Span {
  return {
    get start() {
      looks.count++;
      return start;
    },
    get end() {
      looks.count++;
      return end;
    },
  };
}

function queueOf(spans: readonly Span[]): SpanQueue {
  const queue = new SpanQueue();
  for (const span of spans) queue.add(span);
  return queue;
}

describe('Spans', () => {
  const spans = fc
    .array(fc.tuple(fc.nat(40), fc.integer({ min: 1, max: 9 })), { maxLength: 20 })
    .map((pairs) =>
      pairs
        .map(([start, length]) => ({ start, end: start + length }))
        .toSorted((one, other) => one.end - other.end),
    );

  it('are taken by their beginnings, none twice, and cover what was added', () => {
    fc.assert(
      fc.property(fc.array(spans, { maxLength: 4 }), fc.array(fc.nat(60)), (added, stops) => {
        const queues = added.map(queueOf);
        const taken: Span[] = [];
        for (const until of [...stops.toSorted((one, other) => one - other), Infinity])
          for (const span of takeBefore(until, queues)) {
            expect(span.start).toBeLessThan(until);
            taken.push(span);
          }
        expect(taken.map(({ start }) => start)).toEqual(
          taken.map(({ start }) => start).toSorted((one, other) => one - other),
        );
        const covered = (all: readonly Span[]) =>
          Array.from({ length: 60 }, (_, at) => all.some(({ start, end }) => start <= at && at < end));
        expect(covered(taken)).toEqual(covered(added.flat()));
      }),
    );
  });

  it('are joined where they lie over each other, and stay apart where they touch', () => {
    const queue = queueOf([
      { start: 0, end: 2 },
      { start: 2, end: 4 },
      { start: 3, end: 6 },
      { start: 7, end: 8 },
    ]);
    expect([...takeBefore(Infinity, [queue])]).toEqual([
      { start: 0, end: 2 },
      { start: 2, end: 6 },
      { start: 7, end: 8 },
    ]);
  });

  it('stay where they begin behind what is taken', () => {
    const queue = queueOf([
      { start: 0, end: 3 },
      { start: 5, end: 6 },
    ]);
    expect([...takeBefore(5, [queue])]).toEqual([{ start: 0, end: 3 }]);
    queue.add({ start: 4, end: 8 });
    expect([...takeBefore(9, [queue])]).toEqual([{ start: 4, end: 8 }]);
    expect(queue.first).toBeUndefined();
  });

  it('are looked at a fixed number of times, however many there are', () => {
    const looks = { count: 0 };
    const queues = [1, 2].map(() =>
      queueOf(Array.from({ length: 200_000 }, (_, n) => counted(2 * n, 2 * n + 1, looks))),
    );
    expect([...takeBefore(Infinity, queues)]).toHaveLength(400_000);
    expect(looks.count).toBeLessThanOrEqual(10 * 400_000);
  });
});
