import { tagQueryErrors } from './tag-query.errors.js';

/** A local time without zone, as PostgreSQL reads it: `YYYY-MM-DD HH:MM`. */
export type LocalTime = string;

/**
 * A half-open range of local times; an absent bound is open. `minute` ranges end one minute of real time after `from`,
 * so that a minute that occurs twice when clocks go back is counted once.
 */
export interface DateRange {
  from?: LocalTime;
  to?: LocalTime;
  minute?: true;
}

const DAY = /^(\d{4})-(\d{2})-(\d{2})$/;
const MINUTE = /^(\d{4}-\d{2}-\d{2})[ T](\d{2}):(\d{2})$/;

/** Reads the value of `created_at:`; throws BAD_DATE_FORMAT for anything but the five forms and for impossible dates. */
export function parseDateRange(value: string): DateRange {
  const dots = value.indexOf('..');
  if (dots < 0) {
    if (DAY.test(value)) return { from: localTime(value), to: `${followingDay(value)} 00:00` };
    return { from: localTime(value), minute: true };
  }
  const [from, to] = [value.slice(0, dots), value.slice(dots + 2)];
  if (from === '' && to === '') throw tagQueryErrors.BAD_DATE_FORMAT();
  return {
    ...(from !== '' && { from: localTime(from) }),
    ...(to !== '' && { to: localTime(to) }),
  };
}

/** Whether `name` is a time zone by its IANA name. PostgreSQL has the last word when it converts. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+){0,2}$/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    // A RangeError is how Intl says that it does not know the zone.
    return false;
  }
}

function localTime(text: string): LocalTime {
  if (DAY.test(text)) return `${realDay(text)} 00:00`;
  const match = MINUTE.exec(text);
  if (!match) throw tagQueryErrors.BAD_DATE_FORMAT();
  const [, day = '', hour = '', minute = ''] = match;
  if (Number(hour) > 23 || Number(minute) > 59) throw tagQueryErrors.BAD_DATE_FORMAT();
  return `${realDay(day)} ${hour}:${minute}`;
}

function realDay(text: string): string {
  if (text.startsWith('0000') || calendarDay(text, 0) !== text) throw tagQueryErrors.BAD_DATE_FORMAT();
  return text;
}

function followingDay(text: string): string {
  return calendarDay(realDay(text), 1);
}

/** Calendar arithmetic only: UTC has no gaps, so the local day after a change of clocks is right too. */
function calendarDay(text: string, days: number): string {
  const [year = 0, month = 0, day = 0] = text.split('-').map(Number);
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day + days);
  return date
    .toISOString()
    .replace(/^\+0*/, '')
    .slice(0, date.getUTCFullYear() > 9999 ? 11 : 10);
}
