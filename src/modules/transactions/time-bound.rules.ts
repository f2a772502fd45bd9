import { httpErrors } from '../../platform/errors/index.js';

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})$/;

/**
 * The bounds of a list on creation time, both inclusive, as PostgreSQL timestamps. A bare date is the whole day in UTC:
 * as `from` its beginning, as `to` its last microsecond.
 */
export function timeBound(name: 'from' | 'to', text: string | undefined): string | null {
  if (text === undefined || text === '') return null;
  const isDate = DATE.test(text);
  const instant = new Date(text);
  // Date rolls 31 April over to 1 May; PostgreSQL would refuse it.
  const exists = !Number.isNaN(instant.getTime()) && (!isDate || instant.toISOString().startsWith(text));
  // There is no year 0 for PostgreSQL.
  if (!exists || text.startsWith('0000') || !(isDate || DATE_TIME.test(text)))
    throw httpErrors.INVALID_REQUEST(`${name} must be an ISO 8601 date or date-time`);
  if (!isDate) return text;
  return name === 'from' ? `${text}T00:00:00Z` : `${text}T23:59:59.999999Z`;
}
