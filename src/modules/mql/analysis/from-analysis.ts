import { SET_COLUMNS, SET_RETURNING } from './allowed-names.js';
import { numberedName } from './column-names.js';
import { hint } from '../../../platform/text/did-you-mean.js';
import { reachOfColumn } from './expression-effort.rules.js';
import type { ExpressionAnalysis } from './expression-analysis.js';
import { QueryRefused } from '../mql.errors.js';
import { type FromItem, NameScope, NOTHING, type Relation, type SourceColumn } from './name-scope.js';
import { QUERY_SCHEMA, type QueryTable } from '../tables/query-table.js';
import {
  fieldsOf,
  functionName,
  listOf,
  locationOf,
  namesOf,
  nodeOf,
  textOf,
  type Tree,
} from './query-tree.js';

/** WITH queries that a SELECT can see, by name, with how many tables each stands for. */
export type WithQueries = ReadonlyMap<string, { columns: readonly SourceColumn[]; relations: number }>;

/** Analyses a nested SELECT; answers its columns. */
export type NestedColumns = (
  select: Tree,
  parent: NameScope | undefined,
  withQueries: WithQueries,
) => readonly SourceColumn[];

/** Tables a query may read after every WITH query is replaced by what it stands for. */
const MOST_RELATIONS = 40;

/** Finds out what FROM brings, and makes every name of a table one of a view. */
export class FromAnalysis {
  relations = 0;

  constructor(
    private readonly tables: ReadonlyMap<string, QueryTable>,
    private readonly expressions: ExpressionAnalysis,
    private readonly nested: NestedColumns,
  ) {}

  /** All items of FROM; `outer` is what the query around sees. */
  items(list: unknown, outer: NameScope | undefined, withQueries: WithQueries): FromItem {
    let found = NOTHING;
    for (const item of listOf(list))
      found = joined(found, this.item(item, found, outer, withQueries), locationOf(nodeOf(item)?.fields));
    return found;
  }

  /** One item; `left` is what a lateral one may look at. */
  private item(
    value: unknown,
    left: FromItem,
    outer: NameScope | undefined,
    withQueries: WithQueries,
  ): FromItem {
    const node = nodeOf(value);
    const kind = node?.kind ?? '';
    if (!node) throw new QueryRefused('QUERY_ERR', 'the query cannot be understood');
    switch (kind) {
      case 'RangeVar':
        return this.table(node.fields, withQueries);
      case 'RangeSubselect':
        return this.subselect(node.fields, left, outer, withQueries);
      case 'RangeFunction':
        return this.call(node.fields, new NameScope(left, outer));
      case 'JoinExpr':
        return this.join(node.fields, left, outer, withQueries);
      default:
        throw new QueryRefused('QUERY_ERR', 'this cannot stand in FROM', locationOf(node.fields));
    }
  }

  private table(fields: Tree, withQueries: WithQueries): FromItem {
    const name = textOf(fields['relname']) ?? '';
    const alias = fields['alias'] as Tree | undefined;
    const place = locationOf(fields);
    const known = withQueries.get(name);
    if (known) {
      this.count(known.relations, place);
      const relation = relationOf(alias, name, known.columns, place);
      return itemOf(withNamesApart(relation, fields));
    }
    const table = this.tables.get(name);
    if (!table)
      throw new QueryRefused(
        'TABLE_ACCESS_ERR',
        `table "${name}" does not exist${hint(name, [...this.tables.keys(), ...withQueries.keys()])}`,
        place,
      );
    this.count(1, place);
    fields['schemaname'] = QUERY_SCHEMA;
    const columns = Object.entries(table.columns).map(([column, { type }]) => ({
      name: column,
      refs: 1,
      size: 1,
      ...reachOfColumn(type),
      wide: type === 'jsonb' || type.endsWith('[]'),
    }));
    const relation = relationOf(alias, name, columns, place);
    // Renamed columns are looked up by position only: they keep to the plain view.
    return itemOf(
      listOf(alias?.['colnames']).length > 0 ? relation : { ...relation, base: { table, node: fields } },
    );
  }

  private subselect(
    fields: Tree,
    left: FromItem,
    outer: NameScope | undefined,
    withQueries: WithQueries,
  ): FromItem {
    const select = fieldsOf(fields['subquery'], 'SelectStmt');
    const alias = fields['alias'] as Tree | undefined;
    if (!select || !alias)
      throw new QueryRefused('QUERY_ERR', 'a sub-query in FROM is a SELECT with a name', locationOf(fields));
    const parent = fields['lateral'] === true ? new NameScope(left, outer) : outer;
    const relation = relationOf(alias, '', this.nested(select, parent, withQueries), locationOf(select));
    return itemOf(withNamesApart(relation, fields));
  }

  /** Functions in FROM are lateral whether or not it says so. */
  private call(fields: Tree, scope: NameScope): FromItem {
    const [first, ...more] = listOf(fields['functions']);
    const call = fieldsOf(listOf(fieldsOf(first, 'List')?.['items'])[0], 'FuncCall');
    const name = call && functionName(call);
    const place = locationOf(call);
    if (!call || name === undefined || more.length > 0 || !SET_RETURNING.has(name))
      throw new QueryRefused('FUNC_ACCESS_ERR', `function ${name ?? ''} cannot stand in FROM`, place);
    if (listOf(call['args']).length !== 1 || call['over'] !== undefined)
      throw new QueryRefused('FUNC_ACCESS_ERR', `${name} takes one argument here`, place);
    const cost = this.expressions.costOf({ FuncCall: call }, scope);
    const alias = fields['alias'] as Tree | undefined;
    const own = SET_COLUMNS[name] ?? [textOf(alias?.['aliasname']) ?? name];
    const names = fields['ordinality'] === true ? [...own, 'ordinality'] : own;
    const relation = relationOf(
      alias,
      name,
      names.map((each) => ({ name: each, ...cost })),
      place,
    );
    return itemOf(names.length === 1 ? { ...relation, scalar: true } : relation);
  }

  private join(
    fields: Tree,
    left: FromItem,
    outer: NameScope | undefined,
    withQueries: WithQueries,
  ): FromItem {
    const first = this.item(fields['larg'], left, outer, withQueries);
    const second = this.item(fields['rarg'], joined(left, first, undefined), outer, withQueries);
    const both = joined(first, second, locationOf(nodeOf(fields['rarg'])?.fields));
    if (fields['isNatural'] === true) spellOut(fields, first, second);
    const using = namesOf(fields['usingClause']);
    this.expressions.analyse(fields['quals'], new NameScope(both, outer));
    if (using.length === 0) return both;
    for (const name of using)
      for (const side of [first, second])
        new NameScope(side, undefined).resolve(undefined, name ?? '', undefined);
    const merged = first.visible.filter(({ column }) => using.includes(column.name));
    const rest = both.visible.filter(({ column }) => !using.includes(column.name));
    const inOrder = using.flatMap((name) => merged.filter(({ column }) => column.name === name));
    return {
      relations: both.relations,
      visible: [...inOrder.map(({ column }) => ({ column, alias: undefined })), ...rest],
    };
  }

  private count(relations: number, place: number | undefined): void {
    this.relations += relations;
    if (this.relations > MOST_RELATIONS)
      throw new QueryRefused(
        'RESOURCE_LIMIT_ERR',
        `the query reads more than ${MOST_RELATIONS} tables`,
        place,
      );
  }
}

/** NATURAL as the USING it stands for: the views may have columns besides those listed. */
function spellOut(fields: Tree, first: FromItem, second: FromItem): void {
  const others = new Set(second.visible.map(({ column }) => column.name));
  const common = first.visible.map(({ column }) => column.name).filter((name) => others.has(name));
  delete fields['isNatural'];
  if (common.length > 0) fields['usingClause'] = common.map((name) => ({ String: { sval: name } }));
  else fields['quals'] = { A_Const: { boolval: { boolval: true } } };
}

function joined(a: FromItem, b: FromItem, place: number | undefined): FromItem {
  for (const { alias } of b.relations)
    if (a.relations.some((relation) => relation.alias === alias))
      throw new QueryRefused('QUERY_ERR', `the name "${alias}" stands twice in FROM`, place);
  return { relations: [...a.relations, ...b.relations], visible: [...a.visible, ...b.visible] };
}

function relationOf(
  alias: Tree | undefined,
  name: string,
  columns: readonly SourceColumn[],
  place: number | undefined,
): Relation {
  const names = namesOf(alias?.['colnames']);
  if (names.length > columns.length)
    throw new QueryRefused('QUERY_ERR', 'there are more names than columns', place);
  return {
    alias: textOf(alias?.['aliasname']) ?? name,
    columns: columns.map((column, index) => ({ ...column, name: names[index] ?? column.name })),
  };
}

/** Columns that share their name are told apart where `*` spells them out; the query itself cannot name them. */
function withNamesApart(relation: Relation, item: Tree): Relation {
  const names = relation.columns.map(({ name }) => name);
  const taken = new Set(names);
  if (taken.size === names.length) return relation;
  const columns = relation.columns.map((column, index) => {
    let sent = column.name;
    // The first one too: a name that stays ambiguous is refused.
    if (names.indexOf(sent) !== names.lastIndexOf(sent))
      for (let number = index + 1; taken.has(sent); number++) sent = numberedName(column.name, number);
    taken.add(sent);
    return { ...column, sent };
  });
  const colnames = columns.map(({ sent }) => ({ String: { sval: sent } }));
  item['alias'] = { aliasname: relation.alias, colnames };
  return { ...relation, columns };
}

function itemOf(relation: Relation): FromItem {
  return {
    relations: [relation],
    visible: relation.columns.map((column) => ({ column, alias: relation.alias })),
  };
}
