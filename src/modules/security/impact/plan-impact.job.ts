import { Injectable } from '@nestjs/common';
import { Secrets } from '../../../platform/crypto/secrets.js';
import { Config } from '../../../platform/config/config.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { HandlesEvent } from '../../../platform/events/index.js';
import { defineJob, HandlesJob, Jobs, type JobRun } from '../../../platform/queue/index.js';
import { PlanStored, TransactionEnded } from '../../transactions/index.js';
import { ScanMetrics } from '../findings/scan-metrics.js';
import { PlannedImpacts } from './planned-impacts.store.js';
import { PlanScanner } from './plan-scanner.service.js';

const SWEEP_INTERVAL_MS = 30_000;

export const ScanPlanJob = defineJob<{ txId: string; attempt: string }>('scan-plan', {
  queue: 'security-plans',
  concurrency: 2,
});
/** Plans whose job was lost. */
export const SweepPlansJob = defineJob('sweep-plan-scans', {
  queue: 'security-plans',
  everyMs: SWEEP_INTERVAL_MS,
  attempts: 1,
});

/** Computes what plans would add and resolve, as long as they stand. */
@Injectable()
export class PlanImpactJobs {
  constructor(
    private readonly config: Config,
    private readonly work: UnitOfWork,
    private readonly secrets: Secrets,
    private readonly jobs: Jobs,
    private readonly impacts: PlannedImpacts,
    private readonly scanner: PlanScanner,
    private readonly metrics: ScanMetrics,
  ) {}

  @HandlesEvent(PlanStored)
  async schedule({ txId, tenantId }: PlanStored): Promise<void> {
    if (!this.config.get('SERVICE_SECURITY')) return;
    const attempt = this.secrets.uuid();
    await this.impacts.begin({ txId, tenantId, attempt });
    // A job that cannot be queued is no loss: the sweep finds the plan.
    this.work.afterCommit(
      () => void this.jobs.enqueue(ScanPlanJob, { txId, attempt }).catch(() => undefined),
    );
  }

  /** A plan that comes to nothing takes its impact with it; one that is committed keeps it until the commit is scanned. */
  @HandlesEvent(TransactionEnded)
  async forget({ txIds, state }: TransactionEnded): Promise<void> {
    if (state === 'aborted' || state === 'failed') await this.impacts.delete(txIds);
  }

  @HandlesJob(ScanPlanJob)
  async scan({ txId, attempt }: { txId: string; attempt: string }, { lastAttempt }: JobRun): Promise<void> {
    if (!this.config.get('SERVICE_SECURITY')) return;
    try {
      await this.metrics.measure('plan', async () => {
        await this.scanner.scan(txId, attempt);
        return txId;
      });
    } catch (error) {
      if (lastAttempt) await this.impacts.fail(txId, attempt);
      throw error;
    }
  }

  @HandlesJob(SweepPlansJob)
  async sweep(_payload: object, _run: JobRun): Promise<void> {
    if (!this.config.get('SERVICE_SECURITY')) return;
    for (const { txId, attempt } of await this.impacts.computing())
      await this.jobs.enqueue(ScanPlanJob, { txId, attempt }, { jobId: `plan-${attempt}` });
  }
}
