import { storableText } from '../../../platform/database/storable-text.js';
import { Decimal } from '../../pricing/index.js';
import { hashUuid } from '../books/hash-uuid.js';
import type { SumDimension } from '../entities/cost.entities.js';
import type { CostedItem } from './priced-item.js';
import { RegionTally } from './region-tally.js';

/** Longer keys and values of tags are cut for sums; whole ones stand with their instance. */
const MAX_NAME_LENGTH = 400;
const MAX_KNOWN_AMOUNTS = 10_000;

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

export type SumName = Pick<Sum, 'dimension' | 'tagKey' | 'name'>;

/** Whose sums they are, and of which day (UTC). */
export interface SumsOfState {
  readonly stateId: string;
  readonly tenantId: string;
  readonly day: string;
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
  /** the same by dimension, then tag key, name and currency: most time goes into finding a sum, and one text of all four costs most of it */
  private readonly found = new Map<string, Map<string, Map<string, Map<string, Sum>>>>();
  private readonly amounts = new Map<string, Decimal>();
  readonly counts: ItemCounts = { resources: 0, free: 0, supported: 0, priced: 0 };
  readonly regions = new RegionTally();

  add(item: CostedItem, sign: 1 | -1 = 1): void {
    this.counts.resources += sign;
    if (item.class === 'f') this.counts.free += sign;
    if (item.class !== 'u') this.counts.supported += sign;
    if (item.isPriced) this.counts.priced += sign;
    this.regions.add(item, sign);
    // Read once: an item is added to as many sums as it has tags.
    const amounts = item.costs.map(({ currency, monthly, hourly }) => ({
      currency,
      monthly: this.signed(monthly, sign),
      hourly: this.signed(hourly, sign),
    }));
    this.addTo({ dimension: 'p', tagKey: '', name: item.provider }, amounts, sign);
    this.addTo({ dimension: 'r', tagKey: '', name: item.type }, amounts, sign);
    if (item.tags === undefined) return;
    for (const [key, value] of Object.entries(item.tags))
      this.addTo({ dimension: 't', tagKey: cut(key), name: cut(value) }, amounts, sign);
  }

  /** Forgets sums to which nothing was added in the end: they stay what they are. */
  dropEmpty(): void {
    this.found.clear();
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

  /** Counts with the sum of the main currency, and where there is none with the one of instances without a cost. */
  private addTo(of: SumName, amounts: readonly SignedAmount[], sign: 1 | -1): void {
    if (amounts.length === 0) this.sumOf(of, '').count += sign;
    for (const [place, { currency, monthly, hourly }] of amounts.entries()) {
      const sum = this.sumOf(of, currency);
      if (place === 0) sum.count += sign;
      sum.monthly = sum.monthly.plus(monthly);
      sum.hourly = sum.hourly.plus(hourly);
    }
  }

  private sumOf(of: SumName, currency: string): Sum {
    const byCurrency = within(within(within(this.found, of.dimension), of.tagKey), of.name);
    let sum = byCurrency.get(currency);
    if (sum !== undefined) return sum;
    const key = keyOf({ ...of, currency });
    sum = this.sums.get(key);
    if (sum === undefined)
      this.sums.set(key, (sum = { ...of, currency, count: 0, monthly: Decimal.ZERO, hourly: Decimal.ZERO }));
    byCurrency.set(currency, sum);
    return sum;
  }

  /** Many instances cost the same: their amounts are read once. */
  private signed(text: string, sign: 1 | -1): Decimal {
    let value = this.amounts.get(text);
    if (value === undefined) {
      if (this.amounts.size >= MAX_KNOWN_AMOUNTS) this.amounts.clear();
      this.amounts.set(text, (value = Decimal.of(text)));
    }
    return sign === 1 ? value : Decimal.ZERO.minus(value);
  }
}

function within<V>(map: Map<string, Map<string, V>>, key: string): Map<string, V> {
  let inner = map.get(key);
  if (inner === undefined) map.set(key, (inner = new Map<string, V>()));
  return inner;
}

interface SignedAmount {
  readonly currency: string;
  readonly monthly: Decimal;
  readonly hourly: Decimal;
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

/** As PostgreSQL keeps it: the cut may go through a surrogate pair, and the name is compared with the stored one. */
function cut(text: string): string {
  return text.length <= MAX_NAME_LENGTH ? text : storableText(text.slice(0, MAX_NAME_LENGTH));
}
