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

/** What a match moved from unmanaged to attributed, of one provider and currency; negative the other way round. */
export interface SpendMove {
  provider: string;
  currency: string;
  cost: string;
  lines: string;
}

/** The sums after the moves; undefined when they cannot be those that the moves were made from. */
export function movedSums(sums: readonly SpendSum[], moves: readonly SpendMove[]): SpendSum[] | undefined {
  const left = new Map(moves.map((move) => [`${move.provider} ${move.currency}`, move]));
  const moved = sums.map((sum) => {
    const key = `${sum.provider} ${sum.currency}`;
    const move = left.get(key);
    if (move === undefined) return sum;
    left.delete(key);
    const [cost, lines] = [Decimal.of(move.cost), Number(move.lines)];
    return {
      ...sum,
      attributed: Decimal.of(sum.attributed).plus(cost).toString(),
      unmanaged: Decimal.of(sum.unmanaged).minus(cost).toString(),
      attributed_count: String(Number(sum.attributed_count) + lines),
      unmanaged_count: String(Number(sum.unmanaged_count) - lines),
    };
  });
  const isWhole = moved.every((sum) => Number(sum.attributed_count) >= 0 && Number(sum.unmanaged_count) >= 0);
  return left.size === 0 && isWhole ? moved : undefined;
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
