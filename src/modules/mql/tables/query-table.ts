/** Types a column of a queryable table can have. */
export type ColumnType =
  | 'uuid'
  | 'text'
  | 'integer'
  | 'bigint'
  | 'boolean'
  | 'numeric'
  | 'timestamptz'
  | 'jsonb'
  | 'text[]';

export interface QueryColumn {
  type: ColumnType;
  description: string;
  /** SQL over `from`, of exactly that type; text in the collation "C" */
  value: string;
  /** the value keeps to `MAX_VALUE_BYTES` by itself, as names and enumerations do: the view bounds all others */
  isBounded?: boolean;
}

/**
 * A table that SQL queries can read. The view, the answer of /mql/schema and the allow-list are made of it. The owning
 * module adds it with `QueryTables.add`.
 */
export interface QueryTable {
  name: string;
  description: string;
  /** what stands behind FROM */
  from: string;
  /** which rows belong to the tenants; `tenants` is an SQL expression of type uuid[] */
  where: (tenants: string) => string;
  columns: Readonly<Record<string, QueryColumn>>;
  shortcuts?: IndexShortcuts;
}

/**
 * Conditions that an index could answer and that a barrier view does not let through, because their operators are not
 * marked leakproof: the view has a twin `<name>_indexed` with columns that carry them (docs/adr/0005).
 */
export interface IndexShortcuts {
  /** text columns, and an SQL expression of their first 512 characters as the index has it */
  prefixes: Readonly<Record<string, string>>;
  /** jsonb columns with a GIN index, and their SQL expression */
  containments: Readonly<Record<string, string>>;
  /** SQL expressions of what tells a row apart */
  rowKey?: readonly [state: string, key: string];
  /** columns that are costly to compute: found again by the row's key for the rows of a page only */
  late?: readonly string[];
}

/** The schema of the views; queries read nothing else. */
export const QUERY_SCHEMA = 'mql';

/** Characters of a text column that an index holds. */
export const PREFIX_LENGTH = 512;
/** Containments that one query can have answered by an index; further ones are evaluated as they stand. */
export const MOST_CONTAINMENTS = 4;

export const twinOf = (table: string): string => `${table}_indexed`;
export const prefixColumn = (column: string): string => `${column}_start`;
export const containmentColumn = (column: string, number: number): string => `${column}_contain_${number}`;
export const ROW_KEY_COLUMNS = ['row_state', 'row_key'] as const;
/** Both parts of the row's key in one value, standing for a late column until the page is known. */
export const LATE_COLUMN = 'row_late';
