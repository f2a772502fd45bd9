import type { NameScope, Relation } from './name-scope.js';
import {
  containmentColumn,
  MOST_CONTAINMENTS,
  PREFIX_LENGTH,
  prefixColumn,
  twinOf,
} from '../tables/query-table.js';
import {
  columnRef,
  constantText,
  fieldsOf,
  listOf,
  namesOf,
  nodeOf,
  stringConstant,
  textOf,
  type Tree,
} from './query-tree.js';

/**
 * Adds conditions that follow from those a query has and that reach an index through a barrier view: comparisons of
 * text are leakproof, LIKE and `@>` are not. What the query says stays as it is, so rows never differ.
 */
export class IndexShortcutRewrite {
  readonly containments: string[] = [];

  apply(select: Tree, scope: NameScope): void {
    const where = select['whereClause'];
    if (where === undefined) return;
    const added = conjuncts(where).flatMap((condition) => this.implied(condition, scope));
    if (added.length > 0)
      select['whereClause'] = { BoolExpr: { boolop: 'AND_EXPR', args: [...conjuncts(where), ...added] } };
  }

  private implied(condition: unknown, scope: NameScope): Tree[] {
    const fields = fieldsOf(condition, 'A_Expr');
    if (!fields) return [];
    const column = columnOf(fields['lexpr'], scope);
    const constant = constantText(fields['rexpr']) ?? castedText(fields['rexpr']);
    const [operator] = namesOf(fields['name']);
    if (!column || constant === undefined) return [];
    const { relation, name } = column;
    const shortcuts = relation.base?.table.shortcuts;
    if (!shortcuts) return [];
    if (Object.hasOwn(shortcuts.prefixes, name)) {
      const range = rangeOf(textOf(fields['kind']), operator, constant);
      return range.map(([comparison, bound]) =>
        this.through(relation, comparison, prefixColumn(name), stringConstant(bound)),
      );
    }
    const isContainment = fields['kind'] === 'AEXPR_OP' && operator === '@>';
    if (!isContainment || !Object.hasOwn(shortcuts.containments, name) || !isJson(constant)) return [];
    const number = this.containmentNumber(constant);
    if (number === undefined) return [];
    useTwin(relation);
    return [columnRef(relation.alias, containmentColumn(name, number))];
  }

  private through(relation: Relation, operator: string, column: string, bound: Tree): Tree {
    useTwin(relation);
    return {
      A_Expr: {
        kind: 'AEXPR_OP',
        name: [{ String: { sval: operator } }],
        lexpr: columnRef(relation.alias, column),
        rexpr: bound,
      },
    };
  }

  private containmentNumber(constant: string): number | undefined {
    const known = this.containments.indexOf(constant);
    if (known >= 0) return known + 1;
    return this.containments.length < MOST_CONTAINMENTS ? this.containments.push(constant) : undefined;
  }
}

/** Reads the view that has more columns, under the same name. */
export function useTwin({ base }: Relation): void {
  if (base) base.node['relname'] = twinOf(base.table.name);
  if (base && base.node['alias'] === undefined) base.node['alias'] = { aliasname: base.table.name };
}

function conjuncts(value: unknown): unknown[] {
  const node = nodeOf(value);
  return node?.kind === 'BoolExpr' && node.fields['boolop'] === 'AND_EXPR'
    ? listOf(node.fields['args'])
    : [value];
}

/** A column of a table in the query's own FROM. */
function columnOf(value: unknown, scope: NameScope): { relation: Relation; name: string } | undefined {
  const names = namesOf(fieldsOf(value, 'ColumnRef')?.['fields']);
  const name = names.at(-1);
  if (names.length === 0 || names.length > 2 || name === undefined) return undefined;
  const { relations, visible } = scope.items;
  const alias = names.length === 2 ? names[0] : visible.find(({ column }) => column.name === name)?.alias;
  const relation = relations.find((each) => each.alias === alias);
  return relation?.base ? { relation, name } : undefined;
}

/** `'…'::jsonb` or `'…'::text`. */
function castedText(value: unknown): string | undefined {
  const cast = fieldsOf(value, 'TypeCast');
  const type = namesOf((cast?.['typeName'] as Tree | undefined)?.['names']).at(-1);
  return type === 'jsonb' || type === 'text' ? constantText(cast?.['arg']) : undefined;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return !/\\u0000|\\ud[89a-f]/i.test(text);
  } catch {
    return false;
  }
}

/** What a condition says of the first 512 characters. */
function rangeOf(
  kind: string | undefined,
  operator: string | undefined,
  constant: string,
): [string, string][] {
  if (kind === 'AEXPR_OP' && operator === '=') return [['=', start(constant)]];
  if (kind === 'AEXPR_OP' && operator === '^@') return between(start(constant));
  if (kind !== 'AEXPR_LIKE' || operator !== '~~') return [];
  const end = constant.search(/[%_\\]/);
  if (end === -1) return [['=', start(constant)]];
  return between(start(constant.slice(0, end)));
}

function start(text: string): string {
  return [...text].slice(0, PREFIX_LENGTH).join('');
}

/** Everything that begins with a text, in the order of bytes. */
function between(prefix: string): [string, string][] {
  if (prefix === '') return [];
  const next = successor(prefix);
  return next === undefined
    ? [['>=', prefix]]
    : [
        ['>=', prefix],
        ['<', next],
      ];
}

/** The smallest text after all that begin with the given one, when its last characters allow a simple one. */
function successor(prefix: string): string | undefined {
  const last = prefix.charCodeAt(prefix.length - 1);
  // Only ASCII: the next code of any other character may be half of a pair.
  return last < 0x7e ? prefix.slice(0, -1) + String.fromCharCode(last + 1) : undefined;
}
