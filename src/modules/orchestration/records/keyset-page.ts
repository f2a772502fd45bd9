import { decodePageToken, encodePageToken } from '../../../platform/http/index.js';
import { httpErrors } from '../../../platform/errors/index.js';
import { isUuid } from '../../../platform/text/uuid.js';

/** A sort key of a list: its column and the SQL type its text is read as. The last one makes rows unique. */
export interface SortKey {
  column: string;
  type: 'timestamptz' | 'uuid' | 'integer';
}

export interface KeysetPage<Row> {
  rows: Row[];
  next?: string;
  prev?: string;
}

/** Rows of one page, and what the statement needs: conditions over the sort keys, their order, one row more than asked. */
export interface KeysetRequest {
  /** empty on the first page */
  conditions: string[];
  parameters: unknown[];
  order: string;
  limit: number;
  /** SQL of the keys as text, selected as `page_keys` */
  keys: string;
  pageOf<Row extends { page_keys: string[] }>(rows: readonly Row[]): KeysetPage<Row>;
}

export interface KeysetOptions {
  list: string;
  keys: readonly SortKey[];
  sort: 'asc' | 'desc';
  page: string | undefined;
  limit: number;
  /** values already bound */
  bound: number;
}

/**
 * Pages by the position of their first or last row: rows that are inserted meanwhile move nothing. A token is refused
 * when it is of another list or another direction.
 */
export function keysetRequest(options: KeysetOptions): KeysetRequest {
  const { list, keys, sort, page, limit, bound } = options;
  const position = page === undefined ? undefined : decodePosition(page, options);
  const isBackward = position?.rel === 'prev';
  const ascending = (sort === 'asc') !== isBackward;
  const placeholders = keys.map(({ type }, index) => `$${bound + index + 1}::${type}`);
  const columns = keys.map(({ column }) => column);
  return {
    conditions: position
      ? [`(${columns.join(', ')}) ${ascending ? '>' : '<'} (${placeholders.join(', ')})`]
      : [],
    parameters: position?.values ?? [],
    order: columns.map((column) => `${column} ${ascending ? 'ASC' : 'DESC'}`).join(', '),
    limit: limit + 1,
    keys: `ARRAY[${keys.map(textOf).join(', ')}]`,
    pageOf: (rows) => {
      const hasMore = rows.length > limit;
      const kept = rows.slice(0, limit);
      const shown = isBackward ? kept.toReversed() : kept;
      const token = (rel: 'next' | 'prev', row: { page_keys: string[] } | undefined): object =>
        row ? { [rel]: encodePageToken([list, sort, rel, ...row.page_keys]) } : {};
      return {
        rows: shown,
        ...(isBackward || hasMore ? token('next', shown.at(-1)) : {}),
        ...(position && (!isBackward || hasMore) ? token('prev', shown[0]) : {}),
      };
    },
  };
}

const TIME = /^\d{4,6}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

function decodePosition(
  page: string,
  { list, keys, sort }: KeysetOptions,
): { rel: string; values: string[] } {
  const [of, direction, rel, ...values] = decodePageToken(page, keys.length + 3);
  const isValid =
    of === list &&
    direction === sort &&
    (rel === 'next' || rel === 'prev') &&
    values.every((value, index) => isValueOf(keys[index], value));
  if (!isValid) throw httpErrors.INVALID_REQUEST('page is not a page token of this list and order');
  return { rel: String(rel), values: values.map(String) };
}

function isValueOf(key: SortKey | undefined, value: string | number | null): boolean {
  if (typeof value !== 'string') return false;
  switch (key?.type) {
    case 'timestamptz':
      return TIME.test(value) && !Number.isNaN(Date.parse(value));
    case 'uuid':
      return isUuid(value);
    case 'integer':
      return /^\d{1,9}$/.test(value);
    case undefined:
      return false;
  }
}

function textOf({ column, type }: SortKey): string {
  return type === 'timestamptz'
    ? `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
    : `${column}::text`;
}
