import { httpErrors } from '../errors/app-error.js';

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
  throw httpErrors.INVALID_REQUEST(`${name} is not a page token of this list`);
}
