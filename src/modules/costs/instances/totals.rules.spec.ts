import * as fc from 'fast-check';
import { Decimal } from '../../pricing/index.js';
import { byCurrency, coverageOf, signedAmount } from './totals.rules.js';

describe('totals', () => {
  it('never add amounts of different currencies, and begin with the one that most instances have', () => {
    const amount = (currency: string, count: number, monthly: string) => ({
      ...{ currency, count, monthly: Decimal.of(monthly), hourly: Decimal.ZERO },
    });
    const sums = byCurrency([
      amount('EUR', 1, '0.1'),
      amount('USD', 2, '0.1'),
      amount('', 9, '0'),
      amount('USD', 1, '0.2'),
    ]);
    expect(sums.map(({ currency, count, monthly }) => [currency, count, monthly.toAmount()])).toEqual([
      ['USD', 3, '0.30'],
      ['EUR', 1, '0.10'],
    ]);
  });

  it('write differences with their sign', () => {
    expect(['5', '-1.2', '0', '-0.00'].map((text) => signedAmount(Decimal.of(text)))).toEqual([
      '+5.00',
      '-1.20',
      '0.00',
      '0.00',
    ]);
  });

  it('say 100 percent only when all billable instances have a price', () => {
    fc.assert(
      fc.property(fc.nat(100_000), fc.nat(100_000), fc.nat(100_000), (priced, missing, free) => {
        const coverage = coverageOf({ resources: priced + missing + free, free, priced });
        expect(coverage).toBeGreaterThanOrEqual(0);
        expect(coverage === 100).toBe(missing === 0);
        expect(String(coverage)).toMatch(/^\d+(\.\d{1,2})?$/);
      }),
    );
  });
});
