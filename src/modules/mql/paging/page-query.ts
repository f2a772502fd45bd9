import {
  canonicalText,
  type CanonicalText,
  parseStatement,
  sameMeaning,
} from '../analysis/canonical-text.js';
import { lookupOf } from '../analysis/late-columns.rules.js';
import { QueryRefused } from '../mql.errors.js';
import type { PagePosition } from './page-position.js';
import type { CheckedQuery } from '../analysis/query-guard.js';
import { fieldsOf, listOf, type Tree } from '../analysis/query-tree.js';
import { type OrderedColumn, pageByOffset, wholeResult } from '../analysis/row-limits.rules.js';

/** One page of a query as it is sent: rows as JSON text, and the values they are ordered by. */
export interface PageQuery {
  sql: string;
  /** the caller's part of it, and where it begins (in bytes) */
  inner: CanonicalText;
  innerStart: number;
}

/** What our words around a SELECT are. */
interface Layer {
  before: string;
  after: string;
}

/** The types of rows and of lists of them: what they are written as cannot be read again. */
const ROWS = '2249, 2287';

/** The page at a position; one row more than the limit says whether there is another. */
export function pageQuery(query: CheckedQuery, position: PagePosition | undefined): PageQuery {
  const keys = hasKeyset(query) ? (query.order?.columns ?? []) : [];
  const row = unusedName(query.columns);
  const names = query.columns.map((name) => `${row}.${quoted(name)}`);
  const values = keys.map(({ ordinal }) => `${names[ordinal - 1] ?? ''}::text`);
  if (keys.length > 0) values.push(`(${sameAsBefore(keys, names)})::text`);
  const rowValues = keys.map(({ ordinal }) => `pg_typeof(${names[ordinal - 1] ?? ''})::oid IN (${ROWS})`);
  const list = `ARRAY[${values.join(', ')}]::text[]`;
  const shown = keys.length > 0 ? `CASE WHEN NOT (${rowValues.join(' OR ')}) THEN ${list} END` : list;
  const layers: Layer[] = [
    {
      before: `SELECT row_to_json(${row})::text, ${shown} FROM (`,
      after: `) AS ${row}`,
    },
  ];
  if (query.late.length > 0) layers.push(lookingUp(query, names, row));
  if (position?.keys === undefined) {
    const offset = position?.at ?? query.offset;
    return composed(layers, pageByOffset(query.statement, ties(query), offset, query.limit + 1));
  }
  const from = keys.map((key, index) => ({ ...key, value: position.keys?.[index] ?? null }));
  const order = [
    ...keys.map((key) => orderItem(names[key.ordinal - 1] ?? '', key)),
    ...ties(query).map((ordinal) => names[ordinal - 1] ?? ''),
  ];
  layers.push({
    before: 'SELECT * FROM (',
    after: `) AS ${row} WHERE ${atOrAfter(from, names)} ORDER BY ${order.join(', ')} LIMIT ${query.limit + 1} OFFSET ${position.skip ?? 0}`,
  });
  return composed(layers, wholeResult(query.statement, ties(query)));
}

/** Whether a row has the values of the row before: 1.0 equals 1.00, although they are written differently. */
function sameAsBefore(keys: readonly OrderedColumn[], names: readonly string[]): string {
  const nameOf = ({ ordinal }: OrderedColumn) => names[ordinal - 1] ?? '';
  return keys.map((key) => `${nameOf(key)} IS NOT DISTINCT FROM lag(${nameOf(key)}) OVER ()`).join(' AND ');
}

function lookingUp(query: CheckedQuery, names: readonly string[], row: string): Layer {
  const late = new Map(query.late.map((column) => [column.ordinal, column]));
  const list = names.map((name, index) => {
    const column = late.get(index + 1);
    return column ? `${lookupOf(column, name)} AS ${quoted(query.columns[index] ?? '')}` : name;
  });
  return { before: `SELECT ${list.join(', ')} FROM (`, after: `) AS ${row}` };
}

/** Whether the next page can be found by the values of the last row. */
export function hasKeyset({ order }: CheckedQuery): boolean {
  return order !== undefined && order.obstacle === undefined;
}

/** Columns the order does not name. */
function ties(query: CheckedQuery): number[] {
  if (!query.order) return [];
  const named = new Set(hasKeyset(query) ? query.order.columns.map(({ ordinal }) => ordinal) : []);
  return query.ordinals.filter((ordinal) => !named.has(ordinal));
}

/** The whole text is parsed once more: between our words stands exactly the checked tree. */
function composed(layers: readonly Layer[], tree: Tree): PageQuery {
  const inner = canonicalText(tree);
  const head = layers.map(({ before }) => before).join('');
  const tail = layers
    .map(({ after }) => after)
    .reverse()
    .join('');
  const sql = `${head}${inner.sql}${tail}`;
  const found = layers.reduce<unknown>(innerSelect, parseStatement(sql));
  if (!sameMeaning(tree, found)) throw new QueryRefused('QUERY_ERR', 'the query cannot be paged');
  return { sql, inner, innerStart: Buffer.byteLength(head) };
}

function innerSelect(statement: unknown): unknown {
  const [item] = listOf(fieldsOf(statement, 'SelectStmt')?.['fromClause']);
  return fieldsOf(item, 'RangeSubselect')?.['subquery'];
}

type KeyValue = OrderedColumn & { value: string | null };

/** Rows from the first one on that has these values: those before it in the complete order are skipped by number. */
function atOrAfter(keys: readonly KeyValue[], names: readonly string[]): string {
  const nameOf = (key: KeyValue) => names[key.ordinal - 1] ?? '';
  const equal = (key: KeyValue) =>
    key.value === null ? `${nameOf(key)} IS NULL` : `${nameOf(key)} = ${literal(key.value)}`;
  const later = keys.map((key, index) => [...keys.slice(0, index).map(equal), after(nameOf(key), key)]);
  return [...later, keys.map(equal)].map((conditions) => `(${conditions.join(' AND ')})`).join(' OR ');
}

function after(name: string, { value, descending, nullsFirst }: KeyValue): string {
  if (value === null) return nullsFirst ? `${name} IS NOT NULL` : 'false';
  const further = `${name} ${descending ? '<' : '>'} ${literal(value)}`;
  return nullsFirst ? further : `(${further} OR ${name} IS NULL)`;
}

function orderItem(name: string, { descending, nullsFirst }: OrderedColumn): string {
  return `${name} ${descending ? 'DESC' : 'ASC'} NULLS ${nullsFirst ? 'FIRST' : 'LAST'}`;
}

function unusedName(columns: readonly string[]): string {
  let name = 'page_row';
  while (columns.includes(name)) name += '_';
  return name;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** The server runs with standard_conforming_strings, so that only quotes are special. */
function literal(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}
