import { Decimal } from '../../pricing/index.js';
import type { CurrencyTotal } from '../entities/cost.entities.js';

/** The currency of totals where nothing has a cost. */
export const DEFAULT_CURRENCY = 'USD';

/** Amounts in one currency, with the number of instances that cost something in it. */
export interface CurrencyAmount {
  currency: string;
  count: number;
  monthly: Decimal;
  hourly: Decimal;
}

/** Adds up by currency; amounts of different currencies are never added. Most instances first, then by code. */
export function byCurrency(amounts: Iterable<CurrencyAmount>): CurrencyAmount[] {
  const sums = new Map<string, CurrencyAmount>();
  for (const { currency, count, monthly, hourly } of amounts) {
    if (currency === '') continue;
    const sum = sums.get(currency);
    if (sum === undefined) sums.set(currency, { currency, count, monthly, hourly });
    else {
      sum.count += count;
      sum.monthly = sum.monthly.plus(monthly);
      sum.hourly = sum.hourly.plus(hourly);
    }
  }
  return [...sums.values()].sort(
    (left, right) => right.count - left.count || (left.currency < right.currency ? -1 : 1),
  );
}

/** Priced instances of those that are not free in percent, rounded down to two digits; 100 when there are none. */
export function coverageOf({
  resources,
  free,
  priced,
}: Record<'resources' | 'free' | 'priced', number>): number {
  const costly = resources - free;
  return costly === 0 ? 100 : Math.floor((priced * 10_000) / costly) / 100;
}

/** `+5.00`, `-1.20`, `0.00`. */
export function signedAmount(amount: Decimal): string {
  if (amount.isZero()) return '0.00';
  return amount.isNegative() ? amount.toAmount() : `+${amount.toAmount()}`;
}

export function totalOf({ currency, monthly, hourly }: CurrencyAmount): CurrencyTotal {
  return { currency, monthly_cost: monthly.toAmount(), hourly_cost: hourly.toAmount() };
}
