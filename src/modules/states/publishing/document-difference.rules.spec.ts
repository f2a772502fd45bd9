import * as fc from 'fast-check';
import {
  chunkDifference,
  DuplicateInstance,
  frameChanges,
  nodeChanges,
} from './document-difference.rules.js';
import { keyOf } from '../../documents/index.js';
import type { InstanceNode } from '../../documents/index.js';

function node(address: string, hash: string): InstanceNode {
  return {
    key: keyOf(address),
    address,
    resourceAddress: address,
    mode: 'managed',
    type: 't',
    name: 'n',
    provider: 'p',
    dependencies: [],
    hash,
  };
}

const contents = fc.dictionary(
  fc.constantFrom('t.a', 't.b', 't.c', 't.d', 't.e', 't.f'),
  fc.constantFrom('1', '2', '3'),
);
// Terraform takes `constructor` as the name of an output.
const named = fc.dictionary(
  fc.constantFrom('a', 'b', 'constructor', 'toString', 'valueOf', '__proto__', 'hasOwnProperty'),
  fc.constantFrom('h1', 'h2'),
  { noNullPrototype: true },
);

function operations(
  before: Map<string, string>,
  after: Map<string, string>,
): [string, string, string | undefined][] {
  const names = [...new Set([...before.keys(), ...after.keys()])].filter(
    (name) => before.get(name) !== after.get(name),
  );
  return names
    .map((name): [string, string, string | undefined] => [
      name,
      !before.has(name) ? 'a' : after.has(name) ? 'c' : 'r',
      after.get(name),
    ])
    .sort();
}

describe('What changed between two documents', () => {
  it('looks only at chunks that one of the two lacks', () => {
    const hashes = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'));
    fc.assert(
      fc.property(hashes, hashes, (before, after) => {
        const { gone, come } = chunkDifference(before, after);
        expect(gone.sort()).toEqual([...new Set(before)].filter((hash) => !after.includes(hash)).sort());
        expect(come.sort()).toEqual([...new Set(after)].filter((hash) => !before.includes(hash)).sort());
      }),
    );
  });

  it('adds, changes and removes exactly the instances that differ', () => {
    fc.assert(
      fc.property(contents, contents, (before, after) => {
        const nodes = (of: Record<string, string>) =>
          Object.entries(of).map(([address, hash]) => node(address, hash));
        const found = nodeChanges(nodes(before), nodes(after));
        expect(found.map(({ address, op, hash }) => [address, op, hash]).sort()).toEqual(
          operations(new Map(Object.entries(before)), new Map(Object.entries(after))),
        );
        for (const change of found)
          expect([change.before?.hash, change.after?.hash]).toEqual([
            before[change.address],
            after[change.address],
          ]);
      }),
    );
  });

  it('does not guess when an instance is named twice', () => {
    expect(() => nodeChanges([], [node('t.a', '1'), node('t.b', '1'), node('t.a', '2')])).toThrow(
      DuplicateInstance,
    );
  });

  it('compares outputs and check results by name, whatever the name', () => {
    fc.assert(
      fc.property(named, named, named, named, (outputs, laterOutputs, checks, laterChecks) => {
        const found = frameChanges({ outputs, checks }, { outputs: laterOutputs, checks: laterChecks });
        const own = (of: Record<string, string>) => new Map(Object.entries(of));
        const pick = (kind: 'output' | 'check') =>
          found
            .filter((change) => change[kind] !== undefined)
            .map((change) => [change[kind], change.op, change.hash]);
        expect(pick('output').sort()).toEqual(operations(own(outputs), own(laterOutputs)));
        expect(pick('check').sort()).toEqual(operations(own(checks), own(laterChecks)));
      }),
    );
  });

  it('never takes an output for an instance or a check result', () => {
    const [output] = frameChanges({ outputs: {}, checks: {} }, { outputs: { 't.a': 'h' }, checks: {} });
    const [check] = frameChanges({ outputs: {}, checks: {} }, { outputs: {}, checks: { 't.a': 'h' } });
    const [instance] = nodeChanges([], [node('t.a', 'h')]);
    expect(new Set([output?.key, check?.key, instance?.key]).size).toBe(3);
  });
});
