import { Injectable } from '@nestjs/common';
import { Secrets } from '../../../platform/crypto/secrets.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { Clock } from '../../../platform/time/clock.js';
import type { CloudProvider } from '../../cloud-ids/index.js';
import type { CloudFailureView, ScanPosition } from '../clouds/cloud-inventory.js';
import { GapScanEntity } from '../entities/gap.entities.js';

/** A tenant's cloud, the key of `gap_scans`. */
export interface CloudOf {
  tenantId: string;
  provider: CloudProvider;
}

/** One attempt of a scan. */
export interface ScanAttempt extends CloudOf {
  attemptId: string;
  /** inventory that the attempt writes or continues */
  collectingId: string;
  /** where an earlier attempt stopped */
  from: ScanPosition | undefined;
}

/** Tables `gap_scans` and the inventories they name. */
@Injectable()
export class GapScansStore {
  constructor(
    private readonly work: UnitOfWork,
    private readonly secrets: Secrets,
    private readonly clock: Clock,
  ) {}

  async find({ tenantId, provider }: CloudOf): Promise<GapScanEntity | undefined> {
    return (await this.work.manager.findOneBy(GapScanEntity, { tenantId, provider })) ?? undefined;
  }

  /**
   * Claims the row for a new scan; false if a scan runs, or if the row is not `seen` any more, the row that the caller has
   * read. Call it inside a unit of work.
   */
  async claim({ tenantId, provider }: CloudOf, seen: GapScanEntity | undefined): Promise<boolean> {
    const rows = await this.work.query(
      `INSERT INTO gap_scans AS s (tenant_id, provider, task_id, status, started_at) VALUES ($1, $2, $3, 'running', $4)
       ON CONFLICT (tenant_id, provider) DO UPDATE
         SET status = 'running', started_at = EXCLUDED.started_at, ended_at = NULL, attempt_id = NULL,
           collecting_id = NULL, position = NULL
         WHERE s.status <> 'running' AND s.task_id = $5
       RETURNING s.task_id`,
      [tenantId, provider, this.secrets.uuid(), this.clock.now(), seen?.taskId ?? null],
    );
    return rows.length > 0;
  }

  async assignTask({ tenantId, provider }: CloudOf, taskId: string): Promise<void> {
    await this.work.manager.update(GapScanEntity, { tenantId, provider }, { taskId });
  }

  /** Begins an attempt of the task and ends older ones, which then write nothing. Undefined if the scan has another task. */
  async beginAttempt({ tenantId, provider }: CloudOf, taskId: string): Promise<ScanAttempt | undefined> {
    const attemptId = this.secrets.uuid();
    return this.work.run(async () => {
      const [row] = await this.work.query<{
        inventory_id: string | null;
        collecting_id: string;
        position: ScanPosition | null;
      }>(
        `UPDATE gap_scans SET attempt_id = $4, collecting_id = CASE WHEN position IS NULL THEN $4 ELSE collecting_id END
         WHERE tenant_id = $1 AND provider = $2 AND task_id = $3 AND status = 'running'
         RETURNING inventory_id, collecting_id, position`,
        [tenantId, provider, taskId, attemptId],
      );
      if (!row) return undefined;
      const { inventory_id: published, collecting_id: collectingId, position } = row;
      await this.deleteInventories({ tenantId, provider }, [published ?? [], collectingId].flat());
      return { tenantId, provider, attemptId, collectingId, from: position ?? undefined };
    });
  }

  /**
   * Stores where a later attempt continues, and locks the scan against changes of the settings and other attempts. False if
   * the scan has another attempt.
   */
  async advance({ tenantId, provider, attemptId }: ScanAttempt, position: ScanPosition): Promise<boolean> {
    const rows = await this.work.query(
      `UPDATE gap_scans SET position = $4
       WHERE tenant_id = $1 AND provider = $2 AND attempt_id = $3 AND status = 'running' RETURNING 1`,
      [tenantId, provider, attemptId, JSON.stringify(position)],
    );
    return rows.length > 0;
  }

  /** Replaces the tenant's inventory by that of the attempt. False if the scan has another attempt. */
  async publish(attempt: ScanAttempt): Promise<boolean> {
    const { tenantId, provider, attemptId, collectingId } = attempt;
    const rows = await this.work.query(
      `UPDATE gap_scans SET status = 'completed', error = NULL, ended_at = $4, fetched_at = $4, inventory_id = collecting_id,
         collecting_id = NULL, position = NULL, totals = (SELECT coalesce(jsonb_object_agg(service, count), '{}') FROM (
           SELECT service, count(*) FROM gap_inventory WHERE tenant_id = $1 AND inventory_id = $5 GROUP BY service) t)
       WHERE tenant_id = $1 AND provider = $2 AND attempt_id = $3 AND status = 'running' RETURNING 1`,
      [tenantId, provider, attemptId, this.clock.now(), collectingId],
    );
    if (rows.length === 0) return false;
    await this.deleteInventories(attempt, [collectingId]);
    return true;
  }

  /** Ends the scan as failed; the older inventory stays. */
  async fail(of: CloudOf & { taskId: string }, error: CloudFailureView): Promise<void> {
    await this.work.run(async () => {
      const rows = await this.work.query<{ inventory_id: string | null }>(
        `UPDATE gap_scans SET status = 'failed', error = $4, ended_at = $5, attempt_id = NULL,
           collecting_id = NULL, position = NULL
         WHERE tenant_id = $1 AND provider = $2 AND task_id = $3 AND status = 'running' RETURNING inventory_id`,
        [of.tenantId, of.provider, of.taskId, JSON.stringify(error), this.clock.now()],
      );
      const [row] = rows;
      if (row) await this.deleteInventories(of, [row.inventory_id ?? []].flat());
    });
  }

  /** Deletes the scan and its inventories, and returns the running task. */
  async forget({ tenantId, provider }: CloudOf): Promise<string | undefined> {
    const rows = await this.work.query<{ task_id: string; status: string }>(
      'DELETE FROM gap_scans WHERE tenant_id = $1 AND provider = $2 RETURNING task_id, status',
      [tenantId, provider],
    );
    await this.deleteInventories({ tenantId, provider }, []);
    return rows.find(({ status }) => status === 'running')?.task_id;
  }

  private async deleteInventories({ tenantId, provider }: CloudOf, except: readonly string[]): Promise<void> {
    await this.work.query(
      'DELETE FROM gap_inventory WHERE tenant_id = $1 AND provider = $2 AND inventory_id <> ALL($3::uuid[])',
      [tenantId, provider, except],
    );
  }
}
