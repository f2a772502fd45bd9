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

const FIRST_PAUSE_MS = 60_000;
const MAX_PAUSE_MS = HOUR_MS;

/** Pause after the nth attempt that failed in a row. */
export function retryPauseMs(attempts: number): number {
  return Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.max(0, attempts - 1));
}
