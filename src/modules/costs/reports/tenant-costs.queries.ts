import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { Decimal } from '../../pricing/index.js';
import type { TenantCostsQuery, TenantCostsView } from '../dto/cost.dto.js';
import type { CurrencyTotal } from '../entities/cost.entities.js';
import { byCurrency, coverageOf, DEFAULT_CURRENCY, totalOf } from '../instances/totals.rules.js';
import { type BreakdownRow, MAX_NAMES, REST, toBreakdown, withUntagged } from './breakdown.rules.js';

interface StateRow {
  state_id: string;
  state_name: string;
  workspace: string;
  currency: string;
  monthly_cost: string;
  hourly_cost: string;
  other_totals: CurrencyTotal[];
  resource_count: number;
  free_count: number;
  supported_count: number;
  priced_count: number;
  calculated_at: Date;
}

interface SumRow {
  dimension: 'p' | 'r' | 't';
  name: string;
  currency: string;
  count: string;
  monthly: string;
  hourly: string;
}

type NamedSum = BreakdownRow & Pick<SumRow, 'dimension' | 'currency'>;

const COLUMNS = `dimension, name, currency, resource_count AS n, monthly_cost AS monthly, hourly_cost AS hourly`;
const IS_WIDE = 'EXISTS (SELECT FROM cost_wide_tags WHERE tenant_id = $1 AND tag_key = $2)';
const TOTALS = `SELECT ${COLUMNS} FROM cost_totals WHERE tenant_id = $1 AND dimension IN ('p', 'r') AND tag_key = ''
  AND (resource_count <> 0 OR monthly_cost <> 0 OR hourly_cost <> 0)`;
/** Tags that nearly tell instances apart are added up from the sums of each state. */
const TOTALS_OF_TAG = `
  UNION ALL SELECT ${COLUMNS} FROM cost_totals WHERE tenant_id = $1 AND dimension = 't' AND tag_key = $2
    AND (resource_count <> 0 OR monthly_cost <> 0 OR hourly_cost <> 0) AND NOT ${IS_WIDE}
  UNION ALL SELECT dimension, name, currency, sum(resource_count), sum(monthly_cost), sum(hourly_cost) FROM cost_sums
    WHERE tenant_id = $1 AND dimension = 't' AND tag_key = $2 AND until_day = 'infinity' AND ${IS_WIDE} GROUP BY 1, 2, 3`;

/** What the states of a tenant cost now. */
@Injectable()
export class TenantCosts {
  constructor(private readonly work: UnitOfWork) {}

  async of(
    tenantId: string,
    { tag_key: tagKey, currency: wanted }: TenantCostsQuery,
  ): Promise<TenantCostsView> {
    const states = await this.states(tenantId);
    const sums = await this.sums(tenantId, tagKey);
    const providers = sums.filter(({ dimension }) => dimension === 'p');
    const totals = byCurrency(providers);
    const currency = wanted ?? totals[0]?.currency ?? (states.length > 0 ? DEFAULT_CURRENCY : undefined);
    const total = totals.find((each) => each.currency === currency);
    const others = totals.filter((each) => each.currency !== currency);
    const counts = countsOf(states);
    const rows = (dimension: SumRow['dimension']): BreakdownRow[] =>
      inCurrency(
        sums.filter((sum) => sum.dimension === dimension),
        currency,
      );
    const all = {
      count: counts.resources,
      monthly: total?.monthly ?? Decimal.ZERO,
      hourly: total?.hourly ?? Decimal.ZERO,
    };
    return {
      resource_count: counts.resources,
      supported_count: counts.supported,
      priced_count: counts.priced,
      coverage_percent: coverageOf(counts),
      ...(currency === undefined
        ? {}
        : { currency, monthly_cost: all.monthly.toAmount(), hourly_cost: all.hourly.toAmount() }),
      ...(others.length === 0 ? {} : { other_currencies: others.map(totalOf) }),
      by_provider: toBreakdown(rows('p')),
      by_type: toBreakdown(rows('r')),
      by_tag: tagKey === undefined ? [] : toBreakdown(withUntagged(rows('t'), all)),
      states: statesIn(states, currency),
    };
  }

  /** Keys of the tags of all priced instances: as many index steps as there are keys. */
  async tagKeys(tenantId: string): Promise<string[]> {
    const rows = await this.work.query<{ key: string }>(
      `WITH RECURSIVE keys (key) AS (
         (SELECT tag_key FROM cost_sums WHERE tenant_id = $1 AND dimension = 't' AND until_day = 'infinity' ORDER BY tag_key LIMIT 1)
         UNION ALL
         SELECT (SELECT s.tag_key FROM cost_sums s WHERE s.tenant_id = $1 AND s.dimension = 't' AND s.until_day = 'infinity'
           AND s.tag_key > k.key ORDER BY s.tag_key LIMIT 1) FROM keys k WHERE k.key IS NOT NULL)
       SELECT key FROM keys WHERE key IS NOT NULL`,
      [tenantId],
    );
    return rows.map(({ key }) => key);
  }

  private async states(tenantId: string): Promise<StateRow[]> {
    return this.work.query<StateRow>(
      `SELECT c.state_id, s.name AS state_name, s.workspace, c.currency, c.monthly_cost::text, c.hourly_cost::text, c.other_totals,
         c.resource_count, c.free_count, c.supported_count, c.priced_count, c.calculated_at
       FROM cost_states p JOIN cost_snapshots c ON c.id = p.snapshot_id JOIN states s ON s.id = p.state_id
       WHERE p.tenant_id = $1`,
      [tenantId],
    );
  }

  private async sums(tenantId: string, tagKey: string | undefined): Promise<NamedSum[]> {
    const rows = await this.work.query<SumRow>(
      `WITH sums AS (${TOTALS}${tagKey === undefined ? '' : TOTALS_OF_TAG}),
       ranked AS (SELECT *, row_number() OVER (PARTITION BY dimension ORDER BY monthly DESC, n DESC, name) AS place FROM sums)
       SELECT dimension, CASE WHEN place > ${MAX_NAMES} THEN '${REST}' ELSE name END AS name, currency, sum(n)::text AS count,
         sum(monthly)::text AS monthly, sum(hourly)::text AS hourly FROM ranked GROUP BY 1, 2, 3`,
      tagKey === undefined ? [tenantId] : [tenantId, tagKey],
    );
    return rows.map(({ dimension, name, currency, count, monthly, hourly }) => ({
      dimension,
      name,
      currency,
      count: Number(count),
      monthly: Decimal.of(monthly),
      hourly: Decimal.of(hourly),
    }));
  }
}

/** Every name with all its instances, and what they cost in one currency. */
function inCurrency(sums: readonly NamedSum[], currency: string | undefined): BreakdownRow[] {
  return sums.map(({ name, count, monthly, hourly, currency: own }) =>
    own === currency
      ? { name, count, monthly, hourly }
      : { name, count, monthly: Decimal.ZERO, hourly: Decimal.ZERO },
  );
}

function countsOf(states: readonly StateRow[]) {
  const sum = (of: (row: StateRow) => number): number => states.reduce((left, row) => left + of(row), 0);
  return {
    resources: sum((row) => row.resource_count),
    free: sum((row) => row.free_count),
    supported: sum((row) => row.supported_count),
    priced: sum((row) => row.priced_count),
  };
}

function statesIn(states: readonly StateRow[], currency: string | undefined): TenantCostsView['states'] {
  return states
    .map((row) => ({ row, cost: costIn(row, currency) }))
    .sort(
      (left, right) =>
        right.cost.monthly.compare(left.cost.monthly) ||
        (left.row.state_name < right.row.state_name
          ? -1
          : left.row.state_name > right.row.state_name
            ? 1
            : 0),
    )
    .map(({ row, cost }) => ({
      state_id: row.state_id,
      state_name: row.state_name,
      workspace: row.workspace,
      monthly_cost: cost.monthly.toAmount(),
      hourly_cost: cost.hourly.toAmount(),
      coverage_percent: coverageOf({
        resources: row.resource_count,
        free: row.free_count,
        priced: row.priced_count,
      }),
      resource_count: row.resource_count,
      supported_count: row.supported_count,
      calculated_at: row.calculated_at.toISOString(),
    }));
}

function costIn(row: StateRow, currency: string | undefined): { monthly: Decimal; hourly: Decimal } {
  const found = [row, ...row.other_totals].find((total) => total.currency === currency);
  return {
    monthly: Decimal.of(found?.monthly_cost ?? 0),
    hourly: Decimal.of(found?.hourly_cost ?? 0),
  };
}
