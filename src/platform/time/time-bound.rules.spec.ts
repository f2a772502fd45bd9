import { timeBound } from './time-bound.rules.js';

describe('the bounds of a list on time', () => {
  it('take a date as its whole day, and a date-time as it is', () => {
    expect(timeBound('from', '2026-02-28')).toBe('2026-02-28T00:00:00.000Z');
    expect(timeBound('to', '2026-02-28')).toBe('2026-02-28T23:59:59.999999Z');
    expect(timeBound('to', '2026-02-28T10:00:00+01:00')).toBe('2026-02-28T09:00:00.000Z');
    expect(timeBound('to', '2026-02-28T10:00:00.123456Z')).toBe('2026-02-28T10:00:00.123Z');
    expect(timeBound('from', undefined)).toBeNull();
  });

  it('take a time without an offset as one in UTC, whatever the zone of the server', () => {
    expect(timeBound('from', '2026-02-28T10:00')).toBe('2026-02-28T10:00:00.000Z');
    expect(timeBound('to', '2026-02-28T10:00:00.5')).toBe('2026-02-28T10:00:00.500Z');
  });

  it('hand PostgreSQL no offset that it does not know', () => {
    expect(timeBound('from', '2026-01-02T00:00:00+23:59')).toBe('2026-01-01T00:01:00.000Z');
  });

  it.each([
    'yesterday',
    '2026-W09-6',
    '2026-059',
    '2026-02',
    '2026',
    '2026-02-28T10',
    '2026-02-30',
    '2026-02-30T10:00:00Z',
    '2026-04-31T10:00:00+01:00',
    '2026-13-01',
    '2026-02-28T25:00:00Z',
    '2026-02-28T25:00',
    '9999-12-31T23:59:59-01:00',
    '0001-01-01T00:00:00+01:00',
    '1',
    "'",
    '0000-01-01',
  ])('refuse %s', (text) => {
    expect(() => timeBound('from', text)).toThrow('from must be');
  });
});
