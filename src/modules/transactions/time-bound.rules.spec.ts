import { timeBound } from './time-bound.rules.js';

describe('the bounds of a list on time', () => {
  it('take a date as its whole day, and a date-time as it is', () => {
    expect(timeBound('from', '2026-02-28')).toBe('2026-02-28T00:00:00Z');
    expect(timeBound('to', '2026-02-28')).toBe('2026-02-28T23:59:59.999999Z');
    expect(timeBound('to', '2026-02-28T10:00:00+01:00')).toBe('2026-02-28T10:00:00+01:00');
    expect(timeBound('from', undefined)).toBeNull();
  });

  it.each([
    'yesterday',
    '2026-02-30',
    '2026-13-01',
    '2026-02-28T25:00:00Z',
    '2026-02-28T10:00',
    '1',
    "'",
    '0000-01-01',
  ])('refuse %s', (text) => {
    expect(() => timeBound('from', text)).toThrow('from must be');
  });
});
