import { isRecord } from '../../../platform/json/is-record.js';

/** The fields of one node of PostgreSQL's parse tree, as libpg-query prints it; what a field may hold is checked first. */
export interface Tree {
  [field: string]: unknown;
}

/** `{ColumnRef: {…}}` → its kind and its fields; undefined for anything else. */
export function nodeOf(value: unknown): { kind: string; fields: Tree } | undefined {
  if (!isTree(value)) return undefined;
  const entries = Object.entries(value);
  const [entry] = entries;
  return entry && entries.length === 1 && isTree(entry[1]) ? { kind: entry[0], fields: entry[1] } : undefined;
}

export function fieldsOf(value: unknown, kind: string): Tree | undefined {
  const node = nodeOf(value);
  return node?.kind === kind ? node.fields : undefined;
}

export function isTree(value: unknown): value is Tree {
  return isRecord(value);
}

export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The texts of a list of `String` nodes; other nodes are undefined. */
export function namesOf(value: unknown): (string | undefined)[] {
  return listOf(value).map((item) => textOf(fieldsOf(item, 'String')?.['sval'] ?? ''));
}

/** Offset in bytes, or undefined where the parser gives none. */
export function locationOf(fields: Tree | undefined): number | undefined {
  const location = fields?.['location'];
  // An offset of zero is left out when the tree is printed.
  return typeof location === 'number' ? (location < 0 ? undefined : location) : undefined;
}

export function columnRef(...names: string[]): Tree {
  return { ColumnRef: { fields: names.map((name) => ({ String: { sval: name } })) } };
}

export function stringConstant(value: string): Tree {
  return { A_Const: { sval: value === '' ? {} : { sval: value } } };
}

export function integerConstant(value: number): Tree {
  return { A_Const: { ival: value === 0 ? {} : { ival: value } } };
}

/** The text of a string constant, or undefined for any other node. */
export function constantText(value: unknown): string | undefined {
  const constant = fieldsOf(value, 'A_Const')?.['sval'];
  return isTree(constant) ? (textOf(constant['sval']) ?? '') : undefined;
}

/** The value of an integer constant, or undefined for any other node. */
export function constantInteger(value: unknown): number | undefined {
  const constant = fieldsOf(value, 'A_Const')?.['ival'];
  if (!isTree(constant)) return undefined;
  const number = constant['ival'] ?? 0;
  return typeof number === 'number' ? number : undefined;
}

/** The name of a column written without its table, or undefined for any other node. */
export function plainName(value: unknown): string | undefined {
  const names = namesOf(fieldsOf(value, 'ColumnRef')?.['fields']);
  return names.length === 1 ? names[0] : undefined;
}

/** The name of a function of pg_catalog, or undefined when it is looked for elsewhere. */
export function functionName(fields: Tree): string | undefined {
  const names = namesOf(fields['funcname']);
  if (names.length === 1) return names[0];
  return names.length === 2 && names[0] === 'pg_catalog' ? names[1] : undefined;
}
