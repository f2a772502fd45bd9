import * as fc from 'fast-check';
import { changedModel, entriesBetween, modelOf } from '../../../test/support/configuration-generator.js';
import { expectedClosure } from '../../../test/support/configuration-oracle.js';
import { memoryGraph } from '../../../test/support/memory-graph.js';
import { keyOf } from '../documents/index.js';
import { closureOf } from './change-closure.rules.js';
import { changeOf } from './configuration-node.rules.js';

const sorted = (ids: Iterable<string>) => [...ids].sort();

describe('what a change makes necessary', () => {
  it('is all that depends on it and all that this needs, and nothing else', async () => {
    await fc.assert(
      fc.asyncProperty(fc.gen(), async (gen) => {
        const before = modelOf(gen);
        const after = changedModel(gen, before);
        const stored = [...changeOf(entriesBetween(new Map(), before)).values()].filter(
          (node) => node !== null,
        );
        expect(sorted(stored.map(({ id }) => id))).toEqual(sorted(before.keys()));
        const names = new Map([...before.keys(), ...after.keys()].map((id) => [keyOf(id), id]));
        const named = (keys: Iterable<string>) => sorted([...keys].map((key) => names.get(key) ?? key));
        const found = await closureOf(
          memoryGraph(stored),
          changeOf(entriesBetween(before, after, () => gen(fc.nat, { max: 3 }) === 0)),
        );
        const expected = expectedClosure(before, after);
        expect(named(found.planned)).toEqual(sorted(expected.planned));
        expect(sorted(found.removed.map(({ id }) => id))).toEqual(sorted(expected.removed));
        expect(named(found.included)).toEqual(sorted(expected.included));
      }),
      { numRuns: 300 },
    );
  });
});
