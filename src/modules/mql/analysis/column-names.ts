import { fieldsOf, listOf, namesOf, nodeOf, textOf, type Tree } from './query-tree.js';

/** The name PostgreSQL gives a column of the result that has none (parse_target.c, FigureColname). */
export function nameOfColumn(value: unknown): string {
  return nameOf(value)?.name ?? '?column?';
}

/** Bytes of a name; PostgreSQL cuts what is longer. */
const LONGEST_NAME = 63;

/** `name_2`, and so on: as much of the name as leaves room for the number. */
export function numberedName(name: string, number: number): string {
  const characters = [...name];
  const numbered = () => `${characters.join('')}_${number}`;
  while (Buffer.byteLength(numbered()) > LONGEST_NAME) characters.pop();
  return numbered();
}

/** A weak name yields to a better one further inside. */
interface Name {
  name: string;
  weak: boolean;
}

/** By kind of the node; other kinds have no name. */
const NAMES: Readonly<Record<string, (fields: Tree) => Name | undefined>> = {
  ColumnRef: (fields) => strong(namesOf(fields['fields']).at(-1)),
  A_Indirection: (fields) => nameOf(fields['arg']),
  FuncCall: (fields) => strong(namesOf(fields['funcname']).at(-1)),
  A_Expr: (fields) => (fields['kind'] === 'AEXPR_NULLIF' ? strong('nullif') : undefined),
  TypeCast: nameOfCast,
  CollateClause: (fields) => nameOf(fields['arg']),
  SubLink: nameOfSubLink,
  CaseExpr: nameOfCase,
  A_ArrayExpr: () => strong('array'),
  RowExpr: () => strong('row'),
  CoalesceExpr: () => strong('coalesce'),
  MinMaxExpr: (fields) => strong(fields['op'] === 'IS_LEAST' ? 'least' : 'greatest'),
  SQLValueFunction: (fields) => strong(nameOfValueFunction(textOf(fields['op']) ?? '')),
};

function nameOf(value: unknown): Name | undefined {
  const node = nodeOf(value);
  return node && Object.hasOwn(NAMES, node.kind) ? NAMES[node.kind]?.(node.fields) : undefined;
}

function nameOfCast(fields: Tree): Name | undefined {
  const inner = nameOf(fields['arg']);
  if (inner && !inner.weak) return inner;
  const type = namesOf((fields['typeName'] as Tree | undefined)?.['names']).at(-1);
  return type === undefined ? inner : { name: type, weak: true };
}

function nameOfCase(fields: Tree): Name {
  const inner = nameOf(fields['defresult']);
  return inner && !inner.weak ? inner : { name: 'case', weak: true };
}

function nameOfSubLink(fields: Tree): Name | undefined {
  if (fields['subLinkType'] === 'EXISTS_SUBLINK') return strong('exists');
  if (fields['subLinkType'] === 'ARRAY_SUBLINK') return strong('array');
  if (fields['subLinkType'] !== 'EXPR_SUBLINK') return undefined;
  const [first] = listOf(fieldsOf(fields['subselect'], 'SelectStmt')?.['targetList']);
  const target = fieldsOf(first, 'ResTarget');
  if (!target) return undefined;
  return target['name'] === undefined ? nameOf(target['val']) : strong(textOf(target['name']));
}

function nameOfValueFunction(op: string): string {
  return op
    .replace(/^SVFOP_/, '')
    .replace(/_N$/, '')
    .toLowerCase();
}

function strong(name: string | undefined): Name | undefined {
  return name === undefined ? undefined : { name, weak: false };
}
