import { nextDrift, retryPauseMs } from './drift-time.rules.js';

describe('drift schedules', () => {
  it.each([
    ['hourly', '2026-01-31T10:00:00Z', '2026-01-31T11:00:00.000Z'],
    ['daily', '2026-01-31T10:00:00Z', '2026-02-01T10:00:00.000Z'],
    ['weekly', '2026-01-31T10:00:00Z', '2026-02-07T10:00:00.000Z'],
    ['monthly', '2026-01-31T10:00:00Z', '2026-02-28T10:00:00.000Z'],
    ['monthly', '2026-12-15T10:00:00Z', '2027-01-15T10:00:00.000Z'],
  ] as const)('%s after %s is %s', (schedule, now, expected) => {
    expect(nextDrift(schedule, new Date(now)).toISOString()).toBe(expected);
  });

  it('are tried again after a minute, then less and less often, and at least every hour', () => {
    expect([1, 2, 3, 6, 7, 8, 5000].map((attempts) => retryPauseMs(attempts) / 60_000)).toEqual([
      1, 2, 4, 32, 60, 60, 60,
    ]);
  });
});
