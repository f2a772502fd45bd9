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

function nameOf(value: unknown): Name | undefined {
  const node = nodeOf(value);
  if (!node) return undefined;
  const { kind, fields } = node;
  switch (kind) {
    case 'ColumnRef':
      return strong(namesOf(fields['fields']).at(-1));
    case 'A_Indirection':
      return nameOf(fields['arg']);
    case 'FuncCall':
      return strong(namesOf(fields['funcname']).at(-1));
    case 'A_Expr':
      return fields['kind'] === 'AEXPR_NULLIF' ? strong('nullif') : undefined;
    case 'TypeCast': {
      const inner = nameOf(fields['arg']);
      if (inner && !inner.weak) return inner;
      const type = namesOf((fields['typeName'] as Tree | undefined)?.['names']).at(-1);
      return type === undefined ? inner : { name: type, weak: true };
    }
    case 'CollateClause':
      return nameOf(fields['arg']);
    case 'SubLink':
      return nameOfSubLink(fields);
    case 'CaseExpr': {
      const inner = nameOf(fields['defresult']);
      return inner && !inner.weak ? inner : { name: 'case', weak: true };
    }
    case 'A_ArrayExpr':
      return strong('array');
    case 'RowExpr':
      return strong('row');
    case 'CoalesceExpr':
      return strong('coalesce');
    case 'MinMaxExpr':
      return strong(fields['op'] === 'IS_LEAST' ? 'least' : 'greatest');
    case 'SQLValueFunction':
      return strong(nameOfValueFunction(textOf(fields['op']) ?? ''));
    default:
      return undefined;
  }
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
