import * as fc from 'fast-check';
import { Decimal } from '../../pricing/index.js';
import { type DayChange, historyPoints } from './history-points.rules.js';

const DAYS = ['2026-01-01', '2026-01-02', '2026-01-03', '2026-01-04', '2026-01-05'];

const change: fc.Arbitrary<DayChange> = fc.record({
  name: fc.constantFrom('core', 'data', 'untagged'),
  currency: fc.constantFrom('USD', 'EUR', ''),
  day: fc.constantFrom(...DAYS),
  count: fc.integer({ min: 1, max: 3 }),
  monthly: fc.constantFrom('1.10', '-0.5', '0').map((text) => Decimal.of(text)),
  hourly: fc.constantFrom('0.01', '0').map((text) => Decimal.of(text)),
});

describe('The points of a cost history', () => {
  it('say of a day what that day says when it is asked for alone', () => {
    fc.assert(
      fc.property(
        fc.array(change, { maxLength: 8 }),
        fc.array(change, { maxLength: 8 }),
        fc.boolean(),
        (totals, groups, isByTag) => {
          const facts = { totals: totals.map((each) => ({ ...each, name: '' })), groups, isByTag };
          const { points } = historyPoints({ ...facts, days: DAYS });
          expect(points).toEqual(DAYS.flatMap((day) => historyPoints({ ...facts, days: [day] }).points));
        },
      ),
    );
  });

  it('carry a day without a change forward, and show the next change', () => {
    const of = (day: string, monthly: string): DayChange => ({
      ...{ name: 'aws', currency: 'USD', day, count: 1 },
      ...{ monthly: Decimal.of(monthly), hourly: Decimal.ZERO },
    });
    const changes = [of('2026-01-02', '5'), of('2026-01-04', '2.5')];
    const totals = changes.map((each) => ({ ...each, name: '' }));
    const { points } = historyPoints({ days: DAYS, totals, groups: changes, isByTag: false });
    expect(points.map(({ monthly_cost: cost, groups }) => [cost, groups[0]?.monthly_cost])).toEqual([
      [undefined, undefined],
      ['5.00', '5.00'],
      ['5.00', '5.00'],
      ['7.50', '7.50'],
      ['7.50', '7.50'],
    ]);
  });
});
