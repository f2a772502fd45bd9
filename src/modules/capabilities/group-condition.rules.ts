import { isStorable } from '../../platform/database/storable-text.js';

/** `group` is a name, or a prefix when it ends in `*`. */
export type GroupCondition = { group: string } | { any: GroupCondition[] } | { all: GroupCondition[] };

const MAX_DEPTH = 8;
const MAX_PARTS = 100;

/** Reads a condition as it comes over the wire; undefined when it is malformed. */
export function parseCondition(value: unknown, depth = 0): GroupCondition | undefined {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return undefined;
  const [entry, ...more] = Object.entries(value);
  if (!entry || more.length > 0) return undefined;
  const [key, given] = entry as [string, unknown];
  if (key === 'group') return typeof given === 'string' && isPattern(given) ? { group: given } : undefined;
  if (key !== 'any' && key !== 'all') return undefined;
  const parts = parseParts(given, depth + 1);
  if (!parts) return undefined;
  return key === 'any' ? { any: parts } : { all: parts };
}

function parseParts(given: unknown, depth: number): GroupCondition[] | undefined {
  if (!Array.isArray(given) || given.length === 0 || given.length > MAX_PARTS) return undefined;
  const parts = given.map((part) => parseCondition(part, depth));
  const valid = parts.filter((part) => part !== undefined);
  return valid.length < parts.length ? undefined : valid;
}

/** Whether somebody in these groups meets the condition. */
export function matches(condition: GroupCondition, groups: readonly string[]): boolean {
  if ('group' in condition) {
    const { group } = condition;
    if (!group.endsWith('*')) return groups.includes(group);
    return groups.some((name) => name.startsWith(group.slice(0, -1)));
  }
  if ('any' in condition) return condition.any.some((part) => matches(part, groups));
  return condition.all.every((part) => matches(part, groups));
}

/** A star anywhere but at the end would not do what its author thinks. */
function isPattern(text: string): boolean {
  return text.trim() !== '' && text.length <= 255 && isStorable(text) && !text.slice(0, -1).includes('*');
}
