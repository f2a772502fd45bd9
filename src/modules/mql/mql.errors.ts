import { defineErrors } from '../../platform/errors/index.js';

export const mqlErrors = defineErrors({
  QUERY_ERR: [400, 'the query is not one that is answered here'],
  TABLE_ACCESS_ERR: [400, 'there is no such table'],
  FUNC_ACCESS_ERR: [400, 'this function cannot be used'],
  UNKNOWN_COLUMN_ERR: [400, 'there is no such column'],
  CAST_ERR: [400, 'this cast cannot be used'],
  APPLY_PAGE_ERR: [400, 'the page token is not one of this query'],
  TIMEOUT_ERR: [400, 'the query took too long'],
  RESOURCE_LIMIT_ERR: [400, 'the query needs more than one query may have'],
  QUERIES_UNAVAILABLE: [503, 'SQL queries are switched off: the database role they need is missing'],
});

export type QueryErrorId = Exclude<keyof typeof mqlErrors, 'QUERIES_UNAVAILABLE'>;

/** A refusal of the caller's own text; `location` is an offset in bytes into it. */
export class QueryRefused extends Error {
  constructor(
    readonly id: QueryErrorId,
    message: string,
    readonly location?: number,
  ) {
    super(message);
  }
}

/** Position as people count: characters, from one. */
export function positionIn(query: string, byteOffset: number): number {
  const before = Buffer.from(query, 'utf8').subarray(0, byteOffset).toString('utf8');
  return [...before].length + 1;
}
