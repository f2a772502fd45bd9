import { isWithinWindow, nextDrift } from './drift-time.rules.js';

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

  it.each([
    ['09:00', '17:00', '08:59', false],
    ['09:00', '17:00', '09:00', true],
    ['09:00', '17:00', '17:00', false],
    ['22:00', '04:00', '23:30', true],
    ['22:00', '04:00', '03:59', true],
    ['22:00', '04:00', '12:00', false],
    [null, null, '12:00', true],
  ])('window %s to %s at %s: %s', (start, end, time, expected) => {
    expect(isWithinWindow(new Date(`2026-01-01T${time}:30Z`), start, end)).toBe(expected);
  });
});
