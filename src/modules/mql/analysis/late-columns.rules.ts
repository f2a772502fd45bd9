import type { NameScope } from './name-scope.js';
import { LATE_COLUMN, ROW_KEY_COLUMNS, QUERY_SCHEMA, twinOf } from '../tables/query-table.js';
import { columnRef, fieldsOf, listOf, namesOf, type Tree } from './query-tree.js';
import { orderOf } from './row-limits.rules.js';
import { useTwin } from './index-shortcuts.rules.js';

/** A column of the result that is looked up when the rows of the page are known. */
export interface LateColumn {
  ordinal: number;
  table: string;
  column: string;
}

/**
 * With ORDER BY and LIMIT every row is made before the few that are shown are chosen. Columns that are costly to make
 * are stood in for by the key of their row; nothing else may look at them.
 */
export function postponeColumns(select: Tree, scope: NameScope, columns: readonly string[]): LateColumn[] {
  const order = orderOf(select, columns);
  const isPlain = ['distinctClause', 'groupClause', 'havingClause', 'larg'].every(
    (field) => select[field] === undefined,
  );
  if (!order || order.obstacle !== undefined || !isPlain) return [];
  const ordered = new Set(order.columns.map(({ ordinal }) => ordinal));
  return listOf(select['targetList']).flatMap((each, index) => {
    const target = fieldsOf(each, 'ResTarget');
    const names = namesOf(fieldsOf(target?.['val'], 'ColumnRef')?.['fields']);
    const column = names.at(-1);
    if (!target || column === undefined || ordered.has(index + 1)) return [];
    const [first = ''] = names;
    const { relation } = scope.resolve(names.length === 2 ? first : undefined, column, undefined);
    const base = relation?.base;
    if (!relation || !base?.table.shortcuts?.late?.includes(column)) return [];
    useTwin(relation);
    target['val'] = columnRef(relation.alias, LATE_COLUMN);
    return [{ ordinal: index + 1, table: base.table.name, column }];
  });
}

/** The column of a row, found by its key; `key` is the value that stood in for it. */
export function lookupOf({ table, column }: LateColumn, key: string): string {
  const [state, row] = ROW_KEY_COLUMNS;
  return `(SELECT late."${column}" FROM ${QUERY_SCHEMA}."${twinOf(table)}" late WHERE late.${state} = (${key})[1] AND late.${row} = (${key})[2])`;
}
