import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { httpErrors } from '../../../platform/errors/index.js';
import { Clock } from '../../../platform/time/clock.js';
import type { Principal } from '../../access/index.js';
import { Audit } from '../../audit/index.js';
import { Tasks, type TaskStartedView } from '../../tasks/index.js';
import { BillingSourceEntity } from '../entities/billing-source.entity.js';
import { BillingSourcesService } from '../sources/billing-sources.service.js';
import { windowDay } from './sync-window.rules.js';

export const SYNC_TASK = 'billing-sync';

interface SyncRequest {
  tenantId: string;
  sourceId: string;
  /** undefined: the schedule */
  caller: Principal | undefined;
  windowStart: string | undefined;
}

/** Starts syncs. While one of a source waits or runs, a further request gets the same task. */
@Injectable()
export class SyncRequests {
  constructor(
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly audit: Audit,
    private readonly tasks: Tasks,
    private readonly sources: BillingSourcesService,
  ) {}

  async start({ tenantId, sourceId, caller, windowStart }: SyncRequest): Promise<TaskStartedView> {
    const from = windowStart === undefined ? null : windowDay(windowStart);
    if (from === undefined)
      throw httpErrors.INVALID_REQUEST(
        'window_start must be a date (YYYY-MM-DD) or a timestamp with an offset',
      );
    return this.work.run(async () => {
      const { id } = await this.sources.lock(tenantId, sourceId);
      const payload = { source_id: id };
      const known = await this.tasks.findUnfinished(SYNC_TASK, payload);
      if (known) return known;
      const taskId = await this.tasks.start({
        kind: SYNC_TASK,
        tenantId,
        createdBy: caller?.userId,
        payload,
      });
      await this.work.manager.update(
        BillingSourceEntity,
        { id },
        {
          lastStatus: 'queued',
          lastStartedAt: this.clock.now(),
          lastTaskId: taskId,
          requestedWindowStart: from,
        },
      );
      if (caller)
        await this.audit.record({
          actor: caller,
          action: 'billing-source.sync',
          objectType: 'billing-source',
          objectId: id,
          tenantId,
          data: { taskId, ...(from === null ? {} : { windowStart: from }) },
        });
      return { id: taskId, state: 'pending' as const };
    });
  }
}
