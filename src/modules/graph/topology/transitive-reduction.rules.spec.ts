import * as fc from 'fast-check';
import { components, reduceTransitively } from './transitive-reduction.rules.js';

const someGraph = fc.integer({ min: 0, max: 14 }).chain((count) =>
  fc.array(fc.uniqueArray(fc.nat(Math.max(0, count - 1)), { maxLength: 5 }), {
    minLength: count,
    maxLength: count,
  }),
);

function reachable(edges: readonly (readonly number[])[]): string[] {
  return edges.flatMap((_, start) => {
    const seen = new Set<number>();
    const open = [start];
    for (let next = open.pop(); next !== undefined; next = open.pop())
      for (const target of edges[next] ?? []) if (!seen.has(target)) open.push((seen.add(target), target));
    return [...seen].map((end) => `${start} ${end}`);
  });
}

describe('the transitive reduction', () => {
  it('reaches exactly what was reached before, cycles included', () => {
    fc.assert(
      fc.property(someGraph, (edges) => {
        expect(new Set(reachable(reduceTransitively(edges)))).toEqual(new Set(reachable(edges)));
      }),
    );
  });

  it('has no edge that could go, outside of cycles', () => {
    fc.assert(
      fc.property(someGraph, (edges) => {
        const reduced = reduceTransitively(edges);
        const component = components(edges);
        reduced.forEach((targets, vertex) =>
          targets.forEach((target) => {
            if (component[target] === component[vertex]) return;
            const between = reduced.map((list, from) =>
              list.filter(
                (to) => !(component[from] === component[vertex] && component[to] === component[target]),
              ),
            );
            expect(reachable(between)).not.toContain(`${vertex} ${target}`);
          }),
        );
      }),
    );
  });

  it('keeps every declared edge inside of a cycle', () => {
    expect(reduceTransitively([[1, 2], [2, 0], [0, 1], [0]])).toEqual([[1, 2], [2, 0], [0, 1], [0]]);
  });

  it('gives up on brevity, not on reaching everything, when the search grows too long', () => {
    const chain = Array.from({ length: 200 }, (_, i) => Array.from({ length: i }, (_unused, j) => j));
    const reduced = reduceTransitively(chain, 10);
    expect(new Set(reachable(reduced))).toEqual(new Set(reachable(chain)));
    expect(reduceTransitively(chain).flat().length).toBe(199);
  });

  it('takes a long chain without a deep stack', () => {
    const chain = Array.from({ length: 100_000 }, (_, i) => (i === 0 ? [] : [i - 1]));
    expect(reduceTransitively(chain).flat().length).toBe(99_999);
  });
});
