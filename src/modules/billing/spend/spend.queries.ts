import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { httpErrors } from '../../../platform/errors/index.js';
import { decodePageToken, encodePageToken, pageLimit } from '../../../platform/http/index.js';
import { MATCHER_VERSION } from '../../cloud-ids/index.js';
import { Decimal } from '../../pricing/index.js';
import type {
  AttributionView,
  BilledInstanceView,
  ListUnmanagedQuery,
  StateSpendView,
  UnmanagedListView,
} from '../dto/spend.dto.js';
import { SPEND_SUMS } from './attribution-sums.js';
import { currencyParameter } from './currency-parameter.js';
import { lineCount, mainCurrency, spendParts, type SpendSum } from './spend-sums.rules.js';

const DEFAULT_PAGE = 100;
const MAX_PAGE = 1_000;

interface InstanceSum {
  address: string;
  currency: string;
  billed_cost: string;
  line_count: string;
  first_date: string;
  last_date: string;
}

interface UnmanagedSum {
  resource_id: string;
  provider: string;
  billed_cost: string;
  line_count: string;
  region_id: string;
  resource_type: string;
  service_name: string;
}

/** What was billed, one statement for each view. */
@Injectable()
export class SpendQueries {
  constructor(private readonly work: UnitOfWork) {}

  async attribution(tenantId: string, named: unknown): Promise<AttributionView> {
    const wanted = currencyParameter(named);
    const stored = await this.storedSums(tenantId);
    const rows = stored?.sums ?? (await this.work.query<SpendSum>(SPEND_SUMS, [tenantId]));
    const currency = wanted ?? mainCurrency(rows.map((row) => ({ ...row, line_count: lineCount(row) })));
    const sums = rows.filter((row) => row.currency === currency);
    return {
      ...spendParts(sums, currency),
      ...otherCurrencies(rows, currency),
      ...(stored === undefined ? {} : { computed_at: stored.computed_at.toISOString() }),
      matcher_version: MATCHER_VERSION,
      by_provider: sums.map((sum) => ({ provider: sum.provider, ...spendParts([sum], currency) })),
    };
  }

  async ofState(state: { id: string; tenantId: string }, named: unknown): Promise<StateSpendView> {
    const wanted = currencyParameter(named);
    const rows = await this.work.query<InstanceSum>(
      `SELECT address, currency, sum(billed_cost)::text AS billed_cost, sum(line_count)::text AS line_count,
         min(first_date)::text AS first_date, max(last_date)::text AS last_date
       FROM billed_resources WHERE state_id = $1 GROUP BY address, currency ORDER BY address COLLATE "C"`,
      [state.id],
    );
    const currency =
      wanted ?? mainCurrency(rows.map((row) => ({ ...row, line_count: Number(row.line_count) })));
    const shown = rows.filter((row) => row.currency === currency);
    const total = shown.reduce((sum, row) => sum.plus(Decimal.of(row.billed_cost)), Decimal.ZERO);
    const dates = shown.flatMap(({ first_date: first, last_date: last }) => [first, last]).sort();
    const [start, end] = [dates[0], dates.at(-1)];
    const computedAt = await this.computedAt(state.tenantId);
    return {
      billed_cost: shown.length === 0 ? '0' : total.toAmount(),
      line_count: shown.reduce((sum, row) => sum + Number(row.line_count), 0),
      ...(currency === undefined ? {} : { currency }),
      ...otherCurrencies(rows, currency),
      ...(computedAt === undefined ? {} : { computed_at: computedAt }),
      ...(start === undefined || end === undefined ? {} : { window_start: start, window_end: end }),
      resources: shown.map(toInstanceView),
    };
  }

  /** Dearest first; ties by id and provider, so that no row is shown twice or left out. */
  async unmanaged(tenantId: string, query: ListUnmanagedQuery): Promise<UnmanagedListView> {
    const wanted = currencyParameter(query.currency);
    const limit = pageLimit(query.limit, DEFAULT_PAGE, MAX_PAGE);
    const after = query.page === undefined ? undefined : positionOf(query.page);
    const counts = await this.work.query<{ currency: string; line_count: string }>(
      `SELECT currency, sum(line_count)::text AS line_count FROM billed_resources
       WHERE tenant_id = $1 AND state_id IS NULL AND resource_id <> '' GROUP BY currency`,
      [tenantId],
    );
    const currency =
      wanted ?? mainCurrency(counts.map((row) => ({ ...row, line_count: Number(row.line_count) })));
    const rows = await this.work.query<UnmanagedSum>(
      `SELECT resource_id, provider, sum(billed_cost)::text AS billed_cost, sum(line_count)::text AS line_count,
         max(region_id) AS region_id, max(resource_type) AS resource_type, max(service_name) AS service_name
       FROM billed_resources
       WHERE tenant_id = $1 AND currency = $2 AND state_id IS NULL AND resource_id <> '' GROUP BY resource_id, provider
       ${after === undefined ? '' : 'HAVING (-sum(billed_cost), resource_id COLLATE "C", provider COLLATE "C") > (-$4::numeric, $5, $6)'}
       ORDER BY -sum(billed_cost), resource_id COLLATE "C", provider COLLATE "C" LIMIT $3`,
      [tenantId, currency ?? '', limit + 1, ...(after ?? [])],
    );
    const shown = rows.slice(0, limit);
    const last = shown.at(-1);
    return {
      results: shown.map((row) => toUnmanagedView(row, currency)),
      ...otherCurrencies(counts, currency),
      ...(rows.length > limit && last
        ? { next_page: encodePageToken([last.billed_cost, last.resource_id, last.provider]) }
        : {}),
    };
  }

  /** Null for sums that a deletion has made older than what they sum up. */
  private async storedSums(
    tenantId: string,
  ): Promise<{ computed_at: Date; sums: SpendSum[] | null } | undefined> {
    const [row] = await this.work.query<{ computed_at: Date; sums: SpendSum[] | null }>(
      `SELECT computed_at, CASE WHEN NOT EXISTS (SELECT FROM billed_resources b WHERE b.tenant_id = a.tenant_id
           AND b.state_id IS NULL AND b.address IS NOT NULL) THEN sums END AS sums
       FROM billing_attributions a WHERE tenant_id = $1`,
      [tenantId],
    );
    return row;
  }

  private async computedAt(tenantId: string): Promise<string | undefined> {
    const [row] = await this.work.query<{ computed_at: Date }>(
      'SELECT computed_at FROM billing_attributions WHERE tenant_id = $1',
      [tenantId],
    );
    return row?.computed_at.toISOString();
  }
}

function toInstanceView(row: InstanceSum): BilledInstanceView {
  return {
    address: row.address,
    billed_cost: Decimal.of(row.billed_cost).toAmount(),
    line_count: Number(row.line_count),
    currency: row.currency,
    window_start: row.first_date,
    window_end: row.last_date,
  };
}

function toUnmanagedView(row: UnmanagedSum, currency: string | undefined) {
  const { region_id, resource_type, service_name } = row;
  return {
    resource_id: row.resource_id,
    provider: row.provider,
    billed_cost: Decimal.of(row.billed_cost).toAmount(),
    line_count: Number(row.line_count),
    ...(currency === undefined ? {} : { currency }),
    ...(region_id === '' ? {} : { region_id }),
    ...(resource_type === '' ? {} : { resource_type }),
    ...(service_name === '' ? {} : { service_name }),
  };
}

function otherCurrencies(
  rows: readonly { currency: string }[],
  shown: string | undefined,
): { other_currencies?: string[] } {
  const others = [...new Set(rows.map(({ currency }) => currency))].filter((name) => name !== shown).sort();
  return others.length === 0 ? {} : { other_currencies: others };
}

function positionOf(token: string): [cost: string, resourceId: string, provider: string] {
  const keys = decodePageToken(token, 3);
  const [cost, resourceId, provider] = keys;
  const isPosition =
    typeof cost === 'string' &&
    /^-?\d{1,60}(\.\d{1,60})?$/.test(cost) &&
    [resourceId, provider].every((key) => typeof key === 'string' && !key.includes('\0'));
  if (!isPosition) throw httpErrors.INVALID_REQUEST('page is not a page token of this list');
  return [cost, String(resourceId), String(provider)];
}
