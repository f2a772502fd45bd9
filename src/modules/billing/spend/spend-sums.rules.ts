import { Decimal } from '../../pricing/index.js';
import type { SpendPartsView } from '../dto/spend.dto.js';

/** Sums of one provider and currency, as the database writes them. */
export interface SpendSum {
  provider: string;
  currency: string;
  attributed: string;
  unmanaged: string;
  unallocated: string;
  attributed_count: string;
  unmanaged_count: string;
  unallocated_count: string;
  first_date: string;
  last_date: string;
}

/** The currency with the most lines, by name where several have as many; undefined when there are none. */
export function mainCurrency(sums: readonly { currency: string; line_count: number }[]): string | undefined {
  const counts = new Map<string, number>();
  for (const { currency, line_count: count } of sums)
    counts.set(currency, (counts.get(currency) ?? 0) + count);
  return [...counts].sort(([name, count], [other, than]) => than - count || (name < other ? -1 : 1))[0]?.[0];
}

export function lineCount(sum: SpendSum): number {
  return Number(sum.attributed_count) + Number(sum.unmanaged_count) + Number(sum.unallocated_count);
}

/** The parts of several sums of one currency. They add up to the total exactly, whatever the lines are. */
export function spendParts(sums: readonly SpendSum[], currency: string | undefined): SpendPartsView {
  const costOf = (part: 'attributed' | 'unmanaged' | 'unallocated') =>
    sums.reduce((sum, row) => sum.plus(Decimal.of(row[part])), Decimal.ZERO);
  const countOf = (part: 'attributed_count' | 'unmanaged_count' | 'unallocated_count') =>
    sums.reduce((sum, row) => sum + Number(row[part]), 0);
  const [attributed, unmanaged, unallocated] = [
    costOf('attributed'),
    costOf('unmanaged'),
    costOf('unallocated'),
  ];
  const total = attributed.plus(unmanaged).plus(unallocated);
  const lines = sums.reduce((sum, row) => sum + lineCount(row), 0);
  const amount = (value: Decimal): string => (lines === 0 ? '0' : value.toAmount());
  const dates = sums.flatMap(({ first_date: first, last_date: last }) => [first, last]).sort();
  const [start, end] = [dates[0], dates.at(-1)];
  return {
    total_cost: amount(total),
    attributed_cost: amount(attributed),
    unmanaged_cost: amount(unmanaged),
    unallocated_cost: amount(unallocated),
    coverage_percent: coverage(attributed, total),
    line_count: lines,
    attributed_count: countOf('attributed_count'),
    unmanaged_count: countOf('unmanaged_count'),
    unallocated_count: countOf('unallocated_count'),
    ...(currency === undefined ? {} : { currency }),
    ...(start === undefined || end === undefined ? {} : { window_start: start, window_end: end }),
  };
}

/** Between 0 and 100, as credits can make either cost exceed the other; 100 when nothing was to be paid. */
export function coverage(attributed: Decimal, total: Decimal): number {
  if (!total.isMore(0)) return 100;
  return Number(attributed.times(100).dividedBy(total).atLeast(0).atMost(100).rounded(2).toString());
}
