import * as fc from 'fast-check';
import { expectedGraph, someInstances } from '../../../../test/support/graph-oracle.js';
import { blastRadius, type LinkEdge } from './blast-radius.rules.js';
import { buildGraph } from '../topology/dependency-graph.rules.js';
import { InstanceCatalog } from '../topology/instance-catalog.js';
import { ScratchMemory } from './scratch-memory.js';

const someEstate = fc
  .array(
    someInstances.filter((instances) => instances.length > 0),
    { minLength: 1, maxLength: 4 },
  )
  .chain((states) =>
    fc.record({
      states: fc.constant(states),
      seed: fc.tuple(fc.nat(3), fc.nat(23)),
      links: fc.array(
        fc.record({
          producer: fc.nat(3),
          consumer: fc.nat(3),
          to: fc.nat(23),
          from: fc.option(fc.array(fc.nat(23), { minLength: 1, maxLength: 3 }), { nil: undefined }),
        }),
        { maxLength: 6 },
      ),
    }),
  );

describe('the blast radius', () => {
  /** Of one search after the other. */
  const memory = new ScratchMemory();

  it('has the distances of a plain breadth-first search over every edge, and ends on cycles across states', () => {
    fc.assert(
      fc.property(someEstate, fc.nat(12), ({ states, seed, links }, limit) => {
        const expected = states.map((instances) => expectedGraph(instances));
        const graphs = states.map((instances) => {
          const catalog = new InstanceCatalog();
          for (const instance of instances) catalog.add(instance);
          return buildGraph(catalog);
        });
        const stateAt = (i: number) => i % states.length;
        const rowAt = (state: number, i: number) => i % (states[state]?.length ?? 1);
        const plain = links.map(({ producer, consumer, to, from }) => ({
          producer: stateAt(producer),
          consumer: stateAt(consumer),
          to: rowAt(stateAt(consumer), to),
          from: from?.map((row) => rowAt(stateAt(producer), row)),
        }));
        const start = { state: stateAt(seed[0]), row: rowAt(stateAt(seed[0]), seed[1]) };

        const distances = new Map([[`${start.state} ${start.row}`, 0]]);
        const queue = [start];
        for (let next = queue.shift(); next; next = queue.shift()) {
          const { state, row } = next;
          const further = (expected[state]?.dependents[row] ?? []).map((other) => ({ state, row: other }));
          for (const link of plain)
            if (link.producer === state && (link.from?.includes(row) ?? true))
              further.push({ state: link.consumer, row: link.to });
          for (const other of further) {
            const id = `${other.state} ${other.row}`;
            if (distances.has(id)) continue;
            distances.set(id, (distances.get(`${state} ${row}`) ?? 0) + 1);
            queue.push(other);
          }
        }

        const node = (state: number, row: number) => graphs[state]?.nodes.rows.indexOf(row) ?? -1;
        const edges: LinkEdge[] = plain.map((link) => ({
          ...link,
          to: node(link.consumer, link.to),
          from: link.from?.map((row) => node(link.producer, row)),
        }));
        const topologies = graphs.map((graph) => graph.topology);
        const from = { state: start.state, node: node(start.state, start.row) };
        const reached = blastRadius(from, { graphs: topologies, links: edges });
        expect(reached.counts.reduce((sum, count) => sum + count, 0)).toBe(distances.size);
        const found = Array.from(reached.node, (each, i) => {
          const state = reached.state[i] ?? 0;
          return [`${state} ${graphs[state]?.nodes.rows[each]}`, reached.distance[i]] as const;
        });
        expect(new Map(found)).toEqual(distances);
        expect(found.length).toBe(distances.size);
        expect([...reached.distance]).toEqual([...reached.distance].sort((a, b) => a - b));

        // Of those that count only so many are listed, the nearest; all are counted all the same.
        const counts = (state: number) => state % 2 === 0;
        const few = blastRadius(from, {
          graphs: topologies,
          links: edges,
          listing: { limit, counts },
          memory,
        });
        expect([...few.counts]).toEqual([...reached.counts]);
        const listed = few.node.length;
        expect([...few.node]).toEqual([...reached.node].slice(0, listed));
        expect([...few.state]).toEqual([...reached.state].slice(0, listed));
        expect([...few.distance]).toEqual([...reached.distance].slice(0, listed));
        const all = [...reached.state].filter(counts).length;
        expect([...few.state].filter(counts).length).toBeGreaterThanOrEqual(Math.min(limit, all));
        memory.reset();
      }),
      { numRuns: 150 },
    );
  });
});
