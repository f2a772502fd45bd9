import * as fc from 'fast-check';
import { Decimal } from '../../pricing/index.js';
import { isEmptySum, ItemSums, type Sum } from './item-sums.js';
import type { CostedItem } from './priced-item.js';

const item: fc.Arbitrary<CostedItem> = fc.record({
  type: fc.constantFrom('aws_instance', 'aws_lb'),
  provider: fc.constantFrom('aws', '__proto__'),
  class: fc.constantFrom('p' as const, 'f' as const, 'u' as const),
  isPriced: fc.boolean(),
  costs: fc.array(
    fc.record({
      currency: fc.constantFrom('USD', 'EUR'),
      monthly: fc.constantFrom('0.00', '1.10', '2.25'),
      hourly: fc.constantFrom('0.00', '0.01'),
    }),
    { maxLength: 2 },
  ),
  tags: fc.option(fc.dictionary(fc.constantFrom('team', '__proto__'), fc.constantFrom('a', 'b')), {
    nil: undefined,
  }),
  ownRegion: fc.option(fc.constantFrom('us-east-1', 'constructor'), { nil: undefined }),
});
const items = fc.array(item, { maxLength: 8 });

function sumsOf(list: readonly CostedItem[]): ItemSums {
  const sums = new ItemSums();
  for (const each of list) sums.add(each);
  return sums;
}

function textOf({ sums }: ItemSums): string[] {
  return [...sums]
    .filter(([, sum]) => !isEmptySum(sum))
    .map(([key, { count, monthly, hourly }]) => `${key} ${count} ${monthly.toAmount()} ${hourly.toAmount()}`)
    .sort();
}

describe('sums of items', () => {
  it('are the same from a difference put on what was there as from nothing', () => {
    fc.assert(
      fc.property(items, items, items, (kept, before, after) => {
        const stored: Sum[] = [...sumsOf([...kept, ...before]).sums.values()].filter(
          (sum) => !isEmptySum(sum),
        );
        const difference = new ItemSums();
        for (const each of before) difference.add(each, -1);
        for (const each of after) difference.add(each);
        difference.dropEmpty();
        const named = stored.filter((sum) =>
          [...difference.sums.values()].some((other) => isSameName(other, sum)),
        );
        difference.addBase(named);
        const untouched = stored.filter((sum) => !named.includes(sum));
        for (const sum of untouched)
          difference.sums.set(`${sum.dimension}\0${sum.tagKey}\0${sum.name}\0${sum.currency}`, sum);
        expect(textOf(difference)).toEqual(textOf(sumsOf([...kept, ...after])));
      }),
    );
  });

  it('sums of two sets equal the sums of their union, in any order', () => {
    fc.assert(
      fc.property(items, items, (left, right) => {
        const together = sumsOf([...left, ...right]);
        const apart = sumsOf(left);
        for (const each of right) apart.add(each);
        expect(textOf(apart)).toEqual(textOf(together));
        expect(textOf(sumsOf([...right, ...left]))).toEqual(textOf(together));
        const difference = sumsOf([...left, ...right]);
        for (const each of right) difference.add(each, -1);
        expect(textOf(difference)).toEqual(textOf(sumsOf(left)));
      }),
    );
  });

  it('add up to the same by provider and by type', () => {
    fc.assert(
      fc.property(items, (list) => {
        const { sums } = sumsOf(list);
        const total = (dimension: string): string =>
          [...sums.values()]
            .filter((sum) => sum.dimension === dimension && sum.currency === 'USD')
            .reduce((left, { monthly }) => left.plus(monthly), Decimal.ZERO)
            .toAmount();
        expect(total('p')).toBe(total('r'));
      }),
    );
  });
});

function isSameName(left: Sum, right: Sum): boolean {
  return (
    left.dimension === right.dimension &&
    left.tagKey === right.tagKey &&
    left.name === right.name &&
    left.currency === right.currency
  );
}
