import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { mqlErrors } from '../mql.errors.js';

/** Where a page begins. */
export interface PagePosition {
  /** rows before it, counted from the first row of the query without LIMIT and OFFSET */
  at: number;
  /** values of the ordered columns that its first rows have, as PostgreSQL writes them */
  keys?: (string | null)[];
  /** how many rows with these values stand before it */
  skip?: number;
}

const MARK_BYTES = 16;

/** An opaque token: the position, and a signature over it and over the query it belongs to. */
export function sealPosition(position: PagePosition, query: string, secret: Buffer): string {
  const { at, keys, skip } = position;
  const body = Buffer.from(JSON.stringify(keys ? [at, skip ?? 0, keys] : [at]));
  return Buffer.concat([markOf(body, query, secret), body]).toString('base64url');
}

/** Throws for what was not sealed with this secret, or for another query. */
export function openPosition(token: string, query: string, secret: Buffer): PagePosition {
  const bytes = Buffer.from(token, 'base64url');
  const [mark, body] = [bytes.subarray(0, MARK_BYTES), bytes.subarray(MARK_BYTES)];
  const expected = markOf(body, query, secret);
  if (mark.length !== expected.length || !timingSafeEqual(mark, expected)) throw mqlErrors.APPLY_PAGE_ERR();
  const [at, skip, keys] = JSON.parse(body.toString()) as [number, number?, (string | null)[]?];
  return keys ? { at, skip: skip ?? 0, keys } : { at };
}

function markOf(body: Buffer, query: string, secret: Buffer): Buffer {
  const bound = createHash('sha256').update(query).digest();
  return createHmac('sha256', secret)
    .update('mql page')
    .update(bound)
    .update(body)
    .digest()
    .subarray(0, MARK_BYTES);
}
