import { Decimal } from './decimal.js';

/** One price of the book: for a provider, a region (or `global`) and a key. */
export class Price {
  private parsed?: Decimal;

  constructor(
    readonly unit: string,
    readonly currency: string,
    /** decimal text, or `[from, price]` pairs that begin at 0 and ascend */
    readonly amount: string | readonly (readonly [from: string, price: string])[],
    readonly date: string,
    readonly source: string,
    /** `derived` or `approximate (0.5%)` */
    readonly mark?: string,
  ) {}

  /** The price, of the first tier when there are several. */
  get text(): string {
    return typeof this.amount === 'string' ? this.amount : (this.amount[0]?.[1] ?? '0');
  }

  get decimal(): Decimal {
    return (this.parsed ??= Decimal.of(this.text));
  }
}

export interface PriceBookPart {
  /** hash of the file's content */
  version: string;
  generatedAt: string;
  sources: Record<string, PriceSource>;
  /** provider, then region, then key */
  prices: PriceTable;
}

export interface PriceSource {
  title: string;
  licence: string;
}

export type PriceTable = Map<string, Map<string, Map<string, Price>>>;

export const GLOBAL_REGION = 'global';

/** Prices that are in force together: the shipped book and what the operator lays over it. Never changes once made. */
export class PriceBook {
  private constructor(
    /** identifies the content: equal books have equal versions */
    readonly version: string,
    /** when the newest part was made */
    readonly generatedAt: string,
    readonly size: number,
    readonly sources: Readonly<Record<string, PriceSource>>,
    private readonly parts: readonly PriceTable[],
  ) {}

  /** Later parts win over earlier ones, price by price. */
  static of(parts: readonly PriceBookPart[]): PriceBook {
    return new PriceBook(
      parts.map((part) => part.version).join('+'),
      parts.map((part) => part.generatedAt).reduce((left, right) => (left > right ? left : right), ''),
      parts.reduce((sum, part) => sum + countPrices(part.prices), 0),
      Object.assign({}, ...parts.map((part) => part.sources)) as Record<string, PriceSource>,
      parts.map((part) => part.prices).reverse(),
    );
  }

  /** The price in this region, or the one that holds everywhere. Never another region's. */
  find(provider: string, region: string, key: string): Price | undefined {
    for (const prices of this.parts) {
      const regions = prices.get(provider);
      const price = regions?.get(region)?.get(key) ?? regions?.get(GLOBAL_REGION)?.get(key);
      if (price !== undefined) return price;
    }
    return undefined;
  }

  /** Every price of a key, by provider and region. */
  *list(key: string): Generator<{ provider: string; region: string; price: Price }> {
    const seen = new Set<string>();
    for (const prices of this.parts) {
      for (const [provider, regions] of prices) {
        for (const [region, keys] of regions) {
          const price = keys.get(key);
          if (price === undefined || seen.has(`${provider} ${region}`)) continue;
          seen.add(`${provider} ${region}`);
          yield { provider, region, price };
        }
      }
    }
  }

  /** Every key that some region has. */
  *keys(): Generator<{ provider: string; key: string }> {
    const seen = new Set<string>();
    for (const prices of this.parts) {
      for (const [provider, regions] of prices) {
        for (const keys of regions.values()) {
          for (const key of keys.keys()) {
            if (seen.has(`${provider} ${key}`)) continue;
            seen.add(`${provider} ${key}`);
            yield { provider, key };
          }
        }
      }
    }
  }

  hasRegion(provider: string, region: string): boolean {
    return this.parts.some((prices) => prices.get(provider)?.has(region) === true);
  }
}

export function countPrices(prices: PriceTable): number {
  let count = 0;
  for (const regions of prices.values()) for (const keys of regions.values()) count += keys.size;
  return count;
}
