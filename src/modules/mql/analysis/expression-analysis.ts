import {
  ADDING,
  COLLATIONS,
  COLLECTING,
  ENCLOSING,
  ESCAPING,
  FORMATS,
  FUNCTIONS,
  INSERTING,
  OPERATORS,
  PATH_FUNCTIONS,
  PATH_OPERATORS,
  TYPES,
} from './allowed-names.js';
import { hint } from '../../../platform/text/did-you-mean.js';
import {
  constantExpansion,
  effortOfOperator,
  effortOfProduct,
  hasProduct,
  LIKE_OPERATORS,
  longestRun,
  MOST_EFFORT,
  reachOfCall,
  reachOfCast,
  reachOfOperator,
  SEEKING,
  SHORT,
} from './expression-effort.rules.js';
import { largest, listed, NONE, sum } from './expansion.rules.js';
import { GatheringBound } from './gathering.rules.js';
import { checkJsonPath } from './json-path.rules.js';
import { QueryRefused } from '../mql.errors.js';
import type { Expansion, NameScope } from './name-scope.js';
import {
  constantText,
  fieldsOf,
  functionName,
  listOf,
  locationOf,
  namesOf,
  nodeOf,
  textOf,
  type Tree,
} from './query-tree.js';
import { isWritten, LONGEST_SOUGHT, plainNumbersOf, shortOf } from './run-time-bounds.rules.js';

/** Analyses a nested SELECT; answers what its result costs. */
export type NestedSelect = (select: Tree, scope: NameScope) => Expansion;

/** Limits of one expression after every name in it is replaced by what it stands for. */
const MOST_REFS = 2000;
const LARGEST_SIZE = 200;
const LONGEST_INSERTION = 64;

/** Checks names in expressions: columns, functions, operators, types. Rewrites what the canonical text says otherwise. */
export class ExpressionAnalysis {
  readonly gathering = new GatheringBound();
  private effort = 0;

  constructor(private readonly nested: NestedSelect) {}

  all(values: unknown, scope: NameScope): Expansion[] {
    return listOf(values).map((value) => this.analyse(value, scope));
  }

  /** What a value that has a name costs wherever the name stands. */
  costOf(value: unknown, scope: NameScope): Expansion & { effort: number } {
    const before = this.effort;
    const expansion = this.analyse(value, scope);
    return { ...expansion, effort: this.effort - before };
  }

  analyse(value: unknown, scope: NameScope): Expansion {
    const expansion = this.expand(value, scope);
    const place = locationOf(nodeOf(value)?.fields);
    if (expansion.refs > MOST_REFS)
      throw new QueryRefused(
        'RESOURCE_LIMIT_ERR',
        `an expression stands for more than ${MOST_REFS} columns`,
        place,
      );
    if (expansion.size > LARGEST_SIZE)
      throw new QueryRefused(
        'RESOURCE_LIMIT_ERR',
        `an expression joins more than ${LARGEST_SIZE} values`,
        place,
      );
    return expansion;
  }

  private expand(value: unknown, scope: NameScope): Expansion {
    if (value === undefined) return NONE;
    const node = nodeOf(value);
    if (!node) throw new QueryRefused('QUERY_ERR', 'the query cannot be understood');
    const { kind, fields } = node;
    switch (kind) {
      case 'A_Const':
        return constantExpansion(fields);
      case 'ColumnRef':
        return this.column(fields, scope);
      case 'FuncCall':
        return this.call(fields, scope, value as Tree);
      case 'A_Expr':
        return this.operator(fields, scope);
      case 'TypeCast':
        return this.cast(fields, scope);
      case 'SubLink':
        return this.subLink(fields, scope, value as Tree);
      case 'CollateClause':
        this.checkCollation(fields);
        return this.analyse(fields['arg'], scope);
      case 'A_Indirection':
        return this.subscript(fields, scope);
      case 'RowExpr':
      case 'A_ArrayExpr':
        return listed(this.enclosed(fields['args'] ?? fields['elements'], scope));
      case 'BoolExpr':
        return { ...largest(this.all(fields['args'], scope)), ...SHORT };
      case 'CoalesceExpr':
      case 'MinMaxExpr':
      case 'List':
        return largest(this.all(fields['args'] ?? fields['items'], scope));
      case 'NullTest':
      case 'BooleanTest':
        return { ...this.analyse(fields['arg'], scope), ...SHORT };
      case 'CaseExpr':
        return largest([
          ...[fields['arg'], fields['defresult']].map((each) => this.analyse(each, scope)),
          ...listOf(fields['args']).flatMap((each) => {
            const when = fieldsOf(each, 'CaseWhen');
            return [this.analyse(when?.['expr'], scope), this.analyse(when?.['result'], scope)];
          }),
        ]);
      case 'SQLValueFunction':
        return { ...NONE, ...SHORT };
      default:
        throw new QueryRefused('QUERY_ERR', `${kind} is not allowed here`, locationOf(fields));
    }
  }

  /** Every reference has to name a column: `x.f` would otherwise be a call of the function f. */
  private column(fields: Tree, scope: NameScope): Expansion {
    const place = locationOf(fields);
    const names = namesOf(fields['fields']);
    const [first, second] = names;
    if (names.length > 2 || first === undefined || (names.length === 2 && second === undefined))
      throw new QueryRefused('UNKNOWN_COLUMN_ERR', 'a column is written name or table.name', place);
    const found =
      second === undefined ? scope.resolve(undefined, first, place) : scope.resolve(first, second, place);
    if (found.scalarOf)
      fields['fields'] = [{ String: { sval: first } }, { String: { sval: found.column.name } }];
    const { refs, size, length, parts, effort } = found.column;
    this.spend(effort ?? 0, place);
    return { refs, size, length, parts };
  }

  private call(fields: Tree, scope: NameScope, node: Tree): Expansion {
    const place = locationOf(fields);
    const name = functionName(fields);
    if (name === undefined || !FUNCTIONS.has(name))
      throw new QueryRefused(
        'FUNC_ACCESS_ERR',
        `function ${name ?? 'of another schema'} cannot be used${name === undefined ? '' : hint(name, FUNCTIONS)}`,
        place,
      );
    if (PATH_FUNCTIONS.has(name)) checkJsonPath(listOf(fields['args'])[1], place);
    const args = ENCLOSING.has(name) ? this.enclosed(fields['args'], scope) : this.all(fields['args'], scope);
    for (const order of listOf(fields['agg_order'])) this.analyse(fieldsOf(order, 'SortBy')?.['node'], scope);
    this.analyse(fields['agg_filter'], scope);
    if (fields['over'] !== undefined) this.window(fields['over'] as Tree, scope);
    if (COLLECTING.has(name)) this.gathering.aggregate(node);
    this.spendOnCall(name, fields, args);
    const values = listOf(fields['args']);
    const whole = { ...(ADDING.has(name) ? sum(args) : largest(args)), ...reachOfCall(name, values, args) };
    const written = Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined;
    if (written !== undefined) shortConstant(values[written], name, place);
    if (ESCAPING.has(name)) return { ...whole, size: whole.size * 2 };
    const inserted = (Object.hasOwn(INSERTING, name) ? INSERTING[name] : undefined) ?? [];
    const lengths = inserted
      .map((index) => values[index])
      .filter((argument, index) => index === 0 || argument !== undefined)
      .map((argument) => shortConstant(argument, name, place).length);
    const size = whole.size * Math.max(1, ...lengths);
    if (size > 1) this.spend(size, place);
    return { ...whole, size };
  }

  private spendOnCall(name: string, fields: Tree, args: readonly Expansion[]): void {
    const place = locationOf(fields);
    const [first = NONE, second = NONE] = args;
    const seeking = SEEKING.get(name);
    const values = listOf(fields['args']);
    if (seeking !== undefined && values.length > 1) {
      const constant = constantText(values[1]);
      if (constant === undefined) values[1] = shortOf(values[1], second);
      const sought = constant?.length ?? Math.min(second.length, LONGEST_SOUGHT);
      this.spend(seeking * first.size * sought, place);
    }
    if (name === 'jsonb_contains') this.spend(effortOfOperator('@>', first, second, place), place);
    if (hasProduct(name)) this.spend(effortOfProduct(args), place);
  }

  private spend(effort: number, place: number | undefined): void {
    this.effort += effort;
    if (this.effort > MOST_EFFORT)
      throw new QueryRefused(
        'RESOURCE_LIMIT_ERR',
        'the query compares too much in one row: look for fewer or shorter texts, or in fewer joined ones',
        place,
      );
  }

  /** Text that becomes a part of a document or a list, and may be twice as long when that is written as text again. */
  private enclosed(values: unknown, scope: NameScope): Expansion[] {
    return listOf(values).map((value) => {
      const call = fieldsOf(value, 'FuncCall');
      const expansion = this.analyse(value, scope);
      const isDocument = call !== undefined && /^(to_)?jsonb/.test(functionName(call) ?? '');
      return isDocument || fieldsOf(value, 'A_Const')
        ? expansion
        : { ...expansion, size: expansion.size * 2 };
    });
  }

  window(fields: Tree, scope: NameScope): void {
    this.all(fields['partitionClause'], scope);
    for (const order of listOf(fields['orderClause']))
      this.analyse(fieldsOf(order, 'SortBy')?.['node'], scope);
    this.analyse(fields['startOffset'], scope);
    this.analyse(fields['endOffset'], scope);
  }

  private operator(fields: Tree, scope: NameScope): Expansion {
    const names = namesOf(fields['name']);
    const [name] = names;
    const spelled = /^AEXPR_(BETWEEN|NOT_BETWEEN)/.test(textOf(fields['kind']) ?? '');
    if (!spelled && (names.length !== 1 || name === undefined || !OPERATORS.has(name)))
      throw new QueryRefused('QUERY_ERR', 'this operator cannot be used', locationOf(fields));
    if (PATH_OPERATORS.has(name ?? '')) checkJsonPath(fields['rexpr'], locationOf(fields));
    const left = this.analyse(fields['lexpr'], scope);
    const right = this.analyse(fields['rexpr'], scope);
    const place = locationOf(fields);
    const isOfMany = /^AEXPR_OP_(ANY|ALL)$/.test(textOf(fields['kind']) ?? '');
    if (LIKE_OPERATORS.has(name ?? '')) {
      const constant = isOfMany ? undefined : constantText(fields['rexpr']);
      if (!isOfMany && constant === undefined) fields['rexpr'] = shortOf(fields['rexpr'], right);
      const sought = isOfMany ? right.length : Math.min(right.length, LONGEST_SOUGHT);
      this.spend(left.size * (constant === undefined ? sought : longestRun(constant)), place);
    }
    if (!spelled) this.spend(effortOfOperator(name ?? '', left, right, place), place);
    const whole = name === '||' ? sum([left, right]) : largest([left, right]);
    // Each step of a chain copies what those before it have made, and none of it is freed before the row is done.
    if (name === '||') this.spend(2 * whole.size, place);
    return { ...whole, ...reachOf(fields, name ?? '', left, right) };
  }

  private cast(fields: Tree, scope: NameScope): Expansion {
    const type = fields['typeName'] as Tree;
    const name = this.checkType(type);
    const from = this.analyse(fields['arg'], scope);
    if (!isWritten(fields['arg'])) {
      const isList = listOf(type['arrayBounds']).length > 0;
      if (isList && /^(jsonb|numeric)$/.test(name))
        throw new QueryRefused(
          'CAST_ERR',
          `a cast to ${name}[] takes a constant or ARRAY[…]`,
          locationOf(fields),
        );
      if (name === 'jsonb') fields['arg'] = plainNumbersOf(fields['arg']);
    }
    return { ...from, ...reachOfCast(type, name, fields['arg'], from) };
  }

  private subLink(fields: Tree, scope: NameScope, node: Tree): Expansion {
    const operator = namesOf(fields['operName']);
    if (operator.length > 0 && (operator.length > 1 || !OPERATORS.has(operator[0] ?? '')))
      throw new QueryRefused('QUERY_ERR', 'this operator cannot be used', locationOf(fields));
    const select = fieldsOf(fields['subselect'], 'SelectStmt');
    if (!select) throw new QueryRefused('QUERY_ERR', 'a sub-query is a SELECT', locationOf(fields));
    const tested = this.analyse(fields['testexpr'], scope);
    const answered = this.nested(select, scope);
    const place = locationOf(fields);
    const [name = '='] = operator;
    if (LIKE_OPERATORS.has(name)) this.spend(tested.size * answered.length, place);
    this.spend(effortOfOperator(name, tested, answered, place), place);
    const found = largest([tested, answered]);
    if (fields['subLinkType'] === 'EXPR_SUBLINK') return found;
    if (fields['subLinkType'] !== 'ARRAY_SUBLINK') return { ...found, ...SHORT };
    this.gathering.array(node);
    return { ...found, size: found.size * 2, length: Infinity, parts: Infinity };
  }

  private subscript(fields: Tree, scope: NameScope): Expansion {
    for (const step of listOf(fields['indirection'])) {
      const indices = fieldsOf(step, 'A_Indices');
      if (!indices)
        throw new QueryRefused('QUERY_ERR', 'only subscripts may follow an expression', locationOf(fields));
      this.analyse(indices['lidx'], scope);
      this.analyse(indices['uidx'], scope);
    }
    return this.analyse(fields['arg'], scope);
  }

  private checkType(type: Tree): string {
    const names = namesOf(type['names']);
    const name = names.at(-1) ?? '';
    const plain = names.length === 1 || (names.length === 2 && names[0] === 'pg_catalog');
    const place = locationOf(type);
    if (!plain || !TYPES.has(name))
      throw new QueryRefused(
        'CAST_ERR',
        `a cast to ${names.join('.')} is not allowed${hint(name, TYPES)}`,
        place,
      );
    const bounds = [...listOf(type['typmods']), ...listOf(type['arrayBounds'])];
    const constant = (each: unknown) => fieldsOf(each, 'A_Const') ?? fieldsOf(each, 'Integer');
    if (!bounds.every(constant)) throw new QueryRefused('CAST_ERR', 'a length is a constant', place);
    return name;
  }

  private checkCollation(fields: Tree): void {
    const names = namesOf(fields['collname']);
    if (names.length !== 1 || !COLLATIONS.has(names[0] ?? ''))
      throw new QueryRefused('QUERY_ERR', 'the only collation is "C"', locationOf(fields));
  }
}

function shortConstant(value: unknown, name: string, place: number | undefined): string {
  const text = constantText(value);
  if (text === undefined || text.length > LONGEST_INSERTION)
    throw new QueryRefused(
      'QUERY_ERR',
      `what ${name} inserts has to be a text of at most ${LONGEST_INSERTION} characters`,
      place,
    );
  return text;
}

/** NULLIF answers its first value, other kinds of comparisons a truth. */
function reachOf(fields: Tree, name: string, left: Expansion, right: Expansion): Partial<Expansion> {
  if (fields['kind'] === 'AEXPR_NULLIF') return { length: left.length, parts: left.parts };
  return fields['kind'] === 'AEXPR_OP' ? reachOfOperator(name, left, right) : SHORT;
}
