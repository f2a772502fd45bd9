import { Injectable } from '@nestjs/common';
import { ADVISORY_LOCK_CLASSES, UnitOfWork } from '../../../platform/database/index.js';
import { MATCHER_VERSION } from '../../cloud-ids/index.js';
import { BilledResourceIdEntity } from '../entities/billed-resource.entities.js';
import { STORED_SPEND_SUMS } from './attribution-sums.js';
import { type BilledId, billedLookupIds } from './spend-matching.rules.js';
import { movedSums, type SpendMove, type SpendSum } from './spend-sums.rules.js';

const ROWS_PER_BATCH = 5_000;
/** Events with more ids are stored as "all of the tenant". */
const MAX_REMATCH_IDS = 10_000;

/**
 * Which instance caused which bill. Loads and rematches of a tenant take turns under a lock: whichever comes second sees
 * what the first one committed, so no match is lost between them.
 */
@Injectable()
export class SpendMatching {
  constructor(private readonly work: UnitOfWork) {}

  /** Until the end of the transaction. */
  async lockTenant(tenantId: string): Promise<void> {
    await this.work.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [
      ADVISORY_LOCK_CLASSES.billingOfTenant,
      tenantId,
    ]);
  }

  /** In the transaction that changed the ids. Tenants without a billing source have nothing to match. */
  async markChanged(tenantId: string, ids: readonly string[]): Promise<boolean> {
    const rows = await this.work.query<{ id: string }>(
      `INSERT INTO billing_rematches (tenant_id, ids) SELECT $1, $2::text[] FROM tenants t
       WHERE t.id = $1 AND EXISTS (SELECT FROM billing_sources s WHERE s.tenant_id = t.id) RETURNING id`,
      [tenantId, ids.length > MAX_REMATCH_IDS ? null : ids],
    );
    return rows.length > 0;
  }

  /** The same while nothing is matched: one mark for everything, however many writes there are. */
  async markAll(tenantId: string): Promise<void> {
    await this.work.query(
      `INSERT INTO billing_rematches (tenant_id) SELECT t.id FROM tenants t
       WHERE t.id = $1 AND EXISTS (SELECT FROM billing_sources s WHERE s.tenant_id = t.id)
         AND NOT EXISTS (SELECT FROM billing_rematches r WHERE r.tenant_id = t.id AND r.ids IS NULL)`,
      [tenantId],
    );
  }

  /** Matches what changed since; inside of `run`. Answers whether there was anything. */
  async rematchChanged(tenantId: string): Promise<boolean> {
    await this.lockTenant(tenantId);
    const changed = await this.work.query<{ ids: string[] | null }>(
      'DELETE FROM billing_rematches WHERE tenant_id = $1 RETURNING ids',
      [tenantId],
    );
    if (changed.length === 0) return false;
    if (await this.isOutdated(tenantId)) {
      await this.rematchAll(tenantId);
      return true;
    }
    const isAll = changed.some(({ ids }) => ids === null);
    await this.match(tenantId, isAll ? undefined : [...new Set(changed.flatMap(({ ids }) => ids ?? []))]);
    return true;
  }

  /** All billed resources of the tenant, with ids made by the current rules; inside of `run` and under the lock. */
  async rematchAll(tenantId: string): Promise<void> {
    if (await this.isOutdated(tenantId)) await this.work.manager.delete(BilledResourceIdEntity, { tenantId });
    await this.addIds(tenantId);
    await this.match(tenantId, undefined);
  }

  /** The ids of billed resources were made by other rules. */
  private async isOutdated(tenantId: string): Promise<boolean> {
    const [known] = await this.work.query<{ matcher: number }>(
      'SELECT matcher FROM billing_attributions WHERE tenant_id = $1',
      [tenantId],
    );
    return known !== undefined && known.matcher !== MATCHER_VERSION;
  }

  /** Tenants whose attribution is older than a write, a deletion or the rules, at most `limit`. */
  async dueTenants(limit: number): Promise<string[]> {
    const rows = await this.work.query<{ id: string }>(
      `SELECT tenant_id AS id FROM billing_rematches
       UNION SELECT tenant_id FROM billed_resources WHERE state_id IS NULL AND address IS NOT NULL
       UNION SELECT tenant_id FROM billing_attributions WHERE matcher <> $2 LIMIT $1`,
      [limit, MATCHER_VERSION],
    );
    return rows.map(({ id }) => id);
  }

  /** The ids of resources that have none yet. */
  private async addIds(tenantId: string): Promise<void> {
    for (let after = '0', isDone = false; !isDone;) {
      const rows = await this.work.query<BilledId & { id: string }>(
        `SELECT id, provider, resource_id, service_name FROM billed_resources b
         WHERE tenant_id = $1 AND id > $2 AND resource_id <> '' AND provider IN ('aws', 'azure', 'gcp')
           AND NOT EXISTS (SELECT FROM billed_resource_ids i WHERE i.resource = b.id) ORDER BY id LIMIT ${ROWS_PER_BATCH}`,
        [tenantId, after],
      );
      const ids = rows.flatMap((row) => billedLookupIds(row).map((id) => ({ ...row, lookup: id })));
      await this.work.query(
        `INSERT INTO billed_resource_ids (resource, id, tenant_id, provider)
         SELECT resource, id, $1, provider FROM unnest($2::bigint[], $3::text[], $4::text[]) AS r (resource, id, provider)`,
        [
          tenantId,
          ids.map(({ id }) => id),
          ids.map(({ lookup }) => lookup),
          ids.map(({ provider }) => provider),
        ],
      );
      after = rows.at(-1)?.id ?? after;
      isDone = rows.length < ROWS_PER_BATCH;
    }
  }

  /**
   * Of several instances that have an id, in one state or in many, the first one by state and address gets the cost: so
   * it counts once. A disk of a state comes before the machine that it is attached to. `ids`: only resources that may be found under one of them.
   */
  private async match(tenantId: string, ids: readonly string[] | undefined): Promise<void> {
    const touched =
      ids === undefined
        ? 'SELECT id FROM billed_resources WHERE tenant_id = $1'
        : `SELECT t.resource AS id FROM billed_resource_ids t
             WHERE t.tenant_id = $1 AND t.provider IN ('aws', 'azure', 'gcp') AND t.id = ANY ($2::text[])
           UNION SELECT id FROM billed_resources WHERE tenant_id = $1 AND state_id IS NULL AND address IS NOT NULL`;
    const moves = await this.work.query<SpendMove>(
      `WITH touched AS (${touched}),
         matched AS (SELECT r.id, r.provider, r.currency, r.billed_cost, r.line_count, r.address IS NOT NULL AS was_attributed, o.state_id, o.address
           FROM touched t JOIN billed_resources r ON r.id = t.id LEFT JOIN LATERAL (
             SELECT c.state_id, c.address FROM billed_resource_ids i
               JOIN cloud_ids c ON c.tenant_id = i.tenant_id AND c.provider = i.provider AND c.id = i.id
             WHERE i.resource = r.id ORDER BY c.is_part, c.state_id, c.address LIMIT 1) o ON true),
         updated AS (UPDATE billed_resources b SET state_id = m.state_id, address = m.address FROM matched m
           WHERE b.id = m.id AND (b.state_id IS DISTINCT FROM m.state_id OR b.address IS DISTINCT FROM m.address) RETURNING b.id)
       SELECT m.provider, m.currency, sum(CASE WHEN m.was_attributed THEN -m.billed_cost ELSE m.billed_cost END)::text AS cost,
         sum(CASE WHEN m.was_attributed THEN -m.line_count ELSE m.line_count END)::text AS lines
       FROM matched m JOIN updated u ON u.id = m.id WHERE m.was_attributed <> (m.state_id IS NOT NULL) GROUP BY 1, 2`,
      ids === undefined ? [tenantId] : [tenantId, ids],
    );
    await this.store(tenantId, ids === undefined ? undefined : moves);
  }

  /** The sums after a match: moved from the stored ones, or added up anew where there are none. */
  private async store(tenantId: string, moves: readonly SpendMove[] | undefined): Promise<void> {
    // The row is locked from here on: whoever deletes billed resources meanwhile takes the sums away after the commit.
    const [kept] = await this.work.query<{ sums: SpendSum[] | null }>(
      `INSERT INTO billing_attributions (tenant_id, computed_at, matcher) VALUES ($1, now(), $2)
       ON CONFLICT (tenant_id) DO UPDATE SET computed_at = excluded.computed_at, matcher = excluded.matcher RETURNING sums`,
      [tenantId, MATCHER_VERSION],
    );
    const sums = moves === undefined || !kept?.sums ? undefined : movedSums(kept.sums, moves);
    await (sums === undefined
      ? this.work.query(
          `UPDATE billing_attributions SET sums = coalesce((SELECT jsonb_agg(to_jsonb(s)) FROM (${STORED_SPEND_SUMS}) s), '[]') WHERE tenant_id = $1`,
          [tenantId],
        )
      : this.work.query('UPDATE billing_attributions SET sums = $2::jsonb WHERE tenant_id = $1', [
          tenantId,
          JSON.stringify(sums),
        ]));
  }
}
