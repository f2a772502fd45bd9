import { Injectable } from '@nestjs/common';
import Cursor from 'pg-cursor';
import { UnitOfWork } from '../../../platform/database/index.js';
import type { CloudProvider } from '../../cloud-ids/index.js';
import type { CloudOf } from '../inventory/gap-scans.store.js';

/** A resource of the inventory that no state manages, as PostgreSQL writes its columns. */
export type UnmanagedRow = readonly [
  service: string,
  resourceType: string,
  id: string,
  name: string | null,
  region: string | null,
  account: string | null,
  /** JSON */
  tags: string | null,
  isPhantom: 't' | 'f',
  isSupported: 't' | 'f',
];

export interface StoredInventory {
  inventoryId: string;
  fetchedAt: Date;
  totals: Record<string, number>;
}

const ROWS_PER_BATCH = 1_000;

/**
 * The comparison. The inventory and `cloud_ids` are read side by side in the order of the id that most resources are found
 * by. What that leaves is looked up by its other ids; OFFSET keeps PostgreSQL from doing so for every resource.
 */
const UNMANAGED = `SELECT r.service, r.resource_type, r.id, r.name, r.region, r.account, r.tags, r.phantom IS NOT NULL, r.supported
  FROM (SELECT i.* FROM gap_inventory i WHERE i.tenant_id = $1 AND i.inventory_id = $2
      AND NOT EXISTS (SELECT FROM cloud_ids c WHERE c.tenant_id = $1 AND c.provider = $3 AND c.id = i.lookup_id) OFFSET 0) r
  WHERE r.other_ids IS NULL
    OR NOT EXISTS (SELECT FROM cloud_ids c WHERE c.tenant_id = $1 AND c.provider = $3 AND c.id = ANY (r.other_ids))
  ORDER BY r.service, r.resource_type, r.id`;

/** Leaves values as PostgreSQL writes them. */
const AS_TEXT = { getTypeParser: () => (value: string) => value };

/** The stored inventory against the cloud ids of the tenant's instances, as both are at the time of the request. */
@Injectable()
export class GapComparison {
  constructor(private readonly work: UnitOfWork) {}

  /** Gives `use` the inventory and what of it is not managed, all of one snapshot. False when there is no inventory. */
  async compare(
    { tenantId, provider }: CloudOf,
    use: (inventory: StoredInventory, rows: AsyncIterable<readonly UnmanagedRow[]>) => Promise<void>,
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

  /** The next batch is under way while one is worked on. */
  private async *rows(
    tenantId: string,
    inventoryId: string,
    provider: CloudProvider,
  ): AsyncGenerator<readonly UnmanagedRow[]> {
    const client = await this.work.client();
    const options = { rowMode: 'array' as const, types: AS_TEXT };
    const cursor = client.query(
      new Cursor<UnmanagedRow>(UNMANAGED, [tenantId, inventoryId, provider], options),
    );
    let next = cursor.read(ROWS_PER_BATCH);
    try {
      for (;;) {
        const rows = await next;
        if (rows.length === 0) return;
        next = cursor.read(ROWS_PER_BATCH);
        next.catch(() => undefined);
        yield rows;
      }
    } finally {
      await next.catch(() => undefined);
      await cursor.close();
    }
  }
}
