import type { OthersChange } from './changes-of-others.js';
import { EVERYTHING, type NodeChange } from '../publishing/document-difference.rules.js';

/** An instance that both sides removed, and where one of them may have moved its object to. */
export interface PossibleMove {
  removed: NodeChange;
  /** keys of instances that came or were replaced, by who brought them */
  destinations: { mine: string[]; theirs: string[] };
}

/**
 * Instances that the writer and others removed while one of them added or replaced an instance of the same type, which
 * may be the same object. Others may have moved the object on in later writes, each of which changed a node of the write
 * before. What both moved to the same place with the same content is in none of the lists.
 * @param brought instances that the writer added or replaced; those of others that the writer has not, or has as they were
 * @param others their changes, which tell what came together
 */
export function possibleMoves(
  removedByBoth: readonly NodeChange[],
  brought: { mine: readonly NodeChange[]; theirs: readonly NodeChange[] },
  others: readonly OthersChange[],
): PossibleMove[] {
  const removals = removedByBoth.filter(isManaged);
  if (removals.length === 0) return [];
  const groupOf = linkedWrites(others);
  return removals.flatMap((removed) => {
    const type = removed.before?.type;
    const group = groupOf(removed.key);
    const mine = brought.mine.filter((change) => isManaged(change) && change.after?.type === type);
    const theirs = brought.theirs.filter(
      (change) =>
        isManaged(change) &&
        change.before?.type === type &&
        group !== undefined &&
        groupOf(change.key) === group,
    );
    if (mine.length + theirs.length === 0) return [];
    return [{ removed, destinations: { mine: mine.map(keyOf), theirs: theirs.map(keyOf) } }];
  });
}

/** Names the group of writes that changed a node. Writes that changed one and the same node belong to one group. */
function linkedWrites(others: readonly OthersChange[]): (key: string) => string | undefined {
  const parents = new Map<string, string>();
  const groupOf = (txId: string): string => {
    let root = txId;
    for (let above = parents.get(root); above !== undefined; above = parents.get(root)) root = above;
    for (let below = txId; below !== root;) {
      const above = parents.get(below) ?? root;
      parents.set(below, root);
      below = above;
    }
    return root;
  };
  const link = (a: string, b: string): void => {
    const [from, to] = [groupOf(a), groupOf(b)];
    if (from !== to) parents.set(from, to);
  };
  const firstWrites = new Map<string, string>();
  for (const { key, tx_id: txId } of others) {
    const first = firstWrites.get(key);
    if (first === undefined) firstWrites.set(key, txId);
    else link(txId, first);
  }
  // A write whose changes the log does not name may have changed any node.
  const unlogged = firstWrites.get(EVERYTHING);
  if (unlogged !== undefined) for (const txId of firstWrites.values()) link(txId, unlogged);
  return (key) => {
    const write = firstWrites.get(key) ?? unlogged;
    return write === undefined ? undefined : groupOf(write);
  };
}

const keyOf = ({ key }: NodeChange): string => key;

function isManaged({ after, before }: NodeChange): boolean {
  return (after ?? before)?.mode === 'managed';
}

/** Whether two instances, given as JSON text, describe one object: the same id, or else the same attributes. */
export function isSameObject(a: string | undefined, b: string | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  const [left, right] = [attributesOf(a), attributesOf(b)];
  if (typeof left['id'] === 'string' && left['id'] !== '') return left['id'] === right['id'];
  return canonicalText(left) === canonicalText(right);
}

function attributesOf(text: string): Record<string, unknown> {
  const instance = JSON.parse(text) as { attributes?: unknown; attributes_flat?: unknown };
  const attributes = instance.attributes ?? instance.attributes_flat;
  return typeof attributes === 'object' && attributes !== null ? (attributes as Record<string, unknown>) : {};
}

function canonicalText(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}
