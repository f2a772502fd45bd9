import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { Clock } from '../../../platform/time/clock.js';
import { Decimal } from '../../pricing/index.js';
import type { CostHistoryQuery, CostHistoryView } from '../dto/cost.dto.js';
import { MAX_GROUPS, REST } from './breakdown.rules.js';
import { type Grouping, groupingOf } from './history-grouping.rules.js';
import { type DayChange, historyPoints } from './history-points.rules.js';
import { daysOf, historyRange } from './history-range.rules.js';

interface ChangeRow {
  name: string;
  currency: string;
  day: string;
  count: string;
  monthly: string;
  hourly: string;
}

/** What changed by provider or type is kept for the tenant as a whole. */
const CHANGES_OF_TENANT = `SELECT name, currency, greatest(day, $4::date) AS day, resource_count AS n, monthly_cost AS monthly, hourly_cost AS hourly
  FROM cost_changes WHERE tenant_id = $1 AND dimension = $2::"char" AND $3::text = '' AND day <= $5::date`;

const IS_WIDE = 'EXISTS (SELECT FROM cost_wide_tags WHERE tenant_id = $1 AND tag_key = $3)';

/** The same by tag. Tags that nearly tell instances apart are read from the sums of each state. */
const CHANGES_BY_TAG = `SELECT name, currency, greatest(day, $4::date) AS day, resource_count AS n, monthly_cost AS monthly, hourly_cost AS hourly
  FROM cost_tag_changes WHERE tenant_id = $1 AND tag_key = $3 AND day <= $5::date AND NOT ${IS_WIDE}
  UNION ALL
  SELECT s.name, s.currency, c.day, c.sign * s.resource_count AS n, c.sign * s.monthly_cost AS monthly, c.sign * s.hourly_cost AS hourly
  FROM cost_sums s CROSS JOIN LATERAL (VALUES (greatest(s.from_day, $4::date), 1), (s.until_day, -1)) c (day, sign)
  WHERE s.tenant_id = $1 AND s.dimension = $2::"char" AND s.tag_key = $3 AND s.until_day > $4::date AND s.from_day <= $5::date AND c.day <= $5::date
    AND ${IS_WIDE}`;

/** What the states of a tenant cost at the end of each day. */
@Injectable()
export class CostHistory {
  constructor(
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  async of(tenantId: string, query: CostHistoryQuery): Promise<CostHistoryView> {
    const range = historyRange(query, this.clock.now());
    const grouping = groupingOf(query);
    const totals = await this.changes(
      tenantId,
      { dimension: 'p', tagKey: '' },
      { ...range, isGrouped: false },
    );
    const groups = grouping && (await this.changes(tenantId, grouping, { ...range, isGrouped: true }));
    return historyPoints({
      days: daysOf(range),
      totals,
      groups,
      isByTag: grouping?.dimension === 't',
      ...(query.currency === undefined ? {} : { currency: query.currency }),
    });
  }

  /** What begins less what ends on each day; what began earlier counts on the first one. */
  private async changes(
    tenantId: string,
    { dimension, tagKey }: Grouping,
    range: { from: string; to: string; isGrouped: boolean },
  ): Promise<DayChange[]> {
    const rows = await this.work.query<ChangeRow>(
      `WITH e AS (SELECT name, currency, day, sum(n) AS n, sum(monthly) AS monthly, sum(hourly) AS hourly
         FROM (${dimension === 't' ? CHANGES_BY_TAG : CHANGES_OF_TENANT}) changes GROUP BY 1, 2, 3
         HAVING sum(n) <> 0 OR sum(monthly) <> 0 OR sum(hourly) <> 0),
       top AS (SELECT name FROM e GROUP BY name ORDER BY max(abs(monthly)) DESC, name LIMIT ${MAX_GROUPS})
       SELECT ${range.isGrouped ? `CASE WHEN name IN (SELECT name FROM top) THEN name ELSE '${REST}' END` : `''`} AS name, currency, day::text AS day,
         sum(n)::text AS count, sum(monthly)::text AS monthly, sum(hourly)::text AS hourly
       FROM e GROUP BY 1, 2, 3`,
      [tenantId, dimension, tagKey, range.from, range.to],
    );
    return rows.map(({ name, currency, day, count, monthly, hourly }) => ({
      name,
      currency,
      day,
      count: Number(count),
      monthly: Decimal.of(monthly),
      hourly: Decimal.of(hourly),
    }));
  }
}
