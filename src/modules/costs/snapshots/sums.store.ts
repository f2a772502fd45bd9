import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { copyRows } from '../../../platform/database/text-copy.js';
import { Decimal } from '../../pricing/index.js';
import type { SumDimension } from '../entities/cost.entities.js';
import {
  isEmptySum,
  type ItemSums,
  keyOf,
  type Sum,
  sumId,
  type SumsOfState,
} from '../instances/item-sums.js';
import { CostChanges, type SumChange } from './changes.store.js';

interface SumRow {
  dimension: SumDimension;
  tag_key: string;
  name: string;
  currency: string;
  resource_count: number;
  monthly_cost: string;
  hourly_cost: string;
}

const OPEN = `until_day = 'infinity'`;

/** Table `cost_sums`: intervals of days; what changes within a day is replaced. */
@Injectable()
export class SumRows {
  constructor(
    private readonly work: UnitOfWork,
    private readonly changes: CostChanges,
  ) {}

  /** Current sums of a state: all of them, or those that `of` names. */
  async current(stateId: string, of?: ItemSums): Promise<Sum[]> {
    const named = of && [...of.sums.values()];
    const rows = await this.work.query<SumRow>(
      `SELECT s.dimension, s.tag_key, s.name, s.currency, s.resource_count, s.monthly_cost, s.hourly_cost FROM cost_sums s
       ${named === undefined ? '' : 'JOIN unnest($2::text[], $3::uuid[], $4::text[]) AS w (dimension, id, currency) ON s.dimension = w.dimension::"char" AND s.id = w.id AND s.currency = w.currency'}
       WHERE s.state_id = $1 AND s.${OPEN}`,
      named === undefined
        ? [stateId]
        : [
            stateId,
            named.map(({ dimension }) => dimension),
            named.map(sumId),
            named.map(({ currency }) => currency),
          ],
    );
    return rows.map(toSum);
  }

  /** Current sums of a state by provider, of which its totals are made. */
  async providers(stateId: string): Promise<Sum[]> {
    const rows = await this.work.query<SumRow>(
      `SELECT dimension, tag_key, name, currency, resource_count, monthly_cost, hourly_cost FROM cost_sums
       WHERE state_id = $1 AND dimension = 'p' AND ${OPEN}`,
      [stateId],
    );
    return rows.map(toSum);
  }

  /** The first sums of a state. */
  async insert(of: SumsOfState, sums: readonly Sum[]): Promise<void> {
    await this.copy(of, sums);
    await this.changes.add(of, sums);
  }

  private async copy(of: SumsOfState, sums: readonly Sum[]): Promise<void> {
    await copyRows(
      this.work,
      `cost_sums (tenant_id, state_id, dimension, id, tag_key, name, currency, from_day, resource_count, monthly_cost, hourly_cost)`,
      sums
        .filter((sum) => !isEmptySum(sum))
        .map((sum) => [
          ...[of.tenantId, of.stateId, sum.dimension, sumId(sum), sum.tagKey, sum.name, sum.currency],
          ...[of.day, sum.count, sum.monthly.toString(), sum.hourly.toString()],
        ]),
    );
  }

  /** Makes `sums` the current ones in place of `before`; only what differs is written. */
  async replace(of: SumsOfState, before: readonly Sum[], sums: ItemSums['sums']): Promise<void> {
    const known = new Map(before.map((sum) => [keyOf(sum), sum]));
    const changed = [...sums].flatMap(([key, sum]) => {
      const old = known.get(key);
      return old !== undefined && isSame(old, sum) ? [] : [sum];
    });
    const gone = before.filter((sum) => !sums.has(keyOf(sum)));
    const ended = [...changed.filter((sum) => known.has(keyOf(sum))), ...gone];
    if (ended.length > 0)
      await this.work.query(
        `WITH w AS (SELECT * FROM unnest($3::text[], $4::uuid[], $5::text[]) AS w (dimension, id, currency)),
           replaced AS (DELETE FROM cost_sums s USING w WHERE s.state_id = $1 AND s.dimension = w.dimension::"char" AND s.id = w.id
             AND s.currency = w.currency AND s.${OPEN} AND s.from_day >= $2)
         UPDATE cost_sums s SET until_day = $2 FROM w WHERE s.state_id = $1 AND s.dimension = w.dimension::"char" AND s.id = w.id
           AND s.currency = w.currency AND s.${OPEN} AND s.from_day < $2`,
        [
          of.stateId,
          of.day,
          ended.map(({ dimension }) => dimension),
          ended.map(sumId),
          ended.map(({ currency }) => currency),
        ],
      );
    await this.copy(of, changed);
    await this.changes.add(of, [
      ...changed.map((sum) => difference(known.get(keyOf(sum)), sum)),
      ...gone.map((sum) => difference(sum, undefined)),
    ]);
  }
}

function difference(before: Sum | undefined, after: Sum | undefined): SumChange {
  const of = after ?? before;
  if (of === undefined) throw new Error('a difference needs one side');
  const { dimension, tagKey, name, currency } = of;
  return {
    ...{ dimension, tagKey, name, currency },
    count: (after?.count ?? 0) - (before?.count ?? 0),
    monthly: (after?.monthly ?? Decimal.ZERO).minus(before?.monthly ?? Decimal.ZERO),
    hourly: (after?.hourly ?? Decimal.ZERO).minus(before?.hourly ?? Decimal.ZERO),
  };
}

function toSum(row: SumRow): Sum {
  return {
    dimension: row.dimension,
    tagKey: row.tag_key,
    name: row.name,
    currency: row.currency,
    count: row.resource_count,
    monthly: Decimal.of(row.monthly_cost),
    hourly: Decimal.of(row.hourly_cost),
  };
}

function isSame(left: Sum, right: Sum): boolean {
  return (
    left.count === right.count &&
    left.monthly.compare(right.monthly) === 0 &&
    left.hourly.compare(right.hourly) === 0
  );
}
