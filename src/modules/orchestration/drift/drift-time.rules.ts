import type { DriftScheduleEntity } from '../entities/run-artifact.entities.js';

export type DriftPeriod = DriftScheduleEntity['schedule'];

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** When a schedule is due again after `now`; missed periods count once. A month is a calendar month in UTC. */
export function nextDrift(schedule: DriftPeriod, now: Date): Date {
  switch (schedule) {
    case 'hourly':
      return new Date(now.getTime() + HOUR_MS);
    case 'daily':
      return new Date(now.getTime() + DAY_MS);
    case 'weekly':
      return new Date(now.getTime() + 7 * DAY_MS);
    case 'monthly': {
      const day = Math.min(
        now.getUTCDate(),
        new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 2, 0)).getUTCDate(),
      );
      const next = new Date(now);
      next.setUTCDate(1);
      next.setUTCMonth(now.getUTCMonth() + 1);
      next.setUTCDate(day);
      return next;
    }
  }
}

/** Whether `now` lies between two UTC times of the day, `start` included; a window may cross midnight. */
export function isWithinWindow(now: Date, start: string | null, end: string | null): boolean {
  if (start === null || end === null || start === end) return true;
  const time = now.toISOString().slice(11, 16);
  return start < end ? time >= start && time < end : time >= start || time < end;
}
