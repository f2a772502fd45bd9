import type { OthersChange } from './changes-of-others.js';
import { EVERYTHING, type NodeChange } from '../publishing/document-difference.rules.js';

/** An instance that both sides removed, and where one of them may have moved its object to. */
export interface PossibleMove {
  removed: NodeChange;
  /** keys */
  destinations: string[];
}

/**
 * Instances that the writer and others removed while one of them added an instance of the same type in the same write,
 * which may be the same object. What both moved to the same place with the same content is in none of the lists.
 * @param added by the writer; by others, as far as the writer does not have it
 * @param others their changes, which tell what came together
 */
export function possibleMoves(
  removedByBoth: readonly NodeChange[],
  added: { mine: readonly NodeChange[]; theirs: readonly NodeChange[] },
  others: readonly OthersChange[],
): PossibleMove[] {
  const writes = new Map<string, Set<string>>();
  for (const { key, tx_id: txId } of others) writes.set(key, (writes.get(key) ?? new Set()).add(txId));
  const unlogged = writes.get(EVERYTHING) ?? new Set<string>();
  const writesOf = (key: string) => new Set([...(writes.get(key) ?? []), ...unlogged]);
  return removedByBoth.filter(isManaged).flatMap((removed) => {
    const type = removed.before?.type;
    const together = writesOf(removed.key);
    const destinations = [
      ...added.mine.filter((change) => isManaged(change) && change.after?.type === type),
      ...added.theirs.filter(
        (change) =>
          isManaged(change) &&
          change.before?.type === type &&
          [...writesOf(change.key)].some((txId) => together.has(txId)),
      ),
    ];
    return destinations.length > 0 ? [{ removed, destinations: destinations.map(({ key }) => key) }] : [];
  });
}

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
