import * as fc from 'fast-check';
import { expectedGraph, someInstances } from '../../../../test/support/graph-oracle.js';
import type { LinkEdge } from './blast-radius.rules.js';
import { buildGraph } from '../topology/dependency-graph.rules.js';
import { InstanceCatalog } from '../topology/instance-catalog.js';
import { bestConnected, distancesFrom, edgesAmong, WALKS } from './neighbourhood.rules.js';

const someEstate = fc
  .array(
    someInstances.filter((instances) => instances.length > 0),
    { minLength: 1, maxLength: 3 },
  )
  .chain((states) =>
    fc.record({
      states: fc.constant(states),
      seed: fc.tuple(fc.nat(2), fc.nat(23)),
      depth: fc.integer({ min: 1, max: 3 }),
      walk: fc.constantFrom(...WALKS),
      links: fc.array(
        fc.record({
          producer: fc.nat(2),
          consumer: fc.nat(2),
          to: fc.nat(23),
          from: fc.option(fc.array(fc.nat(23), { minLength: 1, maxLength: 3 }), { nil: undefined }),
        }),
        { maxLength: 5 },
      ),
    }),
  );

describe('the neighbourhood of an instance', () => {
  it('is what a plain search over every edge finds within the depth, with all edges among it', () => {
    fc.assert(
      fc.property(someEstate, ({ states, seed, depth, walk, links }) => {
        const expected = states.map((instances) => expectedGraph(instances));
        const graphs = states.map((instances) => {
          const catalog = new InstanceCatalog();
          for (const instance of instances) catalog.add(instance);
          return buildGraph(catalog);
        });
        const node = (state: number, row: number) => graphs[state]?.nodes.rows.indexOf(row) ?? -1;
        const stateAt = (i: number) => i % states.length;
        const rowAt = (state: number, i: number) => i % (states[state]?.length ?? 1);
        const name = (state: number, at: number) => `${state} ${at}`;

        // Every edge of the estate by node: "from depends on to".
        const edges: [string, string][] = expected.flatMap(({ dependencies }, state) =>
          dependencies.flatMap((list, row) =>
            list.map((other): [string, string] => [
              name(state, node(state, row)),
              name(state, node(state, other)),
            ]),
          ),
        );
        const linked: LinkEdge[] = links.map(({ producer, consumer, to, from }) => ({
          producer: stateAt(producer),
          consumer: stateAt(consumer),
          to: node(stateAt(consumer), rowAt(stateAt(consumer), to)),
          from: from?.map((row) => node(stateAt(producer), rowAt(stateAt(producer), row))),
        }));
        for (const { producer, consumer, to, from } of linked)
          for (const source of from ?? graphs[producer]?.nodes.rows.keys() ?? [])
            edges.push([name(consumer, to), name(producer, source)]);

        const start = {
          state: stateAt(seed[0]),
          node: node(stateAt(seed[0]), rowAt(stateAt(seed[0]), seed[1])),
        };
        const distances = new Map([[name(start.state, start.node), 0]]);
        for (let distance = 1; distance <= depth; distance++)
          for (const [from, to] of [...edges]) {
            const [near, next] = walk === 'dependencies' ? [from, to] : [to, from];
            if (distances.get(near) === distance - 1 && !distances.has(next)) distances.set(next, distance);
          }

        const topologies = graphs.map(({ topology }) => topology);
        const found = distancesFrom(start, { direction: walk, depth }, { graphs: topologies, links: linked });
        const places = found.flatMap((marks, state) =>
          Array.from(marks, (mark, at) => ({ state, node: at, mark })).filter(({ mark }) => mark > 0),
        );
        expect(new Map(places.map(({ state, node: at, mark }) => [name(state, at), mark - 1]))).toEqual(
          distances,
        );

        const among = edgesAmong(places, topologies, linked, 10_000);
        const shown = among.edges.map(({ from, to }) =>
          [from, to].map((i) => name(places[i]?.state ?? -1, places[i]?.node ?? -1)).join(' > '),
        );
        const wanted = edges
          .filter(([from, to]) => from !== to && distances.has(from) && distances.has(to))
          .map(([from, to]) => `${from} > ${to}`);
        expect([...new Set(shown)].sort()).toEqual([...new Set(wanted)].sort());
        expect(among.cut).toBe(false);
        if (among.edges.length > 0)
          expect(edgesAmong(places, topologies, linked, among.edges.length - 1)).toMatchObject({
            cut: true,
            edges: among.edges.slice(0, -1),
          });
      }),
      { numRuns: 200 },
    );
  });

  it('starts from the instances with most edges where no instance is named', () => {
    fc.assert(
      fc.property(someInstances, fc.integer({ min: 1, max: 30 }), (instances, limit) => {
        const catalog = new InstanceCatalog();
        for (const instance of instances) catalog.add(instance);
        const { topology, nodes } = buildGraph(catalog);
        const { dependencies, dependents } = expectedGraph(instances);
        const degree = (at: number) => {
          const row = nodes.rows[at] ?? -1;
          return (dependencies[row]?.length ?? 0) + (dependents[row]?.length ?? 0);
        };
        const best = bestConnected(topology, limit);
        expect(best).toHaveLength(Math.min(limit, instances.length));
        const degrees = best.map(degree);
        expect(degrees).toEqual([...degrees].sort((a, b) => b - a));
        const rest = instances.map((_, at) => at).filter((at) => !best.includes(at));
        for (const at of rest) expect(degree(at)).toBeLessThanOrEqual(degrees.at(-1) ?? 0);
      }),
      { numRuns: 100 },
    );
  });
});
