import { daysOf, historyRange } from './history-range.rules.js';

const NOW = new Date('2026-03-31T23:59:59Z');

describe('the range of a cost history', () => {
  it('is the last 30 days by default', () => {
    expect(historyRange({}, NOW)).toEqual({ from: '2026-03-02', to: '2026-03-31' });
    expect(daysOf(historyRange({}, NOW))).toHaveLength(30);
  });

  it('counts days in UTC and ends today', () => {
    expect(historyRange({ from: '2026-03-30T00:30:00+01:00', to: '2027-01-01T00:00:00Z' }, NOW)).toEqual({
      from: '2026-03-29',
      to: '2026-03-31',
    });
    expect(historyRange({ to: '2026-01-31t10:00:00.5z' }, NOW)).toEqual({
      from: '2026-01-02',
      to: '2026-01-31',
    });
  });

  it('has no days when all of them are to come', () => {
    expect(daysOf(historyRange({ from: '2026-04-02T00:00:00Z', to: '2026-04-03T00:00:00Z' }, NOW))).toEqual(
      [],
    );
  });

  it.each([
    { from: '2026-03-01' },
    { from: '' },
    { to: '2026-03-01T00:00:00' },
    { to: '2026-02-30T00:00:00Z' },
    { to: '2026-03-01T24:00:00Z' },
    { to: '2026-03-01 00:00:00Z' },
    { to: '0000-03-01T00:00:00Z' },
    { from: ['2026-03-01T00:00:00Z', '2026-03-02T00:00:00Z'] },
    { from: '2026-03-02T00:00:00Z', to: '2026-03-01T00:00:00Z' },
    { from: '2026-03-31T10:00:01Z', to: '2026-03-31T10:00:00Z' },
    { from: '2022-03-02T00:00:00Z' },
  ])('refuses %j', (query) => {
    expect(() => historyRange(query, NOW)).toThrow(
      expect.objectContaining({ id: 'INVALID_DATE_PARAM' }) as Error,
    );
  });
});
