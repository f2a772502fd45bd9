import { parseStatement } from './canonical-text.js';
import { checkGrammar } from './grammar.rules.js';
import { QueryRefused } from '../mql.errors.js';
import type { QueryTable } from '../tables/query-table.js';
import { fieldsOf, type Tree } from './query-tree.js';
import { type Order, orderOf, type OwnLimits, ownLimits } from './row-limits.rules.js';
import { type AnalysedSelect, SelectAnalysis } from './select-analysis.js';

/** Bytes of a query's text. */
export const LONGEST_QUERY = 16 * 1024;

/** A query that was checked. */
export interface CheckedQuery extends AnalysedSelect, OwnLimits {
  /** the tree, made explicit */
  statement: Tree;
  /** undefined without ORDER BY */
  order: Order | undefined;
}

/** Parses and checks a query against the allow-lists. Pure; throws `QueryRefused`. */
export function checkQuery(query: string, tables: ReadonlyMap<string, QueryTable>): CheckedQuery {
  if (Buffer.byteLength(query) > LONGEST_QUERY)
    throw new QueryRefused('RESOURCE_LIMIT_ERR', `a query is at most ${LONGEST_QUERY} bytes long`);
  if (query.includes('\0')) throw new QueryRefused('QUERY_ERR', 'the query holds a NUL character');
  const statement = parseStatement(query);
  checkGrammar(statement);
  const select = fieldsOf(statement, 'SelectStmt') ?? {};
  const analysed = new SelectAnalysis(tables).analyse(select);
  return { ...analysed, ...ownLimits(select), order: orderOf(select, analysed.columns), statement };
}
