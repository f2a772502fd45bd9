import { httpErrors } from '../../../platform/errors/index.js';
import { decodePageToken, encodePageToken, pageLimit } from '../../../platform/http/index.js';
import { isUuid } from '../../../platform/text/uuid.js';

export type Direction = 'next' | 'prev';
export type PageKeys = readonly (string | number)[];

/** Where a page begins; `keys` are the sort keys of the row before (`next`) or after (`prev`) it. */
export interface PagePosition {
  direction: Direction;
  keys: PageKeys;
}

export interface KeysetPage<Row> {
  rows: Row[];
  next?: string;
  prev?: string;
}

/** `list` names the list and its order: a token of another one is refused. `isKey` checks each key's type. */
export function decodePosition(
  token: string | undefined,
  list: string,
  keyTypes: readonly ('text' | 'integer' | 'uuid')[],
): PagePosition | undefined {
  if (token === undefined) return undefined;
  const [name, direction, ...keys] = decodePageToken(token, keyTypes.length + 2);
  const isOfList = name === list && (direction === 'next' || direction === 'prev');
  if (!isOfList || !keys.every((key, index) => isKey(key, keyTypes[index])))
    throw httpErrors.INVALID_REQUEST('page is not a page token of this list');
  return { direction, keys: keys as (string | number)[] };
}

function isKey(key: unknown, type: 'text' | 'integer' | 'uuid' | undefined): boolean {
  if (type === 'integer') return typeof key === 'number' && Number.isInteger(key) && Math.abs(key) < 2 ** 31;
  if (typeof key !== 'string' || key.includes('\u0000')) return false;
  return type === 'uuid' ? isUuid(key) : true;
}

/** Builds a page from rows in reading order of `position`, one more than the limit where there are more. */
export function keysetPage<Row>(
  found: readonly Row[],
  limit: number,
  options: { list: string; position: PagePosition | undefined; keysOf: (row: Row) => PageKeys },
): KeysetPage<Row> {
  const { list, position, keysOf } = options;
  const hasMore = found.length > limit;
  const isBackward = position?.direction === 'prev';
  const rows = found.slice(0, limit);
  if (isBackward) rows.reverse();
  const [first, last] = [rows[0], rows.at(-1)];
  const hasNext = isBackward ? position !== undefined : hasMore;
  const hasPrev = isBackward ? hasMore : position !== undefined;
  return {
    rows,
    ...(hasNext && last !== undefined ? { next: encodePageToken([list, 'next', ...keysOf(last)]) } : {}),
    ...(hasPrev && first !== undefined ? { prev: encodePageToken([list, 'prev', ...keysOf(first)]) } : {}),
  };
}

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;

/** The `limit` of lists of code hosting: 20 by default, above 100 counts as 100. */
export function listLimit(limit: string | undefined): number {
  return pageLimit(limit, DEFAULT_LIMIT, MAX_LIMIT);
}
