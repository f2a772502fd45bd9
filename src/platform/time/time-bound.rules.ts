import { httpErrors } from '../errors/app-error.js';

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?$/;

/**
 * The bounds of a list on creation time, both inclusive, as PostgreSQL timestamps. A bare date is the whole day in UTC:
 * as `from` its beginning, as `to` its last microsecond. A time without an offset is one in UTC.
 */
export function timeBound(name: 'from' | 'to', text: string | undefined): string | null {
  if (text === undefined || text === '') return null;
  const instant = instantOf(text);
  if (instant === undefined)
    throw httpErrors.INVALID_REQUEST(`${name} must be an ISO 8601 date or date-time`);
  if (!DATE.test(text)) return instant;
  return name === 'from' ? instant : `${text}T23:59:59.999999Z`;
}

/** In UTC and as PostgreSQL reads it, which knows neither every offset nor every year that JavaScript knows. */
function instantOf(text: string): string | undefined {
  const parts = DATE_TIME.exec(text);
  if (!parts && !DATE.test(text)) return undefined;
  const instant = isoText(parts && parts[3] === undefined ? `${text}Z` : text);
  const day = text.slice(0, 10);
  // Date rolls 31 April over to 1 May; and there is no year 0.
  const exists =
    isoText(day)?.startsWith(day) && /^\d{4}/.test(instant ?? '') && !instant?.startsWith('0000');
  return exists ? instant : undefined;
}

function isoText(text: string): string | undefined {
  const instant = new Date(text);
  return Number.isNaN(instant.getTime()) ? undefined : instant.toISOString();
}
