import { Decimal } from '../../pricing/index.js';
import type {
  CostTotalsDeltaView,
  DeltaBreakdownView,
  ResourceDeltaView,
  TagDeltaView,
  TransactionCostsView,
} from '../dto/cost-delta.dto.js';
import type { CurrencyTotal } from '../entities/cost.entities.js';
import { coverageOf, DEFAULT_CURRENCY, signedAmount } from '../instances/totals.rules.js';
import { UNTAGGED } from '../reports/breakdown.rules.js';
import type { DeltaEntry, DeltaSide, StoredDelta } from './cost-delta.js';

interface Difference {
  count: number;
  monthly: Decimal;
  hourly: Decimal;
}

/** A stored delta in one currency: the wanted one, else the one that most instances have afterwards. */
export function toTransactionCosts(
  delta: StoredDelta,
  of: { txId: string; at: Date; stateName: string | undefined; currency: string | undefined },
): TransactionCostsView {
  const { entries } = delta;
  const currency =
    of.currency ?? (delta.planned.totals[0] ?? delta.current.totals[0])?.currency ?? DEFAULT_CURRENCY;
  const totals = totalsIn(delta, currency);
  const others = otherCurrencies(delta, currency);
  return {
    tx_id: of.txId,
    snapshot_id: delta.snapshot_id,
    calculated_at: of.at.toISOString(),
    currency,
    ...totals,
    ...(others.length === 0 ? {} : { other_currencies: others }),
    states: [
      {
        state_id: delta.state_id,
        state_name: of.stateName ?? delta.state_name,
        ...totals,
        resources: entries.filter(isListed).map((entry) => resourceDelta(entry, currency)),
      },
    ],
    by_provider: breakdown(entries, currency, ({ provider }) => [provider, provider]),
    by_type: breakdown(entries, currency, ({ type }) => [type, type]),
    by_tag: tagsOf(entries).map((key): TagDeltaView => ({
      tag_key: key,
      entries: breakdown(entries, currency, ({ current, planned }) => [
        tagOf(current, key),
        tagOf(planned, key),
      ]),
    })),
  };
}

/** Added, removed, or at another cost; free ones never. */
function isListed({ current, planned }: DeltaEntry): boolean {
  if ((current?.class ?? 'f') === 'f' && (planned?.class ?? 'f') === 'f') return false;
  if (current === undefined || planned === undefined) return true;
  return JSON.stringify(current.costs) !== JSON.stringify(planned.costs);
}

function totalsIn({ current, planned }: StoredDelta, currency: string): CostTotalsDeltaView {
  const [before, after] = [costIn(current.totals, currency), costIn(planned.totals, currency)];
  const [coverageBefore, coverageAfter] = [coverageOf(current.counts), coverageOf(planned.counts)];
  return {
    current_resource_count: current.counts.resources,
    planned_resource_count: planned.counts.resources,
    delta_resource_count: planned.counts.resources - current.counts.resources,
    current_supported_count: current.counts.supported,
    planned_supported_count: planned.counts.supported,
    delta_supported_count: planned.counts.supported - current.counts.supported,
    current_priced_count: current.counts.priced,
    planned_priced_count: planned.counts.priced,
    delta_priced_count: planned.counts.priced - current.counts.priced,
    current_coverage_percent: coverageBefore,
    planned_coverage_percent: coverageAfter,
    delta_coverage_percent: Math.round((coverageAfter - coverageBefore) * 100) / 100,
    current_monthly_cost: before.monthly.toAmount(),
    planned_monthly_cost: after.monthly.toAmount(),
    delta_monthly_cost: signedAmount(after.monthly.minus(before.monthly)),
    current_hourly_cost: before.hourly.toAmount(),
    planned_hourly_cost: after.hourly.toAmount(),
    delta_hourly_cost: signedAmount(after.hourly.minus(before.hourly)),
  };
}

/** Differences in the currencies that the answer is not in. */
function otherCurrencies({ current, planned }: StoredDelta, currency: string): CurrencyTotal[] {
  const codes = new Set([...planned.totals, ...current.totals].map((total) => total.currency));
  return [...codes]
    .filter((code) => code !== currency)
    .map((code) => {
      const [before, after] = [costIn(current.totals, code), costIn(planned.totals, code)];
      return {
        currency: code,
        monthly_cost: signedAmount(after.monthly.minus(before.monthly)),
        hourly_cost: signedAmount(after.hourly.minus(before.hourly)),
      };
    });
}

function resourceDelta(entry: DeltaEntry, currency: string): ResourceDeltaView {
  const { current, planned } = entry;
  const [before, after] = [sideCost(current, currency), sideCost(planned, currency)];
  const hasCost = before !== undefined || after !== undefined;
  const difference = hasCost && {
    delta_monthly_cost: signedAmount(amountOf(after, 'monthly').minus(amountOf(before, 'monthly'))),
    delta_hourly_cost: signedAmount(amountOf(after, 'hourly').minus(amountOf(before, 'hourly'))),
  };
  return {
    address: entry.address,
    ...(entry.deposed === undefined ? {} : { deposed: entry.deposed }),
    type: entry.type,
    change_kind: current === undefined ? 'added' : planned === undefined ? 'removed' : 'changed',
    provider: entry.provider,
    ...(entry.region === undefined ? {} : { region: entry.region }),
    ...(before === undefined
      ? {}
      : {
          current_monthly_cost: amountOf(before, 'monthly').toAmount(),
          current_hourly_cost: amountOf(before, 'hourly').toAmount(),
        }),
    ...(after === undefined
      ? {}
      : {
          planned_monthly_cost: amountOf(after, 'monthly').toAmount(),
          planned_hourly_cost: amountOf(after, 'hourly').toAmount(),
        }),
    ...difference,
  };
}

/** Differences by name, names without one left out; the largest first. `namesOf`: before and after. */
function breakdown(
  entries: readonly DeltaEntry[],
  currency: string,
  namesOf: (entry: DeltaEntry) => [string, string],
): DeltaBreakdownView[] {
  const sums = new Map<string, Difference>();
  const add = (name: string, side: DeltaSide | undefined, sign: 1 | -1): void => {
    if (side === undefined) return;
    const sum = sums.get(name) ?? { count: 0, monthly: Decimal.ZERO, hourly: Decimal.ZERO };
    const cost = sideCost(side, currency);
    sums.set(name, {
      count: sum.count + sign,
      monthly: sum.monthly.plus(amountOf(cost, 'monthly').times(sign)),
      hourly: sum.hourly.plus(amountOf(cost, 'hourly').times(sign)),
    });
  };
  for (const entry of entries) {
    const [before, after] = namesOf(entry);
    add(before, entry.current, -1);
    add(after, entry.planned, 1);
  }
  return [...sums]
    .filter(([, { count, monthly, hourly }]) => count !== 0 || !monthly.isZero() || !hourly.isZero())
    .sort(([left, one], [right, other]) => other.monthly.compare(one.monthly) || (left < right ? -1 : 1))
    .map(([name, { count, monthly, hourly }]) => ({
      name,
      delta_resource_count: count,
      delta_monthly_cost: signedAmount(monthly),
      delta_hourly_cost: signedAmount(hourly),
    }));
}

function tagsOf(entries: readonly DeltaEntry[]): string[] {
  const keys = new Set(
    entries.flatMap(({ current, planned }) => [
      ...Object.keys(current?.tags ?? {}),
      ...Object.keys(planned?.tags ?? {}),
    ]),
  );
  return [...keys].sort();
}

function tagOf(side: DeltaSide | undefined, key: string): string {
  return side?.tags !== undefined && Object.hasOwn(side.tags, key) ? (side.tags[key] ?? UNTAGGED) : UNTAGGED;
}

function sideCost(side: DeltaSide | undefined, currency: string): DeltaSide['costs'][number] | undefined {
  return side?.costs.find((cost) => cost.currency === currency);
}

function amountOf(cost: { monthly: string; hourly: string } | undefined, of: 'monthly' | 'hourly'): Decimal {
  return cost === undefined ? Decimal.ZERO : Decimal.of(cost[of]);
}

function costIn(totals: readonly CurrencyTotal[], currency: string): { monthly: Decimal; hourly: Decimal } {
  const total = totals.find((each) => each.currency === currency);
  return {
    monthly: Decimal.of(total?.monthly_cost ?? 0),
    hourly: Decimal.of(total?.hourly_cost ?? 0),
  };
}
