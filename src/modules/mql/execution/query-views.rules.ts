import {
  containmentColumn,
  LATE_COLUMN,
  MOST_CONTAINMENTS,
  prefixColumn,
  QUERY_SCHEMA,
  type QueryTable,
  ROW_KEY_COLUMNS,
  twinOf,
} from '../tables/query-table.js';
import { boundedValue } from '../tables/value-bounds.rules.js';

/** Evaluated once a query, before anything is read. */
const TENANTS = '(SELECT mql.tenant_ids())';

/** The statements that make the views of a table. */
export function viewsOf(table: QueryTable): string[] {
  const columns = Object.entries(table.columns).map(
    ([name, column]) => `${boundedValue(column)} AS "${name}"`,
  );
  const view = (name: string, list: readonly string[]) =>
    `CREATE VIEW ${QUERY_SCHEMA}."${name}" WITH (security_barrier) AS SELECT ${list.join(', ')} FROM ${table.from} WHERE ${table.where(TENANTS)}`;
  const comments = Object.entries(table.columns).map(
    ([name, { description }]) =>
      `COMMENT ON COLUMN ${QUERY_SCHEMA}."${table.name}"."${name}" IS ${literal(description)}`,
  );
  return [
    view(table.name, columns),
    `COMMENT ON VIEW ${QUERY_SCHEMA}."${table.name}" IS ${literal(table.description)}`,
    ...comments,
    ...(table.shortcuts ? [view(twinOf(table.name), [...columns, ...hidden(table)])] : []),
  ];
}

/** Every view of a table by name. */
export function viewNames(table: QueryTable): string[] {
  return table.shortcuts ? [table.name, twinOf(table.name)] : [table.name];
}

function hidden({ shortcuts }: QueryTable): string[] {
  const prefixes = Object.entries(shortcuts?.prefixes ?? {}).map(
    ([column, value]) => `${value} AS "${prefixColumn(column)}"`,
  );
  const containments = Object.entries(shortcuts?.containments ?? {}).flatMap(([column, value]) =>
    Array.from(
      { length: MOST_CONTAINMENTS },
      (_, index) => `${value} @> mql.contained(${index + 1}) AS "${containmentColumn(column, index + 1)}"`,
    ),
  );
  const key = shortcuts?.rowKey ?? [];
  const parts = key.map((value, index) => `${value} AS "${ROW_KEY_COLUMNS[index] ?? ''}"`);
  const late = key.length > 0 ? [`ARRAY[${key.join(', ')}] AS "${LATE_COLUMN}"`] : [];
  return [...prefixes, ...containments, ...parts, ...late];
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
