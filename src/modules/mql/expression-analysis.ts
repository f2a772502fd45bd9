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
import { hint } from './did-you-mean.js';
import { GatheringBound } from './gathering.rules.js';
import { checkJsonPath } from './json-path.rules.js';
import { QueryRefused } from './mql.errors.js';
import type { Expansion, NameScope } from './name-scope.js';
import {
  constantText,
  fieldsOf,
  listOf,
  locationOf,
  namesOf,
  nodeOf,
  textOf,
  type Tree,
} from './query-tree.js';

/** Analyses a nested SELECT; answers what its result costs. */
export type NestedSelect = (select: Tree, scope: NameScope) => Expansion;

/** Limits of one expression after every name in it is replaced by what it stands for. */
const MOST_REFS = 2000;
const LARGEST_SIZE = 200;
const LONGEST_INSERTION = 64;

const NONE: Expansion = { refs: 0, size: 1 };

/** Checks names in expressions: columns, functions, operators, types. Rewrites what the canonical text says otherwise. */
export class ExpressionAnalysis {
  readonly gathering = new GatheringBound();

  constructor(private readonly nested: NestedSelect) {}

  all(values: unknown, scope: NameScope): Expansion[] {
    return listOf(values).map((value) => this.of(value, scope));
  }

  of(value: unknown, scope: NameScope): Expansion {
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
        return NONE;
      case 'ColumnRef':
        return this.column(fields, scope);
      case 'FuncCall':
        return this.call(fields, scope, value as Tree);
      case 'A_Expr':
        return this.operator(fields, scope);
      case 'TypeCast':
        this.checkType(fields['typeName'] as Tree);
        return this.of(fields['arg'], scope);
      case 'SubLink':
        return this.subLink(fields, scope, value as Tree);
      case 'CollateClause':
        this.checkCollation(fields);
        return this.of(fields['arg'], scope);
      case 'A_Indirection':
        return this.subscript(fields, scope);
      case 'RowExpr':
      case 'A_ArrayExpr':
        return sum(this.enclosed(fields['args'] ?? fields['elements'], scope));
      case 'BoolExpr':
      case 'CoalesceExpr':
      case 'MinMaxExpr':
      case 'List':
        return largest(this.all(fields['args'] ?? fields['items'], scope));
      case 'NullTest':
      case 'BooleanTest':
        return this.of(fields['arg'], scope);
      case 'CaseExpr':
        return largest([
          ...[fields['arg'], fields['defresult']].map((each) => this.of(each, scope)),
          ...listOf(fields['args']).flatMap((each) => {
            const when = fieldsOf(each, 'CaseWhen');
            return [this.of(when?.['expr'], scope), this.of(when?.['result'], scope)];
          }),
        ]);
      case 'SQLValueFunction':
        return NONE;
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
    return { refs: found.column.refs, size: found.column.size };
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
    for (const order of listOf(fields['agg_order'])) this.of(fieldsOf(order, 'SortBy')?.['node'], scope);
    this.of(fields['agg_filter'], scope);
    if (fields['over'] !== undefined) this.window(fields['over'] as Tree, scope);
    if (COLLECTING.has(name)) this.gathering.aggregate(node);
    const whole = ADDING.has(name) ? sum(args) : largest(args);
    const written = Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined;
    if (written !== undefined) shortConstant(listOf(fields['args'])[written], name, place);
    if (ESCAPING.has(name)) return { ...whole, size: whole.size * 2 };
    const inserted = (Object.hasOwn(INSERTING, name) ? INSERTING[name] : undefined) ?? [];
    const lengths = inserted
      .map((index) => listOf(fields['args'])[index])
      .filter((argument, index) => index === 0 || argument !== undefined)
      .map((argument) => shortConstant(argument, name, place).length);
    return { ...whole, size: whole.size * Math.max(1, ...lengths) };
  }

  /** Text that becomes a part of a document or a list, and may be twice as long when that is written as text again. */
  private enclosed(values: unknown, scope: NameScope): Expansion[] {
    return listOf(values).map((value) => {
      const call = fieldsOf(value, 'FuncCall');
      const expansion = this.of(value, scope);
      const isDocument = call !== undefined && /^(to_)?jsonb/.test(functionName(call) ?? '');
      return isDocument || fieldsOf(value, 'A_Const')
        ? expansion
        : { ...expansion, size: expansion.size * 2 };
    });
  }

  window(fields: Tree, scope: NameScope): void {
    this.all(fields['partitionClause'], scope);
    for (const order of listOf(fields['orderClause'])) this.of(fieldsOf(order, 'SortBy')?.['node'], scope);
    this.of(fields['startOffset'], scope);
    this.of(fields['endOffset'], scope);
  }

  private operator(fields: Tree, scope: NameScope): Expansion {
    const names = namesOf(fields['name']);
    const [name] = names;
    const spelled = /^AEXPR_(BETWEEN|NOT_BETWEEN)/.test(textOf(fields['kind']) ?? '');
    if (!spelled && (names.length !== 1 || name === undefined || !OPERATORS.has(name)))
      throw new QueryRefused('QUERY_ERR', 'this operator cannot be used', locationOf(fields));
    if (PATH_OPERATORS.has(name ?? '')) checkJsonPath(fields['rexpr'], locationOf(fields));
    const sides = [this.of(fields['lexpr'], scope), this.of(fields['rexpr'], scope)];
    return name === '||' ? sum(sides) : largest(sides);
  }

  private subLink(fields: Tree, scope: NameScope, node: Tree): Expansion {
    const operator = namesOf(fields['operName']);
    if (operator.length > 0 && (operator.length > 1 || !OPERATORS.has(operator[0] ?? '')))
      throw new QueryRefused('QUERY_ERR', 'this operator cannot be used', locationOf(fields));
    const select = fieldsOf(fields['subselect'], 'SelectStmt');
    if (!select) throw new QueryRefused('QUERY_ERR', 'a sub-query is a SELECT', locationOf(fields));
    const found = largest([this.of(fields['testexpr'], scope), this.nested(select, scope)]);
    if (fields['subLinkType'] !== 'ARRAY_SUBLINK') return found;
    this.gathering.array(node);
    return { ...found, size: found.size * 2 };
  }

  private subscript(fields: Tree, scope: NameScope): Expansion {
    for (const step of listOf(fields['indirection'])) {
      const indices = fieldsOf(step, 'A_Indices');
      if (!indices)
        throw new QueryRefused('QUERY_ERR', 'only subscripts may follow an expression', locationOf(fields));
      this.of(indices['lidx'], scope);
      this.of(indices['uidx'], scope);
    }
    return this.of(fields['arg'], scope);
  }

  private checkType(type: Tree): void {
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
  }

  private checkCollation(fields: Tree): void {
    const names = namesOf(fields['collname']);
    if (names.length !== 1 || !COLLATIONS.has(names[0] ?? ''))
      throw new QueryRefused('QUERY_ERR', 'the only collation is "C"', locationOf(fields));
  }
}

/** The name of a function of pg_catalog, or undefined when it is looked for elsewhere. */
export function functionName(fields: Tree): string | undefined {
  const names = namesOf(fields['funcname']);
  if (names.length === 1) return names[0];
  return names.length === 2 && names[0] === 'pg_catalog' ? names[1] : undefined;
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

function sum(parts: readonly Expansion[]): Expansion {
  return {
    refs: parts.reduce((total, part) => total + part.refs, 0),
    size: parts.reduce((total, part) => total + part.size, 0) || 1,
  };
}

/** As large as the largest part, but made of all of them. */
function largest(parts: readonly Expansion[]): Expansion {
  return {
    refs: parts.reduce((total, part) => total + part.refs, 0),
    size: parts.reduce((most, part) => Math.max(most, part.size), 1),
  };
}
