import { isRecord } from '../../../platform/json/is-record.js';

/** Reads what a code host says. Nothing of it is trusted to have the documented form. */
export type JsonObject = Readonly<Record<string, unknown>>;

const MAX_ID_LENGTH = 64;

function valueAt(value: unknown, path: readonly string[]): unknown {
  let current = value;
  for (const name of path) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, name)) return undefined;
    current = (current as JsonObject)[name];
  }
  return current;
}

export function objectAt(value: unknown, ...path: string[]): JsonObject | undefined {
  const found = valueAt(value, path);
  return isRecord(found) ? found : undefined;
}

export function listAt(value: unknown, ...path: string[]): readonly unknown[] {
  const found = valueAt(value, path);
  return Array.isArray(found) ? found : [];
}

/** Without characters that PostgreSQL cannot store. */
export function textAt(value: unknown, ...path: string[]): string | undefined {
  const found = valueAt(value, path);
  return typeof found === 'string' ? found.replace(/[\0\p{Cs}]/gu, '\ufffd') : undefined;
}

/** As `textAt`; an empty text counts as absent. */
export function wordAt(value: unknown, ...path: string[]): string | undefined {
  const text = textAt(value, ...path);
  return text === '' ? undefined : text;
}

export function numberAt(value: unknown, ...path: string[]): number | undefined {
  const found = valueAt(value, path);
  return typeof found === 'number' && Number.isFinite(found) ? found : undefined;
}

/** A number that fits PostgreSQL's `integer` and counts from 1. */
export function ordinalAt(value: unknown, ...path: string[]): number | undefined {
  const found = numberAt(value, ...path);
  return found !== undefined && Number.isInteger(found) && found > 0 && found < 2 ** 31 ? found : undefined;
}

export function flagAt(value: unknown, ...path: string[]): boolean {
  return valueAt(value, path) === true;
}

/** A whole number as text, the form in which ids of a code host are kept. */
export function idAt(value: unknown, ...path: string[]): string | undefined {
  const found = valueAt(value, path);
  if (typeof found === 'number' && Number.isSafeInteger(found) && found >= 0) return String(found);
  return typeof found === 'string' && /^\d+$/.test(found) && found.length <= MAX_ID_LENGTH
    ? found
    : undefined;
}

export function dateAt(value: unknown, ...path: string[]): Date | undefined {
  const found = textAt(value, ...path);
  if (found === undefined) return undefined;
  const date = new Date(found);
  const year = date.getUTCFullYear();
  return year >= 1970 && year < 10_000 ? date : undefined;
}

/** What a provider answers to a comment of this service. */
export function toWrittenComment(json: unknown): { id: string; createdAt: Date | undefined } | undefined {
  const id = idAt(json, 'id');
  return id === undefined ? undefined : { id, createdAt: dateAt(json, 'created_at') };
}
