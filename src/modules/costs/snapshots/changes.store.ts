import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import type { SumName, SumsOfState } from '../instances/item-sums.js';
import type { Decimal } from '../../pricing/index.js';

/** A document may name a type of any length; the key of the table has an end. As in the trigger of deletions. */
const MAX_NAME_LENGTH = 400;

/** By how much a sum of a state differs from what it was. */
export interface SumChange extends SumName {
  currency: string;
  count: number;
  monthly: Decimal;
  hourly: Decimal;
}

/** Table `cost_changes`: what the costs of a tenant changed by on each day. */
@Injectable()
export class CostChanges {
  constructor(private readonly work: UnitOfWork) {}

  /** Adds to the tenant's day what a state's sums by provider and by type changed by. */
  async add({ tenantId, day }: SumsOfState, changes: readonly SumChange[]): Promise<void> {
    const kept = changes.filter(({ dimension }) => dimension !== 't');
    if (kept.length === 0) return;
    // In the order of the key: two states of a tenant must not wait for each other's rows.
    await this.work.query(
      `INSERT INTO cost_changes AS c (tenant_id, dimension, day, name, currency, resource_count, monthly_cost, hourly_cost)
       SELECT $1::uuid, dimension::"char", $2::date, left(name, ${MAX_NAME_LENGTH}), currency, sum(count), sum(monthly), sum(hourly)
       FROM unnest($3::text[], $4::text[], $5::text[], $6::int[], $7::numeric[], $8::numeric[]) AS w (dimension, name, currency, count, monthly, hourly)
       GROUP BY dimension, left(name, ${MAX_NAME_LENGTH}), currency ORDER BY dimension, left(name, ${MAX_NAME_LENGTH}) COLLATE "C", currency
       ON CONFLICT (tenant_id, dimension, day, name, currency) DO UPDATE SET
         resource_count = c.resource_count + excluded.resource_count,
         monthly_cost = c.monthly_cost + excluded.monthly_cost,
         hourly_cost = c.hourly_cost + excluded.hourly_cost`,
      [
        tenantId,
        day,
        kept.map(({ dimension }) => dimension),
        kept.map(({ name }) => name),
        kept.map(({ currency }) => currency),
        kept.map(({ count }) => count),
        kept.map(({ monthly }) => monthly.toString()),
        kept.map(({ hourly }) => hourly.toString()),
      ],
    );
  }
}
