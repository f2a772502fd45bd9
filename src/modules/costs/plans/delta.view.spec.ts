import * as fc from 'fast-check';
import { Decimal } from '../../pricing/index.js';
import type { DeltaEntry, DeltaSide, StoredDelta } from './cost-delta.js';
import { toTransactionCosts } from './delta.view.js';

const cents = fc.nat(100_000).map((value) => Decimal.of(value).dividedBy(100).toAmount());
const side: fc.Arbitrary<DeltaSide> = fc.record({
  class: fc.constantFrom('p' as const, 'f' as const, 'u' as const),
  priced: fc.boolean(),
  costs: fc.array(fc.record({ currency: fc.constantFrom('USD', 'EUR'), monthly: cents, hourly: cents }), {
    maxLength: 1,
  }),
  tags: fc.dictionary(fc.constantFrom('team', 'env'), fc.constantFrom('a', 'b', 'untagged')),
});
const entry: fc.Arbitrary<DeltaEntry> = fc.record(
  {
    address: fc.string({ minLength: 1, maxLength: 5 }),
    type: fc.constantFrom('aws_instance', 'aws_lb'),
    provider: fc.constantFrom('aws', 'gcp'),
    current: side,
    planned: side,
  },
  { requiredKeys: ['address', 'type', 'provider'] },
);

const counts = { resources: 0, free: 0, supported: 0, priced: 0 };
const deltaOf = (entries: DeltaEntry[]): StoredDelta => ({
  snapshot_id: 's',
  state_id: 'x',
  state_name: 'x',
  current: { counts, totals: [] },
  planned: { counts, totals: [] },
  entries,
});

const sumOf = (rows: readonly { delta_monthly_cost?: string }[]): string =>
  rows.reduce((sum, row) => sum.plus(Decimal.of(row.delta_monthly_cost ?? 0)), Decimal.ZERO).toAmount();

describe('the delta of a plan', () => {
  it('adds up to the same by provider, by type and by every tag, in each currency', () => {
    fc.assert(
      fc.property(fc.array(entry), fc.constantFrom('USD', 'EUR'), (entries, currency) => {
        const view = toTransactionCosts(deltaOf(entries), {
          ...{ txId: 't', at: new Date(0), stateName: undefined, currency },
        });
        const whole = entries.reduce((sum, { current, planned }) => {
          const of = (each: DeltaSide | undefined): Decimal =>
            Decimal.of(each?.costs.find((cost) => cost.currency === currency)?.monthly ?? 0);
          return sum.plus(of(planned)).minus(of(current));
        }, Decimal.ZERO);
        expect(sumOf(view.by_provider)).toBe(whole.toAmount());
        expect(sumOf(view.by_type)).toBe(whole.toAmount());
        for (const { entries: rows } of view.by_tag) expect(sumOf(rows)).toBe(whole.toAmount());
      }),
    );
  });

  it('lists what is added, removed or costs something else, and nothing that is free', () => {
    const costs = [{ currency: 'USD', monthly: '1.00', hourly: '0.01' }];
    const paid: DeltaSide = { class: 'p', priced: true, costs };
    const free: DeltaSide = { class: 'f', priced: false, costs: [] };
    const of = (address: string, more: Partial<DeltaEntry>): DeltaEntry => ({
      ...{ address, type: 'aws_instance', provider: 'aws' },
      ...more,
    });
    const view = toTransactionCosts(
      deltaOf([
        of('added', { planned: paid }),
        of('removed', { current: paid }),
        of('same', { current: paid, planned: { ...paid, tags: { team: 'a' } } }),
        of('free', { planned: free }),
        of('unknown', { planned: { ...free, class: 'u' } }),
        of('freed', { current: paid, planned: free }),
      ]),
      { txId: 't', at: new Date(0), stateName: 'x', currency: undefined },
    );
    const rows = view.states.flatMap(({ resources }) => resources);
    expect(
      rows.map(({ address, change_kind: kind, delta_monthly_cost: delta }) => [address, kind, delta]),
    ).toEqual([
      ['added', 'added', '+1.00'],
      ['removed', 'removed', '-1.00'],
      ['unknown', 'added', undefined],
      ['freed', 'changed', '-1.00'],
    ]);
  });
});
