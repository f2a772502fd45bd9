import { defineErrors } from '../../platform/errors/index.js';

export const mqlErrors = defineErrors({
  QUERY_ERR: [400, 'unsupported query'],
  TABLE_ACCESS_ERR: [400, 'table not found'],
  FUNC_ACCESS_ERR: [400, 'this function is not allowed'],
  UNKNOWN_COLUMN_ERR: [400, 'column not found'],
  CAST_ERR: [400, 'this cast is not allowed'],
  APPLY_PAGE_ERR: [400, 'the page token belongs to another query'],
  TIMEOUT_ERR: [400, 'the query took too long'],
  RESOURCE_LIMIT_ERR: [400, 'the query exceeds a resource limit'],
  QUERIES_UNAVAILABLE: [503, 'SQL queries are disabled: the required database role is missing'],
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
