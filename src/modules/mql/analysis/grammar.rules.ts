import { QueryRefused } from '../mql.errors.js';
import { isTree, listOf, locationOf, nodeOf } from './query-tree.js';

/** What a field of a node may hold: a node, a list of nodes, the fields of one kind without a wrapper, or a plain value. */
type FieldRule = 'node' | 'nodes' | 'value' | { fields: string };

const raw = (kind: string): FieldRule => ({ fields: kind });

/** Every kind of node and every field that a query may have. What is not here is refused, whatever it is. */
const GRAMMAR: Readonly<Record<string, Readonly<Record<string, FieldRule>>>> = {
  SelectStmt: {
    distinctClause: 'nodes',
    targetList: 'nodes',
    fromClause: 'nodes',
    whereClause: 'node',
    groupClause: 'nodes',
    havingClause: 'node',
    windowClause: 'nodes',
    valuesLists: 'nodes',
    sortClause: 'nodes',
    limitOffset: 'node',
    limitCount: 'node',
    limitOption: 'value',
    op: 'value',
    all: 'value',
    larg: raw('SelectStmt'),
    rarg: raw('SelectStmt'),
    withClause: raw('WithClause'),
  },
  WithClause: { ctes: 'nodes' },
  CommonTableExpr: { ctename: 'value', aliascolnames: 'nodes', ctematerialized: 'value', ctequery: 'node' },
  ResTarget: { name: 'value', val: 'node' },
  ColumnRef: { fields: 'nodes' },
  String: { sval: 'value' },
  Integer: { ival: 'value' },
  A_Star: {},
  A_Const: {
    ival: raw('ConstInteger'),
    fval: raw('ConstFloat'),
    boolval: raw('ConstBoolean'),
    sval: raw('String'),
    isnull: 'value',
  },
  ConstInteger: { ival: 'value' },
  ConstFloat: { fval: 'value' },
  ConstBoolean: { boolval: 'value' },
  List: { items: 'nodes' },
  A_Expr: { kind: 'value', name: 'nodes', lexpr: 'node', rexpr: 'node' },
  BoolExpr: { boolop: 'value', args: 'nodes' },
  NullTest: { arg: 'node', nulltesttype: 'value' },
  BooleanTest: { arg: 'node', booltesttype: 'value' },
  FuncCall: {
    funcname: 'nodes',
    args: 'nodes',
    agg_order: 'nodes',
    agg_filter: 'node',
    over: raw('WindowDef'),
    agg_within_group: 'value',
    agg_star: 'value',
    agg_distinct: 'value',
    funcformat: 'value',
  },
  WindowDef: {
    name: 'value',
    refname: 'value',
    partitionClause: 'nodes',
    orderClause: 'nodes',
    frameOptions: 'value',
    startOffset: 'node',
    endOffset: 'node',
  },
  SortBy: { node: 'node', sortby_dir: 'value', sortby_nulls: 'value' },
  TypeCast: { arg: 'node', typeName: raw('TypeName') },
  TypeName: { names: 'nodes', typmods: 'nodes', typemod: 'value', arrayBounds: 'nodes' },
  CaseExpr: { arg: 'node', args: 'nodes', defresult: 'node' },
  CaseWhen: { expr: 'node', result: 'node' },
  CoalesceExpr: { args: 'nodes' },
  MinMaxExpr: { op: 'value', args: 'nodes' },
  SubLink: { subLinkType: 'value', testexpr: 'node', operName: 'nodes', subselect: 'node' },
  RowExpr: { args: 'nodes', row_format: 'value' },
  A_ArrayExpr: { elements: 'nodes' },
  A_Indirection: { arg: 'node', indirection: 'nodes' },
  A_Indices: { is_slice: 'value', lidx: 'node', uidx: 'node' },
  CollateClause: { arg: 'node', collname: 'nodes' },
  SQLValueFunction: { op: 'value', typmod: 'value' },
  RangeVar: { relname: 'value', inh: 'value', relpersistence: 'value', alias: raw('Alias') },
  Alias: { aliasname: 'value', colnames: 'nodes' },
  JoinExpr: {
    jointype: 'value',
    isNatural: 'value',
    larg: 'node',
    rarg: 'node',
    usingClause: 'nodes',
    quals: 'node',
  },
  RangeSubselect: { lateral: 'value', subquery: 'node', alias: raw('Alias') },
  RangeFunction: { lateral: 'value', ordinality: 'value', functions: 'nodes', alias: raw('Alias') },
};

/** Places in the text, which mean nothing. */
const PLACES = new Set(['location', 'rexpr_list_start', 'rexpr_list_end', 'list_start', 'list_end']);

/** Closed sets of what plain values may be, where a value changes what a node does. */
const VALUES: Readonly<Record<string, ReadonlySet<unknown>>> = {
  'SelectStmt.op': new Set(['SETOP_NONE', 'SETOP_UNION', 'SETOP_INTERSECT', 'SETOP_EXCEPT']),
  'SelectStmt.limitOption': new Set(['LIMIT_OPTION_DEFAULT', 'LIMIT_OPTION_COUNT']),
  'A_Expr.kind': new Set(
    'OP OP_ANY OP_ALL DISTINCT NOT_DISTINCT NULLIF IN LIKE ILIKE SIMILAR BETWEEN NOT_BETWEEN BETWEEN_SYM NOT_BETWEEN_SYM'
      .split(' ')
      .map((kind) => `AEXPR_${kind}`),
  ),
  'SubLink.subLinkType': new Set(['EXISTS', 'ALL', 'ANY', 'EXPR', 'ARRAY'].map((kind) => `${kind}_SUBLINK`)),
  'SortBy.sortby_dir': new Set(['SORTBY_DEFAULT', 'SORTBY_ASC', 'SORTBY_DESC']),
  'JoinExpr.jointype': new Set(['JOIN_INNER', 'JOIN_LEFT', 'JOIN_RIGHT', 'JOIN_FULL']),
  'SQLValueFunction.op': new Set([
    'SVFOP_CURRENT_DATE',
    'SVFOP_CURRENT_TIMESTAMP',
    'SVFOP_CURRENT_TIMESTAMP_N',
    'SVFOP_LOCALTIMESTAMP',
    'SVFOP_LOCALTIMESTAMP_N',
  ]),
  'RangeVar.relpersistence': new Set(['p']),
  'RangeVar.inh': new Set([true]),
};

/** What is said of the best known of what is refused. */
const REASONS: Readonly<Record<string, string>> = {
  'SelectStmt.intoClause': 'SELECT INTO is not allowed',
  'SelectStmt.lockingClause': 'FOR UPDATE and the like are not allowed',
  'SelectStmt.groupDistinct': 'GROUP BY DISTINCT is not allowed',
  'SelectStmt.limitOption': 'WITH TIES is not allowed',
  'WithClause.recursive': 'WITH RECURSIVE is not allowed',
  GroupingSet: 'ROLLUP, CUBE and GROUPING SETS are not allowed',
  ParamRef: 'parameters are not allowed',
  RangeTableSample: 'TABLESAMPLE is not allowed',
  'RangeVar.inh': 'ONLY is not allowed',
};
const FUNCTIONS = new Set(['XmlExpr', 'XmlSerialize', 'SQLValueFunction.op', 'FuncCall.func_variadic']);
const TABLES = new Set(['RangeVar.schemaname', 'RangeVar.catalogname', 'RangeTableFunc', 'JsonTable']);

const MOST_NODES = 3000;
const MOST_LEVELS = 200;

/** Throws unless the statement is a SELECT made of listed nodes only. Walks with a stack of its own, so that depth is no danger. */
export function checkGrammar(statement: unknown): void {
  if (nodeOf(statement)?.kind !== 'SelectStmt')
    throw new QueryRefused('QUERY_ERR', 'only one SELECT statement is answered here');
  const pending: { value: unknown; level: number; near: number | undefined }[] = [
    { value: statement, level: 0, near: undefined },
  ];
  let nodes = 0;
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { value, level, near } = next;
    if (++nodes > MOST_NODES)
      throw new QueryRefused('RESOURCE_LIMIT_ERR', `the query has more than ${MOST_NODES} parts`);
    if (level > MOST_LEVELS)
      throw new QueryRefused('RESOURCE_LIMIT_ERR', `the query is nested more than ${MOST_LEVELS} deep`, near);
    for (const below of checkNode(value, near)) pending.push({ ...below, level: level + 1 });
  }
}

/** The nodes below a node, each with the nearest known position in the query. */
function* checkNode(
  value: unknown,
  near: number | undefined,
): Generator<{ value: unknown; near: number | undefined }> {
  const node = nodeOf(value);
  if (!node) throw new QueryRefused('QUERY_ERR', 'the query cannot be understood', near);
  const rules = GRAMMAR[node.kind];
  const place = locationOf(node.fields) ?? near;
  if (!rules || !Object.hasOwn(GRAMMAR, node.kind)) throw refusal(node.kind, place);
  // ONLY is told by a flag that is left out.
  if (node.kind === 'RangeVar' && node.fields['inh'] !== true) throw refusal('RangeVar.inh', place);
  for (const [field, held] of Object.entries(node.fields)) {
    if (PLACES.has(field)) continue;
    const rule = Object.hasOwn(rules, field) ? rules[field] : undefined;
    for (const child of checkField(node.kind, field, { rule, held, place }))
      yield { value: child, near: place };
  }
}

/** The nodes below a field. */
function checkField(
  kind: string,
  field: string,
  { rule, held, place }: { rule: FieldRule | undefined; held: unknown; place: number | undefined },
): unknown[] {
  const name = `${kind}.${field}`;
  if (rule === undefined) throw refusal(name, place);
  if (rule === 'node') return [held];
  if (rule === 'nodes') return listOf(held).filter((item) => !isEmptyMarker(name, item));
  if (rule !== 'value') return [{ [rule.fields]: held }];
  const values = VALUES[name];
  if (isTree(held) || Array.isArray(held) || (values && !values.has(held))) throw refusal(name, place);
  return [];
}

/** Plain DISTINCT is a list of one empty node; a function in FROM stands beside an empty list of columns. */
const EMPTY_ITEMS = new Set(['SelectStmt.distinctClause', 'List.items']);

function isEmptyMarker(name: string, item: unknown): boolean {
  return EMPTY_ITEMS.has(name) && isTree(item) && Object.keys(item).length === 0;
}

function refusal(name: string, place: number | undefined): QueryRefused {
  if (TABLES.has(name))
    return new QueryRefused('TABLE_ACCESS_ERR', 'only the listed tables can be read', place);
  if (FUNCTIONS.has(name)) return new QueryRefused('FUNC_ACCESS_ERR', 'this function is not allowed', place);
  const reason = REASONS[name] ?? `${name.replace('.', ' with ')} is not allowed`;
  return new QueryRefused('QUERY_ERR', reason, place);
}
