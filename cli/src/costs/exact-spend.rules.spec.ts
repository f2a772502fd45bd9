import * as fc from 'fast-check';
import { hoursOf, timesWhole } from './exact-spend.rules.js';

describe('hours of billed days', () => {
  it.each([
    ['2026-02-27', '2026-03-01', 72],
    ['2026-03-29', '2026-03-29', 24],
    ['2025-12-31', '2026-01-01', 48],
  ])('%s to %s are %s, both days included', (first, last, hours) => {
    expect(hoursOf(first, last)).toBe(hours);
  });
});

describe('an exact decimal times a whole number', () => {
  it.each([
    ['0.097095890411', 24, '2.330301369864'],
    ['0.0416', 744, '30.9504'],
    ['2', 24, '48.00'],
    ['0.5', 3, '1.50'],
    ['-0.001', 24, '-0.024'],
    ['0.00', 24, '0.00'],
    ['90071992547409.93', 24, '2161727821137838.32'],
  ])('%s times %s is %s', (text, factor, product) => {
    expect(timesWhole(text, factor)).toBe(product);
  });

  it('exact amounts lose no digit', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 10n ** 30n }),
        fc.integer({ min: 0, max: 12 }),
        fc.integer({ min: 0, max: 100_000 }),
        (digits, places, factor) => {
          const padded = digits.toString().padStart(places + 1, '0');
          const cut = padded.length - places;
          const text = places === 0 ? padded : `${padded.slice(0, cut)}.${padded.slice(cut)}`;
          const [whole = '', fraction = ''] = timesWhole(text, factor).split('.');
          const kept = fraction.slice(0, places);
          expect(fraction.slice(places)).toMatch(/^0{0,2}$/);
          expect(BigInt(whole + kept)).toBe(digits * BigInt(factor));
        },
      ),
    );
  });
});
