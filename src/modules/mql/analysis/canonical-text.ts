import { parseSync, type ParseResult } from 'libpg-query';
import { deparseSync } from 'pgsql-deparser';
import { QueryRefused } from '../mql.errors.js';
import { isTree, listOf, locationOf, type Tree } from './query-tree.js';

/** The text that is sent, made of the checked tree and proven to mean nothing else. */
export interface CanonicalText {
  sql: string;
  /** offsets in bytes: in the canonical text, and of the same node in the caller's */
  places: { canonical: number; original: number }[];
}

/** Parses with PostgreSQL's own grammar; answers the only statement. */
export function parseStatement(query: string): Tree {
  const parsed = parsedOf(query);
  const statements = listOf((parsed as unknown as Tree)['stmts']);
  const [first] = statements;
  if (!isTree(first) || !isTree(first['stmt'])) throw new QueryRefused('QUERY_ERR', 'the query is empty');
  if (statements.length > 1) throw new QueryRefused('QUERY_ERR', 'only one statement is answered here');
  return first['stmt'];
}

function parsedOf(query: string): ParseResult {
  try {
    return parseSync(query);
  } catch (error) {
    if (error instanceof RangeError) throw new QueryRefused('QUERY_ERR', 'the query is nested too deep');
    const details = (error as { sqlDetails?: { message?: string; cursorPosition?: number } }).sqlDetails;
    if (!details) throw new QueryRefused('QUERY_ERR', 'the query cannot be parsed');
    const location = details.cursorPosition;
    throw new QueryRefused(
      'QUERY_ERR',
      details.message ?? 'the query cannot be parsed',
      location !== undefined && location >= 0 ? location : undefined,
    );
  }
}

/**
 * The tree as text, parsed again and compared node by node: whatever a deparser may lose or misread, the statement that
 * runs is the one that was checked.
 */
export function canonicalText(statement: Tree): CanonicalText {
  let sql: string;
  try {
    sql = deparseSync(statement, { pretty: false });
  } catch {
    throw new QueryRefused('QUERY_ERR', 'the query cannot be put into a canonical form');
  }
  const places: CanonicalText['places'] = [];
  const again = parseStatement(sql);
  if (!same(statement, again, places))
    throw new QueryRefused('QUERY_ERR', 'the query has no canonical form that means the same');
  return { sql, places };
}

const PLACES = new Set([
  'location',
  'rexpr_list_start',
  'rexpr_list_end',
  'list_start',
  'list_end',
  'stmt_len',
]);

/** Equal but for places in the text, which are collected in pairs. */
function same(original: unknown, again: unknown, places: CanonicalText['places']): boolean {
  if (Array.isArray(original) || Array.isArray(again)) {
    const [a, b] = [listOf(original), listOf(again)];
    return (
      Array.isArray(original) === Array.isArray(again) &&
      a.length === b.length &&
      a.every((item, index) => same(item, b[index], places))
    );
  }
  if (!isTree(original) || !isTree(again)) return Object.is(original, again);
  const [from, to] = [locationOf(original), locationOf(again)];
  if (from !== undefined && to !== undefined) places.push({ canonical: to, original: from });
  const fields = (tree: Tree) =>
    Object.keys(tree).filter((field) => !PLACES.has(field) && tree[field] !== undefined);
  const names = fields(original);
  return (
    names.length === fields(again).length &&
    names.every((name) => Object.hasOwn(again, name) && same(original[name], again[name], places))
  );
}

/** Whether two trees say the same. */
export function sameMeaning(a: unknown, b: unknown): boolean {
  return same(a, b, []);
}

/** Where in the caller's text a place of the canonical one comes from: the nearest node at or before it. */
export function originalPlace({ places }: CanonicalText, canonical: number): number | undefined {
  let best: CanonicalText['places'][number] | undefined;
  for (const place of places)
    if (place.canonical <= canonical && (!best || place.canonical > best.canonical)) best = place;
  return best?.original;
}
