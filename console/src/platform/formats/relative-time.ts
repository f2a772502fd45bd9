const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const STEPS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

/** `3 minutes ago`; `now` for less than a minute. Both are milliseconds. */
export function relativeTime(instant: number, now: number): string {
  const seconds = Math.round((instant - now) / 1_000);
  for (const [unit, length] of STEPS)
    if (Math.abs(seconds) >= length) return RELATIVE.format(Math.trunc(seconds / length), unit);
  return 'now';
}

/** The exact instant in the zone of the browser. */
export function exactTime(instant: number): string {
  return new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'long' }).format(instant);
}
