import { httpErrors } from '../../../platform/errors/index.js';

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;
const MAX_DAYS = 1_100;
/** RFC 3339: a full timestamp with its offset. */
const TIMESTAMP =
  /^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i;

/** First and last UTC day that a history asks for. Interface 4.11 rule 1: bare dates are refused. */
export function historyRange(
  query: { from?: unknown; to?: unknown },
  now: Date,
): { from: string; to: string } {
  const today = startOfDay(now.getTime());
  const given = instantOf('to', query.to);
  const from = instantOf('from', query.from);
  if (from !== undefined && given !== undefined && from > given)
    throw httpErrors.INVALID_DATE_PARAM('from must not be after to');
  const to = given === undefined ? today : startOfDay(given);
  const first = from === undefined ? to - (DEFAULT_DAYS - 1) * DAY_MS : startOfDay(from);
  if (first > to) throw httpErrors.INVALID_DATE_PARAM('from must not be after to');
  if ((to - first) / DAY_MS + 1 > MAX_DAYS)
    throw httpErrors.INVALID_DATE_PARAM(`from and to must span at most ${MAX_DAYS} days`);
  return { from: textOf(first), to: textOf(Math.min(to, today)) };
}

/** The days from the first to the last; none when all of them are still to come. */
export function daysOf({ from, to }: { from: string; to: string }): string[] {
  const [first, last] = [Date.parse(from), Date.parse(to)];
  return Array.from({ length: Math.max(0, (last - first) / DAY_MS + 1) }, (_, index) =>
    textOf(first + index * DAY_MS),
  );
}

function instantOf(name: string, value: unknown): number | undefined {
  if (value === undefined) return undefined;
  const match = typeof value === 'string' ? TIMESTAMP.exec(value) : null;
  const instant = match === null ? Number.NaN : Date.parse(match[0]);
  if (match === null || Number.isNaN(instant) || !isRealDay(match[1] ?? ''))
    throw httpErrors.INVALID_DATE_PARAM(`${name} must be an RFC 3339 timestamp such as 2026-01-31T00:00:00Z`);
  return instant;
}

/** `Date.parse` takes the 30th of February for the 2nd of March. */
function isRealDay(day: string): boolean {
  const time = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(time) && !day.startsWith('0000') && textOf(time) === day;
}

function startOfDay(time: number): number {
  return Math.floor(time / DAY_MS) * DAY_MS;
}

function textOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
