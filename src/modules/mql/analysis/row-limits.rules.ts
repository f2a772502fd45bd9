import {
  constantInteger,
  fieldsOf,
  integerConstant,
  listOf,
  namesOf,
  nodeOf,
  plainName,
  textOf,
  type Tree,
} from './query-tree.js';

/** Rows of a query without LIMIT, and the most of one with it (interface.md 4.9, rules 1 and 2). */
export const DEFAULT_LIMIT = 20;
export const MAX_LIMIT = 1000;

export interface OwnLimits {
  /** rows of a page */
  limit: number;
  /** the query has no LIMIT */
  isDefaultLimit: boolean;
  offset: number;
}

/** One item of ORDER BY that is a column of the result. */
export interface OrderedColumn {
  /** from one */
  ordinal: number;
  descending: boolean;
  nullsFirst: boolean;
}

/** What ORDER BY says; an obstacle is why the next page cannot be found by the values of the last row. */
export interface Order {
  columns: OrderedColumn[];
  obstacle: string | undefined;
}

/** Takes LIMIT and OFFSET of the outermost SELECT. The analysis has made sure that they are numbers. */
export function ownLimits(select: Tree): OwnLimits {
  const limit = constantInteger(select['limitCount']);
  return {
    limit: Math.min(limit ?? DEFAULT_LIMIT, MAX_LIMIT),
    isDefaultLimit: limit === undefined,
    offset: constantInteger(select['limitOffset']) ?? 0,
  };
}

/** Undefined without ORDER BY. */
export function orderOf(select: Tree, columns: readonly string[]): Order | undefined {
  const items = listOf(select['sortClause']);
  if (items.length === 0) return undefined;
  const order: Order = { columns: [], obstacle: undefined };
  for (const item of items) {
    const sort = fieldsOf(item, 'SortBy') ?? {};
    const ordinal = ordinalOf(sort['node'], select, columns);
    if (typeof ordinal === 'string') order.obstacle ??= ordinal;
    else order.columns.push({ ordinal, ...directionOf(sort) });
  }
  return order;
}

/** Position in the row, or the obstacle. */
function ordinalOf(value: unknown, select: Tree, columns: readonly string[]): number | string {
  const ordinal = constantInteger(value);
  if (ordinal !== undefined) return ordinal;
  const reference = fieldsOf(value, 'ColumnRef');
  if (!reference) return 'ORDER_BY_COL_NOT_IDENTIFIER';
  const name = plainName(value);
  const inRow = name === undefined ? -1 : columns.indexOf(name);
  if (inRow >= 0) return inRow + 1;
  const path = namesOf(reference['fields']).join('.');
  const shown = listOf(select['targetList']).findIndex((target) => {
    const source = fieldsOf(fieldsOf(target, 'ResTarget')?.['val'], 'ColumnRef');
    return source !== undefined && namesOf(source['fields']).join('.') === path;
  });
  return shown >= 0 ? shown + 1 : `COLUMN_NOT_IN_ROW ${namesOf(reference['fields']).at(-1) ?? ''}`;
}

/** PostgreSQL counts null as larger than everything. */
function directionOf(sort: Tree): { descending: boolean; nullsFirst: boolean } {
  const descending = sort['sortby_dir'] === 'SORTBY_DESC';
  const nulls = textOf(sort['sortby_nulls']);
  return {
    descending,
    nullsFirst: nulls === 'SORTBY_NULLS_FIRST' || (nulls !== 'SORTBY_NULLS_LAST' && descending),
  };
}

/** The statement with an order that is complete: rows that are still equal are equal in every column. */
export function pageByOffset(
  statement: Tree,
  ordinals: readonly number[],
  offset: number,
  count: number,
): Tree {
  const select = fieldsOf(statement, 'SelectStmt') ?? {};
  const items = listOf(select['sortClause']);
  return withSelect(select, {
    ...(items.length > 0 ? { sortClause: [...items, ...ordinals.map(byOrdinal)] } : {}),
    limitCount: integerConstant(count),
    limitOption: 'LIMIT_OPTION_COUNT',
    ...(offset > 0 ? { limitOffset: integerConstant(offset) } : {}),
  });
}

/** The statement without limits, and without its order unless DISTINCT ON chooses rows by it. */
export function wholeResult(statement: Tree, ordinals: readonly number[]): Tree {
  const select = fieldsOf(statement, 'SelectStmt') ?? {};
  const chooses = listOf(select['distinctClause']).some((each) => nodeOf(each) !== undefined);
  return withSelect(select, {
    ...(chooses ? { sortClause: [...listOf(select['sortClause']), ...ordinals.map(byOrdinal)] } : {}),
    limitOption: 'LIMIT_OPTION_DEFAULT',
  });
}

function withSelect(select: Tree, changes: Tree): Tree {
  const changed = { ...select };
  for (const field of ['sortClause', 'limitCount', 'limitOffset']) delete changed[field];
  return { SelectStmt: { ...changed, ...changes } };
}

function byOrdinal(ordinal: number): Tree {
  return {
    SortBy: {
      node: integerConstant(ordinal),
      sortby_dir: 'SORTBY_DEFAULT',
      sortby_nulls: 'SORTBY_NULLS_DEFAULT',
    },
  };
}
