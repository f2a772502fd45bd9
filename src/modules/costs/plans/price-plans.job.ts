import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { Secrets } from '../../../platform/crypto/secrets.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { HandlesEvent } from '../../../platform/events/index.js';
import { defineJob, HandlesJob, Jobs, type JobRun } from '../../../platform/queue/index.js';
import { PlanStored, TransactionEnded } from '../../transactions/index.js';
import { CostPlans } from './cost-plans.store.js';
import { PlanPricing } from './plan-pricing.service.js';

const SWEEP_INTERVAL_MS = 30_000;

export const PricePlanJob = defineJob<{ txId: string; attempt: string }>('price-plan', {
  queue: 'cost-plans',
  concurrency: 2,
});
/** Plans whose job was lost. */
export const SweepCostPlansJob = defineJob('sweep-cost-plans', {
  queue: 'cost-plans',
  everyMs: SWEEP_INTERVAL_MS,
  attempts: 1,
});

/** Computes what plans would cost, as long as they stand. */
@Injectable()
export class PlanPricingJobs {
  constructor(
    private readonly config: Config,
    private readonly work: UnitOfWork,
    private readonly secrets: Secrets,
    private readonly jobs: Jobs,
    private readonly plans: CostPlans,
    private readonly pricing: PlanPricing,
  ) {}

  @HandlesEvent(PlanStored)
  async schedule({ txId, tenantId }: PlanStored): Promise<void> {
    if (!this.config.get('SERVICE_COST_ENABLED')) {
      // What an older plan of the transaction would have cost is not what this one does.
      await this.plans.delete([txId]);
      return;
    }
    const attempt = this.secrets.uuid();
    await this.plans.begin({ txId, tenantId, attempt });
    // A job that cannot be queued is no loss: the sweep finds the plan.
    this.work.afterCommit(
      () => void this.jobs.enqueue(PricePlanJob, { txId, attempt }).catch(() => undefined),
    );
  }

  /** A plan that comes to nothing takes its costs with it; that of a commit stays. */
  @HandlesEvent(TransactionEnded)
  async forget({ txIds, state }: TransactionEnded): Promise<void> {
    if (state === 'aborted' || state === 'failed') await this.plans.delete(txIds);
  }

  @HandlesJob(PricePlanJob)
  async price({ txId, attempt }: { txId: string; attempt: string }, { lastAttempt }: JobRun): Promise<void> {
    if (!this.config.get('SERVICE_COST_ENABLED')) return;
    try {
      await this.pricing.price(txId, attempt);
    } catch (error) {
      if (lastAttempt) await this.plans.fail(txId, attempt);
      throw error;
    }
  }

  @HandlesJob(SweepCostPlansJob)
  async sweep(_payload: object, _run: JobRun): Promise<void> {
    if (!this.config.get('SERVICE_COST_ENABLED')) return;
    for (const { txId, attempt } of await this.plans.computing())
      await this.jobs.enqueue(PricePlanJob, { txId, attempt }, { jobId: `plan-${attempt}` });
  }
}
