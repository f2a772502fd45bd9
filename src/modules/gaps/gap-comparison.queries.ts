import { Injectable } from '@nestjs/common';
import QueryStream from 'pg-query-stream';
import { UnitOfWork } from '../../platform/database/index.js';
import type { CloudProvider } from '../cloud-ids/index.js';
import type { CloudOf } from './gap-scans.store.js';

/** A resource of the inventory that no state manages. */
export interface UnmanagedRow {
  service: string;
  resource_type: string;
  id: string;
  name: string | null;
  region: string | null;
  account: string | null;
  tags: Record<string, string> | null;
  phantom: boolean;
  supported: boolean;
}

export interface StoredInventory {
  inventoryId: string;
  fetchedAt: Date;
  totals: Record<string, number>;
}

const ROWS_PER_BATCH = 500;

/**
 * The comparison. `cloud_ids` is probed for the id that most resources are found by, and for the others only where that
 * fails; the OR keeps PostgreSQL from reading every id of the tenant for a hash.
 */
const UNMANAGED = `SELECT r.service, r.resource_type, r.id, r.phantom IS NOT NULL AS phantom, r.supported, r.name, r.region, r.account, r.tags
  FROM gap_inventory r
  WHERE r.tenant_id = $1 AND r.inventory_id = $2 AND NOT (
    EXISTS (SELECT FROM cloud_ids c WHERE c.tenant_id = $1 AND c.provider = $3 AND c.id = r.lookup_id)
    OR (r.other_ids IS NOT NULL
      AND EXISTS (SELECT FROM cloud_ids c WHERE c.tenant_id = $1 AND c.provider = $3 AND c.id = ANY (r.other_ids))))
  ORDER BY r.service, r.resource_type, r.id`;

/** The stored inventory against the cloud ids of the tenant's instances, as both are at the time of the request. */
@Injectable()
export class GapComparison {
  constructor(private readonly work: UnitOfWork) {}

  /** Gives `use` the inventory and what of it is not managed, all of one snapshot. False when there is no inventory. */
  async compare(
    { tenantId, provider }: CloudOf,
    use: (inventory: StoredInventory, rows: AsyncIterable<UnmanagedRow[]>) => Promise<void>,
  ): Promise<boolean> {
    return this.work.run(async () => {
      await this.work.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
      const [found] = await this.work.query<{
        inventory_id: string;
        fetched_at: Date;
        totals: Record<string, number>;
      }>(
        'SELECT inventory_id, fetched_at, totals FROM gap_scans WHERE tenant_id = $1 AND provider = $2 AND inventory_id IS NOT NULL',
        [tenantId, provider],
      );
      if (!found) return false;
      const inventory = {
        inventoryId: found.inventory_id,
        fetchedAt: found.fetched_at,
        totals: found.totals,
      };
      await use(inventory, this.rows(tenantId, found.inventory_id, provider));
      return true;
    });
  }

  private async *rows(
    tenantId: string,
    inventoryId: string,
    provider: CloudProvider,
  ): AsyncGenerator<UnmanagedRow[]> {
    const client = await this.work.client();
    const stream = client.query(
      new QueryStream(UNMANAGED, [tenantId, inventoryId, provider], { batchSize: ROWS_PER_BATCH }),
    );
    let batch: UnmanagedRow[] = [];
    for await (const row of stream as AsyncIterable<UnmanagedRow>) {
      batch.push(row);
      if (batch.length < ROWS_PER_BATCH) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
  }
}
