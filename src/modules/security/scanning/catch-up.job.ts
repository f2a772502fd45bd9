import { Injectable, Logger } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { describeFailure } from '../../../platform/errors/index.js';
import { HandlesEvent } from '../../../platform/events/index.js';
import { defineJob, HandlesJob, Jobs, type JobRun } from '../../../platform/queue/index.js';
import { StateDeleted } from '../../states/index.js';
import { CatchUpTasks } from '../findings/catch-up-tasks.js';
import { DueStates } from './due-states.queries.js';
import { LossScanner } from './loss-scanner.service.js';
import { Losses } from './losses.store.js';

const SWEEP_INTERVAL_MS = 15_000;
const MAX_TENANTS_PER_SWEEP = 100;

/** What was written while scanning was off, states whose job was lost, and new checks. */
export const SweepScansJob = defineJob('sweep-scans', {
  queue: 'security-upkeep',
  everyMs: SWEEP_INTERVAL_MS,
  attempts: 1,
});
/** After a state was deleted: findings of others that looked something up in it. */
export const ScanAfterDeletionJob = defineJob('scan-after-deletion', { queue: 'security-upkeep' });

/** Starts a task for each tenant that has something to catch up with. */
@Injectable()
export class CatchUpJobs {
  private readonly logger = new Logger('SecurityCatchUp');

  constructor(
    private readonly config: Config,
    private readonly work: UnitOfWork,
    private readonly jobs: Jobs,
    private readonly due: DueStates,
    private readonly losses: Losses,
    private readonly lossScanner: LossScanner,
    private readonly tasks: CatchUpTasks,
  ) {}

  /** The loss is a row of a table; a job that cannot be queued is made up for by the sweep. */
  @HandlesEvent(StateDeleted)
  schedule(_deleted: StateDeleted): void {
    if (!this.config.get('SERVICE_SECURITY')) return;
    this.work.afterCommit(() => void this.jobs.enqueue(ScanAfterDeletionJob, {}).catch(() => undefined));
  }

  @HandlesJob(ScanAfterDeletionJob)
  async scanAfterDeletion(_payload: object, _run: JobRun): Promise<void> {
    if (!this.config.get('SERVICE_SECURITY')) return;
    for (const tenantId of await this.losses.tenants()) {
      // One tenant's failure must not keep others from being scanned.
      try {
        const { areAllDue } = await this.lossScanner.scan(tenantId);
        if (areAllDue) await this.tasks.start(tenantId);
      } catch (error) {
        this.logger.error({
          msg: 'could not scan what deleted states affect',
          tenantId,
          ...describeFailure(error),
        });
      }
    }
  }

  @HandlesJob(SweepScansJob)
  async sweep(payload: object, run: JobRun): Promise<void> {
    if (!this.config.get('SERVICE_SECURITY')) return;
    await this.scanAfterDeletion(payload, run);
    for (const tenantId of await this.due.tenants(MAX_TENANTS_PER_SWEEP)) await this.tasks.start(tenantId);
  }
}
