import { Injectable } from '@nestjs/common';
import { ADVISORY_LOCK_CLASSES, UnitOfWork } from '../../../platform/database/index.js';
import { type SumName, sumId, type SumsOfState } from '../instances/item-sums.js';
import type { Decimal } from '../../pricing/index.js';

/** A document may name a type of any length; the key of the table has an end. As in the trigger of deletions. */
const MAX_NAME_LENGTH = 400;
/** Values of a tag key in one state, from which on it is kept by state alone. As in the migration. */
const MAX_TAG_VALUES = 500;

/** By how much a sum of a state differs from what it was. */
export interface SumChange extends SumName {
  currency: string;
  count: number;
  monthly: Decimal;
  hourly: Decimal;
}

const ADDED = `resource_count = c.resource_count + excluded.resource_count,
  monthly_cost = c.monthly_cost + excluded.monthly_cost,
  hourly_cost = c.hourly_cost + excluded.hourly_cost`;
const GIVEN = `unnest($3::text[], $4::text[], $5::uuid[], $6::text[], $7::text[], $8::int[], $9::numeric[], $10::numeric[])
  AS w (dimension, tag_key, id, name, currency, count, monthly, hourly)`;
/** Rows in the order of the key: two states of a tenant must not wait for each other's. */
const ADD_TOTALS = `INSERT INTO cost_totals AS c (tenant_id, dimension, tag_key, id, currency, name, resource_count, monthly_cost, hourly_cost)
  SELECT $1::uuid, dimension::"char", tag_key, id, currency, name, count, monthly, hourly FROM w
  ORDER BY dimension, tag_key COLLATE "C", id, currency COLLATE "C"
  ON CONFLICT (tenant_id, dimension, tag_key, id, currency) DO UPDATE SET ${ADDED}`;
const ADD_CHANGES = `WITH w AS (SELECT * FROM ${GIVEN}), totals AS (${ADD_TOTALS})
  INSERT INTO cost_changes AS c (tenant_id, dimension, day, name, currency, resource_count, monthly_cost, hourly_cost)
  SELECT $1::uuid, dimension::"char", $2::date, left(name, ${MAX_NAME_LENGTH}), currency, sum(count), sum(monthly), sum(hourly)
  FROM w GROUP BY dimension, left(name, ${MAX_NAME_LENGTH}), currency
  ORDER BY dimension, left(name, ${MAX_NAME_LENGTH}) COLLATE "C", currency COLLATE "C"
  ON CONFLICT (tenant_id, dimension, day, name, currency) DO UPDATE SET ${ADDED}`;
const ADD_TAG_CHANGES = `WITH w AS (SELECT * FROM ${GIVEN} WHERE NOT EXISTS (
    SELECT FROM cost_wide_tags x WHERE x.tenant_id = $1 AND x.tag_key = w.tag_key)), totals AS (${ADD_TOTALS})
  INSERT INTO cost_tag_changes AS c (tenant_id, tag_key, day, id, currency, name, resource_count, monthly_cost, hourly_cost)
  SELECT $1::uuid, tag_key, $2::date, id, currency, name, count, monthly, hourly FROM w
  ORDER BY tag_key COLLATE "C", id, currency COLLATE "C"
  ON CONFLICT (tenant_id, tag_key, day, id, currency) DO UPDATE SET ${ADDED}`;
const IS_NARROW =
  'NOT EXISTS (SELECT FROM cost_wide_tags x WHERE x.tenant_id = $1 AND x.tag_key = d.tag_key)';
const DIFFERS = 'HAVING sum(n) <> 0 OR sum(monthly) <> 0 OR sum(hourly) <> 0';
/** By how much the tables differ from the sums of the states, in one snapshot: whoever writes meanwhile adds to both. */
const REPAIR_TOTALS = `INSERT INTO cost_totals AS c (tenant_id, dimension, tag_key, id, currency, name, resource_count, monthly_cost, hourly_cost)
  SELECT $1::uuid, dimension, tag_key, id, currency, min(name), sum(n), sum(monthly), sum(hourly) FROM (
    SELECT dimension, tag_key, id, currency COLLATE "C" AS currency, name, resource_count AS n, monthly_cost AS monthly, hourly_cost AS hourly
      FROM cost_sums WHERE tenant_id = $1 AND until_day = 'infinity'
    UNION ALL
    SELECT dimension, tag_key, id, currency COLLATE "C", name, -resource_count, -monthly_cost, -hourly_cost FROM cost_totals WHERE tenant_id = $1) d
   WHERE dimension <> 't' OR ${IS_NARROW}
   GROUP BY dimension, tag_key, id, currency ${DIFFERS} ORDER BY dimension, tag_key COLLATE "C", id, currency
  ON CONFLICT (tenant_id, dimension, tag_key, id, currency) DO UPDATE SET ${ADDED}`;
const REPAIR_TAG_CHANGES = `INSERT INTO cost_tag_changes AS c (tenant_id, tag_key, day, id, currency, name, resource_count, monthly_cost, hourly_cost)
  SELECT $1::uuid, tag_key, day, id, currency, min(name), sum(n), sum(monthly), sum(hourly) FROM (
    SELECT tag_key, from_day AS day, id, currency COLLATE "C" AS currency, name, resource_count AS n, monthly_cost AS monthly, hourly_cost AS hourly
      FROM cost_sums WHERE tenant_id = $1 AND dimension = 't'
    UNION ALL
    SELECT tag_key, until_day, id, currency COLLATE "C", name, -resource_count, -monthly_cost, -hourly_cost
      FROM cost_sums WHERE tenant_id = $1 AND dimension = 't' AND until_day < 'infinity'
    UNION ALL
    SELECT tag_key, day, id, currency COLLATE "C", name, -resource_count, -monthly_cost, -hourly_cost FROM cost_tag_changes WHERE tenant_id = $1) d
   WHERE ${IS_NARROW}
   GROUP BY tag_key, day, id, currency ${DIFFERS} ORDER BY tag_key COLLATE "C", id, currency
  ON CONFLICT (tenant_id, tag_key, day, id, currency) DO UPDATE SET ${ADDED}`;

/**
 * What a tenant's states cost together: now (`cost_totals`), and what that changed by on each day (`cost_changes`,
 * `cost_tag_changes`). Tag keys with many values are left out (`cost_wide_tags`).
 */
@Injectable()
export class CostChanges {
  constructor(private readonly work: UnitOfWork) {}

  /** Adds what a state's sums changed by to the tenant's day and totals. */
  async add(of: SumsOfState, changes: readonly SumChange[]): Promise<void> {
    await this.write(
      ADD_CHANGES,
      of,
      changes.filter(({ dimension }) => dimension !== 't'),
    );
    const byTag = changes.filter(({ dimension }) => dimension === 't');
    const wide = wideKeys(byTag);
    if (wide.length > 0) await this.markWide(of.tenantId, wide);
    await this.write(
      ADD_TAG_CHANGES,
      of,
      byTag.filter(({ tagKey }) => !wide.includes(tagKey)),
    );
  }

  /** Adds what a replica of an older release wrote to the sums of states alone, during and after the migration. */
  async repair(): Promise<void> {
    const tenants = await this.work.query<{ id: string }>(
      'SELECT tenant_id AS id FROM cost_states UNION SELECT tenant_id FROM cost_totals',
    );
    for (const { id } of tenants)
      for (const statement of [REPAIR_TOTALS, REPAIR_TAG_CHANGES]) await this.repairBy(statement, id);
  }

  private async repairBy(statement: string, tenantId: string): Promise<void> {
    await this.work.run(async () => {
      // A statement of its own, before the snapshot: the same difference must not be added twice.
      await this.work.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [
        ADVISORY_LOCK_CLASSES.costTotalsOfTenant,
        tenantId,
      ]);
      await this.work.query(statement, [tenantId]);
    });
  }

  /** Totals of names that no instance has any more. */
  async deleteEmptyTotals(): Promise<void> {
    await this.work.query(
      'DELETE FROM cost_totals WHERE resource_count = 0 AND monthly_cost = 0 AND hourly_cost = 0',
    );
  }

  /** From now on the keys are read from the sums of each state; what another snapshot still adds is not read. */
  private async markWide(tenantId: string, keys: readonly string[]): Promise<void> {
    await this.work.query(
      `INSERT INTO cost_wide_tags (tenant_id, tag_key) SELECT $1, key FROM unnest($2::text[]) k (key) ORDER BY key COLLATE "C"
       ON CONFLICT DO NOTHING`,
      [tenantId, keys],
    );
    await this.work.query('DELETE FROM cost_tag_changes WHERE tenant_id = $1 AND tag_key = ANY($2::text[])', [
      tenantId,
      keys,
    ]);
    await this.work.query(
      `DELETE FROM cost_totals WHERE tenant_id = $1 AND dimension = 't' AND tag_key = ANY($2::text[])`,
      [tenantId, keys],
    );
  }

  private async write(
    statement: string,
    { tenantId, day }: SumsOfState,
    changes: readonly SumChange[],
  ): Promise<void> {
    if (changes.length === 0) return;
    await this.work.query(statement, [
      tenantId,
      day,
      changes.map(({ dimension }) => dimension),
      changes.map(({ tagKey }) => tagKey),
      changes.map(sumId),
      changes.map(({ name }) => name),
      changes.map(({ currency }) => currency),
      changes.map(({ count }) => count),
      changes.map(({ monthly }) => monthly.toString()),
      changes.map(({ hourly }) => hourly.toString()),
    ]);
  }
}

/** Tag keys with many values among what changed. */
function wideKeys(changes: readonly SumChange[]): string[] {
  const values = new Map<string, number>();
  for (const { tagKey } of changes) values.set(tagKey, (values.get(tagKey) ?? 0) + 1);
  return [...values].filter(([, count]) => count > MAX_TAG_VALUES).map(([key]) => key);
}
