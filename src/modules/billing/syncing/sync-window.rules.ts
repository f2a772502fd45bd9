const DAY = /^\d{4}-\d\d-\d\d$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;
/** Lines that begin later are a mistake, or an attempt to make partitions for ever. */
const FUTURE_MONTHS = 24;

/** The UTC day of a date or of a timestamp with offset; undefined for what does not exist. */
export function windowDay(text: string): string | undefined {
  if (!DAY.test(text) && !TIME.test(text)) return undefined;
  const written = text.slice(0, 10);
  const [day, time] = [new Date(`${written}T00:00:00Z`), new Date(text)];
  // Date rolls 31 April over to 1 May.
  if (Number.isNaN(day.getTime()) || !day.toISOString().startsWith(written) || Number.isNaN(time.getTime()))
    return undefined;
  const moment = time.toISOString().slice(0, 10);
  return /^\d{4}-/.test(moment) && moment >= '0001' ? moment : undefined;
}

/** The first day of the month `months` - 1 months before `now`. */
export function defaultWindowStart(now: Date, months: number): string {
  return firstOfMonth(now, 1 - months);
}

/** No line may begin on this day or later. */
export function windowEnd(now: Date): string {
  return firstOfMonth(now, FUTURE_MONTHS);
}

function firstOfMonth(now: Date, offset: number): string {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset, 1)).toISOString().slice(0, 10);
}
