import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { Events } from '../../../platform/events/index.js';
import { Clock } from '../../../platform/time/clock.js';
import type { TaskRun } from '../../tasks/index.js';
import { BillingLoaded } from '../billing-loaded.event.js';
import { BillingSourceEntity } from '../entities/billing-source.entity.js';
import { BillingRows } from '../spend/billing-rows.store.js';
import { SpendMatching } from '../spend/spend-matching.store.js';
import { type GatheredFiles, SyncFailure } from './source-files.service.js';

/** The transaction of a sync: rows, sums, matches, status and the end of the task, or none of them. */
@Injectable()
export class BillingLoad {
  constructor(
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly events: Events,
    private readonly rows: BillingRows,
    private readonly matching: SpendMatching,
  ) {}

  async load(source: BillingSourceEntity, gathered: GatheredFiles, run: TaskRun): Promise<void> {
    const { id, tenantId } = source;
    await this.rows.createPartitions(gathered.months);
    await this.work.run(async () => {
      await this.requireUnchanged(source);
      await this.rows.replace({ sourceId: id, tenantId, from: gathered.from, file: gathered.file });
      await this.matching.lockTenant(tenantId);
      await this.rows.sumUp(id);
      await this.matching.rematchAll(tenantId);
      const now = this.clock.now();
      await this.work.manager.update(
        BillingSourceEntity,
        { id },
        {
          lastStatus: 'ok',
          lastError: null,
          lastSyncedAt: now,
          lastRowCount: String(gathered.lines),
          requestedWindowStart: null,
        },
      );
      await this.events.publish(new BillingLoaded(tenantId, id));
      await run.complete({ lines: gathered.lines, files: gathered.files, window_start: gathered.from });
    });
  }

  /** A source that was deleted or points elsewhere meanwhile must not get these rows. */
  private async requireUnchanged(source: BillingSourceEntity): Promise<void> {
    const current = await this.work.manager.findOne(BillingSourceEntity, {
      where: { id: source.id },
      lock: { mode: 'pessimistic_write' },
    });
    if (current?.sourceUri !== source.sourceUri || current.provider !== source.provider)
      throw new SyncFailure('the source was changed or deleted while it was synced');
  }
}
