import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { AppError } from '../../../platform/errors/index.js';
import { defineJob, HandlesJob, type JobRun } from '../../../platform/queue/index.js';
import { Clock } from '../../../platform/time/clock.js';
import { Tasks } from '../../tasks/index.js';
import { SyncRequests } from './sync-requests.service.js';

const SCHEDULE_INTERVAL_MS = 60_000;
const MAX_SOURCES_PER_RUN = 200;
const HOUR_MS = 3_600_000;

export const ScheduleSyncsJob = defineJob('schedule-billing-syncs', {
  queue: 'billing',
  everyMs: SCHEDULE_INTERVAL_MS,
  attempts: 1,
});

interface ScheduledSource {
  id: string;
  tenant_id: string;
  last_task_id: string | null;
}

/** Syncs enabled sources on schedule, and ends the status of syncs whose task has ended without them. */
@Injectable()
export class BillingSchedule {
  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly work: UnitOfWork,
    private readonly tasks: Tasks,
    private readonly requests: SyncRequests,
  ) {}

  @HandlesJob(ScheduleSyncsJob)
  async run(_payload: object, _run: JobRun): Promise<void> {
    await this.endLostSyncs();
    const hours = this.config.get('SERVICE_BILLING_SYNC_HOURS');
    if (!this.config.get('SERVICE_COST_ENABLED') || hours === 0) return;
    const due = await this.work.query<ScheduledSource>(
      `SELECT id, tenant_id, last_task_id FROM billing_sources
       WHERE enabled AND (last_status IS NULL OR last_status IN ('ok', 'error')) AND (last_started_at IS NULL OR last_started_at <= $1)
       ORDER BY last_started_at NULLS FIRST LIMIT ${MAX_SOURCES_PER_RUN}`,
      [new Date(this.clock.now().getTime() - hours * HOUR_MS)],
    );
    for (const { id, tenant_id: tenantId } of due)
      await this.requests
        .start({ tenantId, sourceId: id, caller: undefined, windowStart: undefined })
        .catch(ignoreDeleted);
  }

  private async endLostSyncs(): Promise<void> {
    const open = await this.work.query<ScheduledSource>(
      `SELECT id, tenant_id, last_task_id FROM billing_sources WHERE last_status IN ('queued', 'running')`,
    );
    for (const { id, last_task_id: taskId } of open) {
      const state = taskId === null ? 'failed' : await this.stateOf(taskId);
      if (state === 'pending' || state === 'running') continue;
      await this.work.query(
        `UPDATE billing_sources SET last_status = 'error', last_error = 'the sync ended before it was done'
         WHERE id = $1 AND last_task_id IS NOT DISTINCT FROM $2 AND last_status IN ('queued', 'running')`,
        [id, taskId],
      );
    }
  }

  private async stateOf(taskId: string): Promise<string> {
    return this.tasks.stateOf(taskId).then(
      ({ state }) => state,
      () => 'failed',
    );
  }
}

function ignoreDeleted(error: unknown): void {
  if (!(error instanceof AppError)) throw error;
}
