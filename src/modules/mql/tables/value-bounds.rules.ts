import type { ColumnType, QueryColumn } from './query-table.js';

/** Bytes of a text, of a document's text or of a list above which a view shows a marker instead. */
export const MAX_VALUE_BYTES = 1024 * 1024;
/** What a view shows instead of a larger value. */
export const TOO_LARGE = '(too large for SQL queries)';

/** Bytes as stored that are no more than 2 MiB unpacked, at the best compression there is (255 to 1). */
const SURELY_SMALL = 8 * 1024;
/** Bytes as stored, compressed, from which on a value is not unpacked to find out how large it is. */
const SURELY_LARGE = 128 * 1024;

/** A plain column, which costs nothing to name twice. */
const PLAIN_COLUMN = /^\w+\.\w+( COLLATE "C")?$/;

/**
 * SQL for a column of a view whose values are bounded in bytes: a query may look at a value a hundred times, and each
 * time takes memory of several times its size.
 */
export function boundedValue({ type, value, isBounded }: QueryColumn): string {
  const bounded = BOUNDS[type];
  if (!bounded || isBounded === true) return value;
  // A sub-select evaluates an expression once.
  return PLAIN_COLUMN.test(value)
    ? bounded(value)
    : `(SELECT ${bounded('v')} FROM (SELECT ${value} AS v OFFSET 0) bounded)`;
}

const BOUNDS: Partial<Record<ColumnType, (value: string) => string>> = {
  jsonb: boundedDocument,
  // The size of a text is known without unpacking it.
  text: (v) =>
    `CASE WHEN octet_length(${v}) <= ${MAX_VALUE_BYTES} THEN ${v} WHEN ${v} IS NOT NULL THEN '${TOO_LARGE}' END`,
  'text[]': (v) =>
    `CASE WHEN pg_column_size(${v}) <= ${MAX_VALUE_BYTES} THEN ${v} WHEN ${v} IS NOT NULL THEN ARRAY['${TOO_LARGE}'] END`,
};

/** What decides is the size as stored, as far as it can. */
function boundedDocument(v: string): string {
  return `CASE WHEN pg_column_size(${v}) <= ${SURELY_SMALL} THEN ${v}
    WHEN pg_column_compression(${v}) IS NULL AND pg_column_size(${v}) <= ${MAX_VALUE_BYTES} THEN ${v}
    WHEN pg_column_size(${v}) <= ${SURELY_LARGE} AND octet_length(${v}::text) <= ${MAX_VALUE_BYTES} THEN ${v}
    WHEN ${v} IS NOT NULL THEN ${MARKER} END`;
}

/** The marker as SQL. */
export const MARKER = `'"${TOO_LARGE}"'::jsonb`;
