import { Decimal } from '../decimal.js';
import type { PriceLine } from '../price-book-file.js';

/** A price of an official list under the key that rules ask for. */
export interface ListedPrice {
  provider: 'aws' | 'azure' | 'gcp';
  region: string;
  key: string;
  unit: string;
  currency: string;
  price: Decimal;
  /** where the tier of this price begins, in units of the key */
  from: Decimal;
  date: string;
}

/** What a list's product is in the price book: its key, unit, and the factor from the list's unit to that one. */
export interface Placed {
  key: string;
  unit: string;
  /** `1000000` when the list has a price for one request and the key one for a million */
  times?: string;
}

/** Puts tiers together; the cheapest of equal ones stays, as lists repeat prices. */
export class PriceLines {
  private readonly prices = new Map<string, { first: ListedPrice; tiers: Map<string, Decimal> }>();

  add(price: ListedPrice): void {
    const id = `${price.provider} ${price.region} ${price.key} ${price.currency}`;
    const found = this.prices.get(id);
    const tiers = found?.tiers ?? new Map<string, Decimal>();
    const from = price.from.toString();
    const known = tiers.get(from);
    if (known === undefined || price.price.isLess(known)) tiers.set(from, price.price);
    if (found === undefined) this.prices.set(id, { first: price, tiers });
  }

  get size(): number {
    return this.prices.size;
  }

  /** In the order of the book; what begins above zero has no first tier and is left out. */
  lines(source: string): PriceLine[] {
    const lines: PriceLine[] = [];
    for (const { first, tiers } of this.prices.values()) {
      const sorted = [...tiers].sort(([left], [right]) => Decimal.of(left).compare(Decimal.of(right)));
      if (sorted[0]?.[0] !== '0') continue;
      const amount =
        sorted.length === 1
          ? (sorted[0][1].toString() ?? '')
          : sorted.map(([from, price]): [string, string] => [from, price.toString()]);
      lines.push([
        first.provider,
        first.region,
        first.key,
        first.unit,
        first.currency,
        amount,
        first.date,
        source,
      ]);
    }
    return lines.sort((left, right) => (left.slice(0, 3).join(' ') < right.slice(0, 3).join(' ') ? -1 : 1));
  }
}
