import { Injectable, Logger } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { describeFailure } from '../../../platform/errors/index.js';
import { HandlesEvent } from '../../../platform/events/index.js';
import { defineJob, HandlesJob, Jobs, type JobRun } from '../../../platform/queue/index.js';
import { CloudIdsChanged } from '../../cloud-ids/index.js';
import { SpendMatching } from './spend-matching.store.js';

const SWEEP_INTERVAL_MS = 15_000;
const MAX_TENANTS_PER_SWEEP = 100;

/** After instances gained or lost cloud ids. */
export const MatchSpendJob = defineJob<{ tenantId: string }>('match-spend', {
  queue: 'billing',
  concurrency: 2,
});
/** Deleted states, lost jobs, new rules. */
export const SweepSpendJob = defineJob('sweep-spend', {
  queue: 'billing',
  everyMs: SWEEP_INTERVAL_MS,
  attempts: 1,
});

/** Keeps the attribution of billed resources current with the states. */
@Injectable()
export class SpendMatchingJobs {
  private readonly logger = new Logger('Billing');

  constructor(
    private readonly config: Config,
    private readonly work: UnitOfWork,
    private readonly jobs: Jobs,
    private readonly matching: SpendMatching,
  ) {}

  /** Marked even while switched off, so that the attribution is right once it is switched on again. */
  @HandlesEvent(CloudIdsChanged)
  async schedule({ tenantId, ids }: CloudIdsChanged): Promise<void> {
    if (!this.isOn) return this.matching.markAll(tenantId);
    if (!(await this.matching.markChanged(tenantId, ids))) return;
    // A job that cannot be queued is no loss: the sweep finds the tenant.
    this.work.afterCommit(() =>
      this.jobs.enqueue(MatchSpendJob, { tenantId }).then(undefined, () => undefined),
    );
  }

  @HandlesJob(MatchSpendJob)
  async match({ tenantId }: { tenantId: string }, _run: JobRun): Promise<void> {
    if (this.isOn) await this.work.run(() => this.matching.rematchChanged(tenantId));
  }

  @HandlesJob(SweepSpendJob)
  async sweep(_payload: object, _run: JobRun): Promise<void> {
    if (!this.isOn) return;
    for (const tenantId of await this.matching.dueTenants(MAX_TENANTS_PER_SWEEP))
      await this.matchDue(tenantId);
  }

  /** One tenant whose match fails must not keep the others waiting. */
  private async matchDue(tenantId: string): Promise<void> {
    try {
      await this.work.run(async () => {
        if (await this.matching.rematchChanged(tenantId)) return;
        await this.matching.rematchAll(tenantId);
      });
    } catch (error) {
      this.logger.error({ msg: 'attribution not computed', tenantId, ...describeFailure(error) });
    }
  }

  private get isOn(): boolean {
    return this.config.get('SERVICE_COST_ENABLED');
  }
}
