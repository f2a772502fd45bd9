import fc from 'fast-check';
import { Decimal } from '../../pricing/index.js';
import { coverage, mainCurrency, movedSums, spendParts, type SpendSum } from './spend-sums.rules.js';

const amounts = fc
  .tuple(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), fc.nat({ max: 25 }))
  .map(([digits, scale]) => Decimal.make(digits, scale).toString());
const counts = fc.nat({ max: 1_000_000 }).map(String);
const sums = fc.record({
  provider: fc.constantFrom('aws', 'azure', 'gcp'),
  currency: fc.constant('USD'),
  attributed: amounts,
  unmanaged: amounts,
  unallocated: amounts,
  attributed_count: counts,
  unmanaged_count: counts,
  unallocated_count: counts,
  first_date: fc.constantFrom('2026-01-01', '2026-02-01'),
  last_date: fc.constantFrom('2026-02-02', '2026-03-01'),
}) satisfies fc.Arbitrary<SpendSum>;

describe('The parts of a bill', () => {
  it('add up to the total exactly, for all and for each provider', () => {
    fc.assert(
      fc.property(fc.array(sums, { maxLength: 6 }), (rows) => {
        const parts = spendParts(rows, 'USD');
        const sum = [parts.attributed_cost, parts.unmanaged_cost, parts.unallocated_cost]
          .map((text) => Decimal.of(text))
          .reduce((one, other) => one.plus(other));
        expect(sum.compare(Decimal.of(parts.total_cost))).toBe(0);
        expect(parts.attributed_count + parts.unmanaged_count + parts.unallocated_count).toBe(
          parts.line_count,
        );
        const each = rows.map((row) => spendParts([row], 'USD'));
        const total = each.reduce((one, { total_cost: cost }) => one.plus(Decimal.of(cost)), Decimal.ZERO);
        if (each.every(({ line_count: lines }) => lines > 0))
          expect(total.compare(Decimal.of(parts.total_cost))).toBe(0);
        expect(parts.coverage_percent).toBeGreaterThanOrEqual(0);
        expect(parts.coverage_percent).toBeLessThanOrEqual(100);
      }),
    );
  });

  it('keep the total when a match moves some of it, and are added up anew when they do not fit', () => {
    const [sum] = fc.sample(sums, 1);
    if (sum === undefined) throw new Error('no sum');
    const before = { ...sum, provider: 'aws', attributed_count: '5', unmanaged_count: '7' };
    const move = { provider: 'aws', currency: 'USD', lines: '3' };
    fc.assert(
      fc.property(amounts, (cost) => {
        const moved = movedSums([before], [{ ...move, cost }]) ?? [];
        expect(moved).toMatchObject([{ attributed_count: '8', unmanaged_count: '4' }]);
        expect(spendParts(moved, 'USD').total_cost).toBe(spendParts([before], 'USD').total_cost);
        const [attributed, earlier] = [moved[0]?.attributed ?? '', before.attributed].map((text) =>
          Decimal.of(text),
        );
        expect(attributed?.minus(earlier ?? Decimal.ZERO).compare(Decimal.of(cost))).toBe(0);
      }),
    );
    expect(movedSums([before], [])).toEqual([before]);
    expect(movedSums([before], [{ ...move, cost: '1', lines: '8' }])).toBeUndefined();
    expect(movedSums([before], [{ ...move, cost: '1', lines: '-6' }])).toBeUndefined();
    expect(movedSums([before], [{ ...move, cost: '1', currency: 'EUR' }])).toBeUndefined();
  });

  it.each([
    ['1', '3', 33.33],
    ['2', '3', 66.67],
    ['-1', '3', 0],
    ['5', '3', 100],
    ['0', '0', 100],
    ['1', '-2', 100],
  ])('%s of %s is a coverage of %s', (attributed, total, percent) => {
    expect(coverage(Decimal.of(attributed), Decimal.of(total))).toBe(percent);
  });

  it('are those of the currency with the most lines, by name where several have as many', () => {
    const count = (currency: string, lines: number) => ({ currency, line_count: lines });
    expect(mainCurrency([count('USD', 2), count('EUR', 1), count('EUR', 3)])).toBe('EUR');
    expect(mainCurrency([count('USD', 2), count('EUR', 2)])).toBe('EUR');
    expect(mainCurrency([])).toBeUndefined();
  });
});
