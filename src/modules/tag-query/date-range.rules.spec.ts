import { isTimeZone, parseDateRange } from './date-range.rules.js';

describe('The date range of a tag query', () => {
  it.each([
    ['2026-01-31', { from: '2026-01-31 00:00', to: '2026-02-01 00:00' }],
    ['2028-02-28', { from: '2028-02-28 00:00', to: '2028-02-29 00:00' }],
    ['2026-12-31', { from: '2026-12-31 00:00', to: '2027-01-01 00:00' }],
    ['9999-12-31', { from: '9999-12-31 00:00', to: '10000-01-01 00:00' }],
    ['2026-01-31 10:00', { from: '2026-01-31 10:00', minute: true }],
    ['2026-01-31T10:00', { from: '2026-01-31 10:00', minute: true }],
    ['2026-01-01..2026-02-01', { from: '2026-01-01 00:00', to: '2026-02-01 00:00' }],
    ['2026-01-01 08:30..2026-02-01', { from: '2026-01-01 08:30', to: '2026-02-01 00:00' }],
    ['2026-01-01..', { from: '2026-01-01 00:00' }],
    ['..2026-01-01', { to: '2026-01-01 00:00' }],
  ])('reads %s', (value, expected) => {
    expect(parseDateRange(value)).toEqual(expected);
  });

  it.each([
    '..',
    'yesterday',
    '2026-02-30',
    '2026-13-01',
    '2026-1-1',
    '0000-01-01',
    '2026-01-01 24:00',
    '2026-01-01 10:60',
    '2026-01-01..x',
    '2026-01-01...2026-01-02',
  ])('refuses %s', (value) => {
    expect(() => parseDateRange(value)).toThrow(expect.objectContaining({ id: 'BAD_DATE_FORMAT' }));
  });

  it('knows time zones by their IANA names only', () => {
    const names = ['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5'];
    expect(names.filter((name) => !isTimeZone(name))).toEqual([]);
    const others = ['', 'Mars/Olympus', "UTC'; SELECT 1", '+02:00', 'Europe/Berlin/x/y', 'UTC\n'];
    expect(others.filter((name) => isTimeZone(name))).toEqual([]);
  });
});
