import { Decimal } from '../decimal.js';
import { type PriceBook, type PriceBookPart, PriceBook as Book } from '../price-book.js';
import { BrokenPriceBook, readPriceBookFile } from '../price-book-file.js';

export interface BookProblem {
  kind: 'broken' | 'implausible' | 'missing';
  text: string;
}

/** A price this many times its neighbours is taken for a mistake. */
const IMPLAUSIBLE_FACTOR = 100;

/**
 * What is wrong with a file: broken (doubled or negative prices, another format), implausible (100 times what other
 * regions pay, or what `standard` pays in the same region), missing (keys that `standard` has for the provider but this file lacks
 * in a region of its own).
 */
export async function checkPriceBook(
  path: string,
  standard: PriceBook,
): Promise<{ problems: BookProblem[]; prices: number }> {
  let part: PriceBookPart;
  try {
    part = await readPriceBookFile(path);
  } catch (error) {
    if (!(error instanceof BrokenPriceBook)) throw error;
    return { problems: [{ kind: 'broken', text: error.message }], prices: 0 };
  }
  const problems = [...implausible(part, standard), ...missing(part, standard)];
  return { problems, prices: Book.of([part]).size };
}

function* implausible(part: PriceBookPart, standard: PriceBook): Generator<BookProblem> {
  for (const [provider, regions] of part.prices) {
    const neighbours = new Map<string, Decimal[]>();
    for (const keys of regions.values())
      for (const [key, price] of keys)
        neighbours.set(`${price.currency} ${key}`, [
          ...(neighbours.get(`${price.currency} ${key}`) ?? []),
          price.decimal,
        ]);
    for (const [region, keys] of regions) {
      for (const [key, price] of keys) {
        const others = [...(neighbours.get(`${price.currency} ${key}`) ?? [])];
        for (const each of standard.list(key))
          if (each.provider === provider && each.price.currency === price.currency)
            others.push(each.price.decimal);
        const typical = median(others);
        if (typical.isZero() || price.decimal.isZero()) continue;
        if (
          price.decimal.isMore(typical.times(IMPLAUSIBLE_FACTOR)) ||
          price.decimal.times(IMPLAUSIBLE_FACTOR).isLess(typical)
        )
          yield {
            kind: 'implausible',
            text: `${provider} ${region} ${key}: ${price.text} is far from ${typical.toString()} elsewhere`,
          };
      }
    }
  }
}

function median(values: Decimal[]): Decimal {
  const sorted = values.sort((left, right) => left.compare(right));
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? Decimal.ZERO;
}

function* missing(part: PriceBookPart, standard: PriceBook): Generator<BookProblem> {
  const known = new Map<string, Set<string>>();
  for (const { provider, key } of standard.keys()) {
    const keys = known.get(provider) ?? new Set<string>();
    known.set(provider, keys.add(key));
  }
  for (const [provider, regions] of part.prices) {
    for (const [region, keys] of regions) {
      const lacking = [...(known.get(provider) ?? [])].filter(
        (key) => !keys.has(key) && standard.find(provider, region, key) === undefined,
      );
      if (lacking.length > 0)
        yield {
          kind: 'missing',
          text: `${provider} ${region}: no price for ${lacking.length} keys, such as ${lacking.slice(0, 3).join(', ')}`,
        };
    }
  }
}
