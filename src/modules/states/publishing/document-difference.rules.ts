import type { FrameIndex, InstanceNode } from '../../documents/index.js';
import { keyOf } from '../../documents/index.js';

/** The key of a change log row that stands for every instance of the state. */
export const EVERYTHING = '00000000-0000-0000-0000-000000000000';

export type ChangeOperation = 'a' | 'c' | 'r';

/** One instance, output or check result that differs between two documents. */
export interface NodeChange {
  key: string;
  op: ChangeOperation;
  /** the instance address; `output.<name>` or `check.<address>` for the others */
  address: string;
  before?: InstanceNode;
  after?: InstanceNode;
  /** name of the output or check result */
  output?: string;
  check?: string;
  /** hash of the earlier content; undefined when added */
  hashBefore: string | undefined;
  /** hash of the later content; undefined when removed */
  hash: string | undefined;
}

/** Data sources and check results describe no infrastructure of their own: the later one wins, and they never conflict. */
export function isDescriptive({ check, before, after }: NodeChange): boolean {
  return check !== undefined || (after ?? before)?.mode === 'data';
}

/** Chunks only one of two documents has: all that has to be looked at, however large the rest is. */
export function chunkDifference(
  before: readonly string[],
  after: readonly string[],
): { gone: string[]; come: string[] } {
  const earlier = new Set(before);
  const later = new Set(after);
  return {
    gone: [...earlier].filter((hash) => !later.has(hash)),
    come: [...later].filter((hash) => !earlier.has(hash)),
  };
}

/** A document names one instance twice, so that its instances cannot be told apart. */
export class DuplicateInstance extends Error {}

/** What changed between the instances of the chunks that went and those that came. */
export function nodeChanges(gone: readonly InstanceNode[], come: readonly InstanceNode[]): NodeChange[] {
  const earlier = new Map(gone.map((node) => [node.key, node]));
  const changes: NodeChange[] = [];
  const seen = new Set<string>();
  for (const after of come) {
    const { key, address, hash } = after;
    if (seen.has(key))
      throw new DuplicateInstance(`instance ${address.slice(0, 200)} appears more than once`);
    seen.add(key);
    const before = earlier.get(key);
    if (!before) changes.push({ key, op: 'a', address, after, hashBefore: undefined, hash });
    else if (before.hash !== hash)
      changes.push({ key, op: 'c', address, before, after, hashBefore: before.hash, hash });
    earlier.delete(key);
  }
  for (const before of earlier.values()) {
    const { key, address, hash } = before;
    changes.push({ key, op: 'r', address, before, hashBefore: hash, hash: undefined });
  }
  return changes;
}

export function outputKey(name: string): string {
  return keyOf(`\0output\0${name}`);
}

export function checkKey(address: string): string {
  return keyOf(`\0check\0${address}`);
}

/** What changed among outputs and check results. */
export function frameChanges(before: FrameIndex, after: FrameIndex): NodeChange[] {
  return [
    ...namedChanges(before.outputs, after.outputs).map(({ name, ...change }) => ({
      ...change,
      key: outputKey(name),
      address: `output.${name}`,
      output: name,
    })),
    ...namedChanges(before.checks, after.checks).map(({ name, ...change }) => ({
      ...change,
      key: checkKey(name),
      address: `check.${name}`,
      check: name,
    })),
  ];
}

function namedChanges(
  before: Record<string, string>,
  after: Record<string, string>,
): (Pick<NodeChange, 'op' | 'hashBefore' | 'hash'> & { name: string })[] {
  // Outputs may be named like members of every object.
  const earlier = new Map(Object.entries(before));
  const later = new Map(Object.entries(after));
  const names = new Set([...earlier.keys(), ...later.keys()]);
  return [...names]
    .filter((name) => earlier.get(name) !== later.get(name))
    .map((name) => ({
      name,
      op: !earlier.has(name) ? 'a' : later.has(name) ? 'c' : 'r',
      hashBefore: earlier.get(name),
      hash: later.get(name),
    }));
}
