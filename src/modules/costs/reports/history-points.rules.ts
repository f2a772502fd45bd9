import { Decimal } from '../../pricing/index.js';
import type { CostGroupView, CostHistoryView } from '../dto/cost.dto.js';
import { DEFAULT_CURRENCY } from '../instances/totals.rules.js';
import { mergeByName, UNTAGGED } from './breakdown.rules.js';

/** What begins less what ends on a day. */
export interface DayChange {
  name: string;
  /** empty: instances without a cost */
  currency: string;
  day: string;
  count: number;
  monthly: Decimal;
  hourly: Decimal;
}

interface Running {
  count: number;
  monthly: Decimal;
  hourly: Decimal;
}

export interface HistoryFacts {
  days: readonly string[];
  totals: readonly DayChange[];
  groups: readonly DayChange[] | undefined;
  isByTag: boolean;
  currency?: string;
}

/** One point for every day: what the latest snapshots say at its end. */
export function historyPoints(facts: HistoryFacts): CostHistoryView {
  const currencies = currenciesOf(facts.totals);
  const currency =
    facts.currency ?? currencies[0] ?? (facts.totals.length > 0 ? DEFAULT_CURRENCY : undefined);
  const others = currencies.filter((code) => code !== currency);
  const totals = new RunningSums(facts.totals);
  const groups = facts.groups && new RunningSums(facts.groups);
  let wasPriced = false;
  /** of the day before, which most days repeat */
  let known: Omit<CostHistoryView['points'][number], 'date'> | undefined;
  return {
    ...(currency === undefined ? {} : { currency }),
    ...(others.length === 0 ? {} : { other_currencies: others }),
    points: facts.days.map((date) => {
      const hasChanged = [totals.advance(date), groups?.advance(date) ?? false].includes(true);
      wasPriced ||= totals.resourceCount > 0;
      if (!wasPriced || currency === undefined) return { date, groups: [] };
      if (hasChanged || known === undefined) {
        const total = totals.sumOf('', currency);
        const of = { currency, total, totals, isByTag: facts.isByTag };
        known = { ...amounts(total), groups: groups === undefined ? [] : groupsOf(groups, of) };
      }
      return { date, ...known };
    }),
  };
}

function groupsOf(
  sums: RunningSums,
  of: { currency: string; total: Running; totals: RunningSums; isByTag: boolean },
): CostGroupView[] {
  const rows = sums.namesOf(of.currency).map((row) => ({ ...row, count: sums.countOf(row.name) }));
  const present = rows.filter((row) => row.count > 0 || !row.monthly.isZero());
  if (of.isByTag) {
    const tagged = present.reduce(
      (sum, { monthly, hourly, count }) => ({
        count: sum.count + count,
        monthly: sum.monthly.plus(monthly),
        hourly: sum.hourly.plus(hourly),
      }),
      { count: 0, monthly: Decimal.ZERO, hourly: Decimal.ZERO },
    );
    present.push({
      name: UNTAGGED,
      count: of.totals.resourceCount - tagged.count,
      monthly: of.total.monthly.minus(tagged.monthly),
      hourly: of.total.hourly.minus(tagged.hourly),
    });
  }
  return mergeByName(present)
    .filter(({ count, monthly }) => count > 0 || !monthly.isZero())
    .map(({ name, monthly, hourly }) => ({ name, ...amounts({ monthly, hourly }) }));
}

/** Changes are applied day by day; what stands is the sum of what came so far. */
class RunningSums {
  private readonly changes: DayChange[];
  /** name, then currency */
  private readonly sums = new Map<string, Map<string, Running>>();
  private at = 0;
  private names: string[] = [];
  resourceCount = 0;

  constructor(changes: readonly DayChange[]) {
    this.changes = [...changes].sort((left, right) =>
      left.day < right.day ? -1 : left.day > right.day ? 1 : 0,
    );
  }

  /** Whether anything changed on the days up to this one. */
  advance(day: string): boolean {
    const before = this.at;
    for (
      let change = this.changes[this.at];
      change !== undefined && change.day <= day;
      change = this.changes[this.at]
    ) {
      this.at++;
      this.resourceCount += change.count;
      let sums = this.sums.get(change.name);
      if (sums === undefined) this.sums.set(change.name, (sums = new Map<string, Running>()));
      const sum = sums.get(change.currency);
      if (sum === undefined) sums.set(change.currency, { ...change });
      else {
        sum.count += change.count;
        sum.monthly = sum.monthly.plus(change.monthly);
        sum.hourly = sum.hourly.plus(change.hourly);
      }
    }
    return this.at > before;
  }

  sumOf(name: string, currency: string): Running {
    return this.sums.get(name)?.get(currency) ?? { count: 0, monthly: Decimal.ZERO, hourly: Decimal.ZERO };
  }

  countOf(name: string): number {
    return [...(this.sums.get(name)?.values() ?? [])].reduce((sum, { count }) => sum + count, 0);
  }

  namesOf(currency: string): { name: string; monthly: Decimal; hourly: Decimal }[] {
    if (this.names.length < this.sums.size) this.names = [...this.sums.keys()].sort();
    return this.names.map((name) => {
      const { monthly, hourly } = this.sumOf(name, currency);
      return { name, monthly, hourly };
    });
  }
}

/** Those in the window, the one that most instances begin in first. */
function currenciesOf(changes: readonly DayChange[]): string[] {
  const counts = new Map<string, number>();
  for (const { currency, count } of changes)
    if (currency !== '') counts.set(currency, (counts.get(currency) ?? 0) + count);
  return [...counts]
    .sort(([left, many], [right, more]) => more - many || (left < right ? -1 : 1))
    .map(([code]) => code);
}

function amounts({ monthly, hourly }: { monthly: Decimal; hourly: Decimal }) {
  return { monthly_cost: monthly.toAmount(), hourly_cost: hourly.toAmount() };
}
