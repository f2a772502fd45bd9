import { isStorable } from '../database/storable-text.js';
import { httpErrors } from '../errors/app-error.js';
import { isUuid } from '../text/uuid.js';

/** Opaque page tokens: base64url of a JSON array of the last row's sort keys. A malformed one is 400. */
export function encodePageToken(keys: readonly (string | number | null)[]): string {
  return Buffer.from(JSON.stringify(keys)).toString('base64url');
}

export function decodePageToken(token: string, length: number, name = 'page'): (string | number | null)[] {
  try {
    const keys: unknown = JSON.parse(Buffer.from(token, 'base64url').toString());
    const scalar = (k: unknown) => k === null || typeof k === 'string' || typeof k === 'number';
    if (Array.isArray(keys) && keys.length === length && keys.every(scalar)) return keys;
  } catch {
    // falls through to the same answer
  }
  throw notOfThisList(name);
}

/** The usual sort keys. What is no time or no id was made by another list, and would fail in the statement. */
export function decodeTimeAndId(token: string, name = 'page'): { time: string; id: string } {
  const [time, id] = decodePageToken(token, 2, name);
  if (typeof time !== 'string' || typeof id !== 'string' || !isTime(time) || !isUuid(id))
    throw notOfThisList(name);
  return { time, id };
}

/** A text as the only sort key. */
export function decodeText(token: string, name = 'page'): string {
  const [text] = decodePageToken(token, 1, name);
  if (typeof text !== 'string' || !isStorable(text)) throw notOfThisList(name);
  return text;
}

/** A text and an id, where the id breaks ties. */
export function decodeTextAndId(token: string, name = 'page'): { text: string; id: string } {
  const [text, id] = decodePageToken(token, 2, name);
  if (typeof text !== 'string' || typeof id !== 'string' || !isStorable(text) || !isUuid(id))
    throw notOfThisList(name);
  return { text, id };
}

/** A row number as the only sort key; `largest` is what its column holds. */
export function decodePosition(token: string, largest: number, name = 'page'): number {
  const [position] = decodePageToken(token, 1, name);
  if (typeof position !== 'number' || !Number.isInteger(position) || Math.abs(position) > largest)
    throw notOfThisList(name);
  return position;
}

export const LARGEST_INTEGER = 2 ** 31 - 1;

/** As PostgreSQL writes it, or JSON. */
const TIME =
  /^(\d{4}-\d\d-\d\d)[T ]([01]\d|2[0-3])(:[0-5]\d){2}(\.\d{1,6})?(Z|[+-](0\d|1[0-4])(:?[0-5]\d)?)$/;

function isTime(text: string): boolean {
  const day = TIME.exec(text)?.[1];
  if (day === undefined || day.startsWith('0000')) return false;
  const midnight = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day);
}

function notOfThisList(name: string): Error {
  return httpErrors.INVALID_REQUEST(`${name} is not a page token of this list`);
}
