import { httpErrors } from '../../platform/errors/index.js';

/** The `limit` of a list: a whole number from 1 to `most`, `fallback` when absent. */
export function pageLimit(limit: string | undefined, fallback: number, most: number): number {
  if (limit === undefined) return fallback;
  const count = Number(limit);
  if (!Number.isInteger(count) || count < 1)
    throw httpErrors.INVALID_REQUEST('limit must be a whole number from 1');
  return Math.min(count, most);
}
