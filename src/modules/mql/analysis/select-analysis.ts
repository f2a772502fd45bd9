import { nameOfColumn, numberedName } from './column-names.js';
import { largest } from './expansion.rules.js';
import { ExpressionAnalysis } from './expression-analysis.js';
import { FromAnalysis, type WithQueries } from './from-analysis.js';
import { IndexShortcutRewrite } from './index-shortcuts.rules.js';
import { type LateColumn, postponeColumns } from './late-columns.rules.js';
import { QueryRefused } from '../mql.errors.js';
import { type Expansion, NameScope, type SourceColumn } from './name-scope.js';
import type { QueryTable } from '../tables/query-table.js';
import {
  columnRef,
  constantInteger,
  fieldsOf,
  listOf,
  locationOf,
  namesOf,
  nodeOf,
  plainName,
  textOf,
  type Tree,
} from './query-tree.js';

const MOST_COLUMNS = 400;
/** Columns of all SELECTs of a query together, with `*` spelled out: what has to be parsed again. */
const MOST_SPELLED = 4000;
/** References of all columns of one SELECT together: what the planner has to hold. */
const MOST_REFS = 5000;
const NO_QUERIES: WithQueries = new Map();

/** What the analysis of a whole query found out. */
export interface AnalysedSelect {
  /** names of the columns of the result */
  columns: string[];
  /** ordinals of the columns, those that are costly to compare last */
  ordinals: number[];
  late: LateColumn[];
  /** jsonb texts that conditions look for, in the order of the twin views' columns */
  containments: string[];
  /** some aggregate gathers many rows into one value */
  collects: boolean;
}

/**
 * Resolves every name of a query and makes the tree explicit: `*` becomes columns, tables become views, columns of the
 * result get the names that PostgreSQL would give them. The grammar has been checked.
 */
export class SelectAnalysis {
  private readonly expressions: ExpressionAnalysis;
  private readonly from: FromAnalysis;
  private readonly shortcuts = new IndexShortcutRewrite();
  private withQueries: WithQueries = NO_QUERIES;
  private spelled = 0;
  private readonly scopes = new Map<Tree, NameScope>();

  constructor(tables: ReadonlyMap<string, QueryTable>) {
    this.expressions = new ExpressionAnalysis((select, scope) => this.nested(select, scope));
    this.from = new FromAnalysis(tables, this.expressions, (select, parent, withQueries) =>
      this.select(select, parent, withQueries),
    );
  }

  analyse(select: Tree): AnalysedSelect {
    const found = this.select(select, undefined, NO_QUERIES);
    const columns = found.map((column) => column.name);
    makeUnique(select, columns);
    const scope = this.scopes.get(select);
    const late = scope ? postponeColumns(select, scope, columns) : [];
    const ordinals = found.map((_, index) => index + 1);
    const standIns = new Set(late.map(({ ordinal }) => ordinal));
    // What stands in for a late column tells every row apart.
    const width = (ordinal: number) =>
      standIns.has(ordinal) ? -1 : Number(found[ordinal - 1]?.wide === true);
    ordinals.sort((a, b) => width(a) - width(b) || a - b);
    return {
      columns,
      ordinals,
      late,
      containments: this.shortcuts.containments,
      collects: this.expressions.gathering.collects,
    };
  }

  private nested(select: Tree, scope: NameScope): Expansion {
    const columns = this.select(select, scope, this.withQueries);
    return {
      ...largest(columns),
      refs: columns.reduce((total, column) => total + column.refs, 1),
    };
  }

  private select(select: Tree, parent: NameScope | undefined, around: WithQueries): readonly SourceColumn[] {
    const before = this.withQueries;
    this.withQueries = this.withClause(select, parent, around);
    try {
      const operation = textOf(select['op']) ?? 'SETOP_NONE';
      if (operation !== 'SETOP_NONE') return this.setOperation(select, parent);
      if (select['valuesLists'] !== undefined) return this.values(select, parent);
      return this.plain(select, parent);
    } finally {
      this.withQueries = before;
    }
  }

  private withClause(select: Tree, parent: NameScope | undefined, around: WithQueries): WithQueries {
    const known = new Map(around);
    for (const each of listOf((select['withClause'] as Tree | undefined)?.['ctes'])) {
      const cte = fieldsOf(each, 'CommonTableExpr');
      const query = fieldsOf(cte?.['ctequery'], 'SelectStmt');
      const name = textOf(cte?.['ctename']);
      if (!query || name === undefined)
        throw new QueryRefused('QUERY_ERR', 'WITH queries must be SELECT', locationOf(cte));
      const counted = this.from.relations;
      const columns = this.select(query, parent, known);
      const names = namesOf(cte?.['aliascolnames']);
      known.set(name, {
        columns: columns.map((column, index) => ({ ...column, name: names[index] ?? column.name })),
        relations: Math.max(1, this.from.relations - counted),
      });
    }
    return known;
  }

  private plain(select: Tree, parent: NameScope | undefined): readonly SourceColumn[] {
    const items = this.from.items(select['fromClause'], parent, this.withQueries);
    const scope = new NameScope(items, parent);
    this.scopes.set(select, scope);
    this.expressions.analyse(select['whereClause'], scope);
    const columns = this.targets(select, scope);
    this.grouping(select['groupClause'], scope, columns);
    this.expressions.analyse(select['havingClause'], scope);
    for (const window of listOf(select['windowClause']))
      this.expressions.window(fieldsOf(window, 'WindowDef') ?? {}, scope);
    for (const each of listOf(select['distinctClause']))
      if (nodeOf(each)) this.ordinalOrName(each, scope, columns);
    this.ordering(select, scope, columns);
    this.limits(select);
    this.shortcuts.apply(select, scope);
    return columns;
  }

  private setOperation(select: Tree, parent: NameScope | undefined): readonly SourceColumn[] {
    const left = this.select(select['larg'] as Tree, parent, this.withQueries);
    const right = this.select(select['rarg'] as Tree, parent, this.withQueries);
    if (left.length !== right.length)
      throw new QueryRefused('QUERY_ERR', 'both sides of UNION, INTERSECT or EXCEPT have as many columns');
    const columns = left.map((column, index) => {
      const other = right[index] ?? column;
      return {
        ...largest([column, other]),
        name: column.name,
        wide: column.wide === true || other.wide === true,
        effort: (column.effort ?? 0) + (other.effort ?? 0),
      };
    });
    const scope = new NameScope(
      { relations: [], visible: columns.map((column) => ({ column, alias: undefined })) },
      undefined,
    );
    this.ordering(select, scope, columns);
    this.limits(select);
    return columns;
  }

  private values(select: Tree, parent: NameScope | undefined): readonly SourceColumn[] {
    const scope = new NameScope({ relations: [], visible: [] }, parent);
    const rows = listOf(select['valuesLists']).map((row) =>
      listOf(fieldsOf(row, 'List')?.['items']).map((value) => this.expressions.costOf(value, scope)),
    );
    const [first = []] = rows;
    const columns = first.map((_, index) => {
      const values = rows.flatMap((row) => row[index] ?? []);
      return {
        ...largest(values),
        name: `column${index + 1}`,
        refs: Math.max(0, ...values.map(({ refs }) => refs)),
        effort: Math.max(0, ...values.map(({ effort }) => effort)),
      };
    });
    this.ordering(select, scope, columns);
    this.limits(select);
    return columns;
  }

  /** Spells out `*` and names every column. */
  private targets(select: Tree, scope: NameScope): SourceColumn[] {
    const spelled = listOf(select['targetList']).flatMap((each) => spellOut(each, scope));
    if (spelled.length === 0) throw new QueryRefused('QUERY_ERR', 'the query has no columns');
    if (spelled.length > MOST_COLUMNS)
      throw new QueryRefused('RESOURCE_LIMIT_ERR', `the query has more than ${MOST_COLUMNS} columns`);
    this.spelled += spelled.length;
    if (this.spelled > MOST_SPELLED)
      throw new QueryRefused(
        'RESOURCE_LIMIT_ERR',
        `its parts have more than ${MOST_SPELLED} columns together`,
      );
    const columns = spelled.map((target) => {
      const name = textOf(target['name']) ?? nameOfColumn(target['val']);
      const cost = this.expressions.costOf(target['val'], scope);
      target['name'] = name;
      return { name, ...cost, refs: Math.max(1, cost.refs), wide: isWide(target['val'], scope) };
    });
    if (columns.reduce((total, { refs }) => total + refs, 0) > MOST_REFS)
      throw new QueryRefused('RESOURCE_LIMIT_ERR', `the columns stand for more than ${MOST_REFS} columns`);
    select['targetList'] = spelled.map((target) => ({ ResTarget: target }));
    return columns;
  }

  private grouping(list: unknown, scope: NameScope, columns: readonly SourceColumn[]): void {
    for (const each of listOf(list)) {
      if (isOrdinal(each, columns)) continue;
      const name = plainName(each);
      // A name is a column of FROM first, and of the result when there is none.
      if (name !== undefined && columns.some((column) => column.name === name) && !isVisible(scope, name))
        continue;
      this.expressions.analyse(each, scope);
    }
  }

  private ordering(select: Tree, scope: NameScope, columns: readonly SourceColumn[]): void {
    for (const each of listOf(select['sortClause']))
      this.ordinalOrName(fieldsOf(each, 'SortBy')?.['node'], scope, columns);
  }

  private ordinalOrName(value: unknown, scope: NameScope, columns: readonly SourceColumn[]): void {
    const name = plainName(value);
    if (isOrdinal(value, columns)) return;
    if (name !== undefined && columns.some((column) => column.name === name)) return;
    this.expressions.analyse(value, scope);
  }

  /** Numbers only: everything else would be evaluated. */
  private limits(select: Tree): void {
    for (const field of ['limitCount', 'limitOffset']) {
      const value = select[field];
      const isNone = fieldsOf(value, 'A_Const')?.['isnull'] === true;
      if (value !== undefined && !isNone && (constantInteger(value) ?? -1) < 0)
        throw new QueryRefused(
          'QUERY_ERR',
          'LIMIT and OFFSET are whole numbers, zero or more',
          locationOf(nodeOf(value)?.fields),
        );
    }
  }
}

function spellOut(value: unknown, scope: NameScope): Tree[] {
  const target = fieldsOf(value, 'ResTarget');
  if (!target) throw new QueryRefused('QUERY_ERR', 'the query cannot be understood');
  const reference = fieldsOf(target['val'], 'ColumnRef');
  const parts = listOf(reference?.['fields']);
  if (!reference || nodeOf(parts.at(-1))?.kind !== 'A_Star') return [target];
  const place = locationOf(reference);
  const [alias] = namesOf(parts);
  if (parts.length > 2 || (parts.length === 2 && alias === undefined))
    throw new QueryRefused('QUERY_ERR', 'write * or table.*', place);
  if (parts.length === 2 && alias !== undefined) {
    return scope
      .relation(alias, place)
      .columns.map(({ name, sent }) => ({ name, val: columnRef(alias, sent ?? name) }));
  }
  if (scope.items.visible.length === 0)
    throw new QueryRefused('QUERY_ERR', 'there is nothing to list', place);
  return scope.items.visible.map(({ column, alias: owner }) => ({
    name: column.name,
    val: owner === undefined ? columnRef(column.name) : columnRef(owner, column.sent ?? column.name),
  }));
}

function isWide(value: unknown, scope: NameScope): boolean {
  const names = namesOf(fieldsOf(value, 'ColumnRef')?.['fields']);
  const [first = '', second] = names;
  if (names.length === 0) return false;
  const { column } =
    second === undefined
      ? scope.resolve(undefined, first, undefined)
      : scope.resolve(first, second, undefined);
  return column.wide === true;
}

function isVisible(scope: NameScope, name: string): boolean {
  return scope.items.visible.some(({ column }) => column.name === name);
}

function isOrdinal(value: unknown, columns: readonly SourceColumn[]): boolean {
  const ordinal = constantInteger(value);
  if (ordinal === undefined) return false;
  if (ordinal < 1 || ordinal > columns.length)
    throw new QueryRefused(
      'QUERY_ERR',
      `there is no column ${ordinal} in the result`,
      locationOf(nodeOf(value)?.fields),
    );
  return true;
}

/** Two columns of one name would be one member of a row: the second becomes `name_2`. */
function makeUnique(select: Tree, columns: string[]): void {
  let first = select;
  while (first['larg'] !== undefined) first = first['larg'] as Tree;
  const targets = listOf(first['targetList']);
  const seen = new Set<string>();
  columns.forEach((name, index) => {
    let unique = name;
    for (let number = 2; seen.has(unique) || (unique !== name && columns.includes(unique)); number++)
      unique = numberedName(name, number);
    seen.add(unique);
    if (unique === name) return;
    columns[index] = unique;
    const target = fieldsOf(targets[index], 'ResTarget');
    if (target) target['name'] = unique;
  });
}
