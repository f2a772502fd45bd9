import { Decimal } from '../../pricing/index.js';
import { hashUuid } from '../books/hash-uuid.js';
import type { SumDimension } from '../entities/cost.entities.js';
import type { CostedItem } from './priced-item.js';
import { RegionTally } from './region-tally.js';

/** Longer keys and values of tags are cut for sums; whole ones stand with their instance. */
const MAX_NAME_LENGTH = 400;

export interface Sum {
  readonly dimension: SumDimension;
  readonly tagKey: string;
  readonly name: string;
  /** empty: instances without a cost */
  readonly currency: string;
  count: number;
  monthly: Decimal;
  hourly: Decimal;
}

export interface ItemCounts {
  resources: number;
  free: number;
  supported: number;
  priced: number;
}

/** Sums of items by provider, type and tag, with totals; items are added and taken away. */
export class ItemSums {
  readonly sums = new Map<string, Sum>();
  readonly counts: ItemCounts = { resources: 0, free: 0, supported: 0, priced: 0 };
  readonly regions = new RegionTally();

  add(item: CostedItem, sign: 1 | -1 = 1): void {
    this.counts.resources += sign;
    if (item.class === 'f') this.counts.free += sign;
    if (item.class !== 'u') this.counts.supported += sign;
    if (item.isPriced) this.counts.priced += sign;
    this.regions.add(item, sign);
    this.addTo(item, sign, { dimension: 'p', tagKey: '', name: item.provider });
    this.addTo(item, sign, { dimension: 'r', tagKey: '', name: item.type });
    if (item.tags === undefined) return;
    for (const [key, value] of Object.entries(item.tags))
      this.addTo(item, sign, { dimension: 't', tagKey: cut(key), name: cut(value) });
  }

  /** Forgets sums to which nothing was added in the end: they stay what they are. */
  dropEmpty(): void {
    for (const [key, sum] of this.sums) if (isEmptySum(sum)) this.sums.delete(key);
  }

  /** What every sum was before: `this` then holds what it is now. */
  addBase(rows: readonly Sum[]): void {
    for (const row of rows) {
      const sum = this.sums.get(keyOf(row));
      if (sum === undefined) continue;
      sum.count += row.count;
      sum.monthly = sum.monthly.plus(row.monthly);
      sum.hourly = sum.hourly.plus(row.hourly);
    }
  }

  private addTo(
    item: CostedItem,
    sign: 1 | -1,
    of: { dimension: SumDimension; tagKey: string; name: string },
  ): void {
    const [main, ...others] = item.costs;
    if (main === undefined) this.sumOf({ ...of, currency: '' }).count += sign;
    else {
      this.addCost({ ...of, currency: main.currency }, main, sign).count += sign;
      for (const cost of others) this.addCost({ ...of, currency: cost.currency }, cost, sign);
    }
  }

  private addCost(
    of: Pick<Sum, 'dimension' | 'tagKey' | 'name' | 'currency'>,
    cost: { monthly: string; hourly: string },
    sign: 1 | -1,
  ): Sum {
    const sum = this.sumOf(of);
    const [monthly, hourly] = [Decimal.of(cost.monthly), Decimal.of(cost.hourly)];
    sum.monthly = sign === 1 ? sum.monthly.plus(monthly) : sum.monthly.minus(monthly);
    sum.hourly = sign === 1 ? sum.hourly.plus(hourly) : sum.hourly.minus(hourly);
    return sum;
  }

  private sumOf(of: Pick<Sum, 'dimension' | 'tagKey' | 'name' | 'currency'>): Sum {
    const key = keyOf(of);
    let sum = this.sums.get(key);
    if (sum === undefined)
      this.sums.set(key, (sum = { ...of, count: 0, monthly: Decimal.ZERO, hourly: Decimal.ZERO }));
    return sum;
  }
}

/** Nothing is left that the sum stands for. */
export function isEmptySum({ count, monthly, hourly }: Sum): boolean {
  return count === 0 && monthly.isZero() && hourly.isZero();
}

/** Half of the primary key of a stored sum. */
export function sumId({ tagKey, name }: Pick<Sum, 'tagKey' | 'name'>): string {
  return hashUuid(`${tagKey}\0${name}`);
}

export function keyOf(sum: Pick<Sum, 'dimension' | 'tagKey' | 'name' | 'currency'>): string {
  return `${sum.dimension}\0${sum.tagKey}\0${sum.name}\0${sum.currency}`;
}

function cut(text: string): string {
  return text.length <= MAX_NAME_LENGTH ? text : text.slice(0, MAX_NAME_LENGTH);
}
