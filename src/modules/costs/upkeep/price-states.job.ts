import { Injectable, Logger } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { describeFailure } from '../../../platform/errors/index.js';
import { HandlesEvent } from '../../../platform/events/index.js';
import { defineJob, HandlesJob, Jobs, type JobRun } from '../../../platform/queue/index.js';
import { Clock } from '../../../platform/time/clock.js';
import { VersionStored } from '../../states/index.js';
import { HandlesTask, type TaskRun } from '../../tasks/index.js';
import { CostChanges } from '../snapshots/changes.store.js';
import { Snapshots } from '../snapshots/snapshots.store.js';
import { type PricingRequest, StatePricing } from '../snapshots/state-pricing.service.js';
import { CALCULATE_TASK } from './calculations.service.js';
import { DueStates } from './due-states.queries.js';

const SWEEP_INTERVAL_MS = 15_000;
const DAY_MS = 86_400_000;
const MAX_STATES_PER_SWEEP = 100;
/** Writes that commit within this time share one job. */
const GATHERING_MS = 5;
const CALCULATION_TIME_LIMIT_MS = 15 * 60_000;

/** After a write, or after the usage changed. */
export const PriceStatesJob = defineJob<{ stateIds: string[] }>('price-states', {
  queue: 'costs',
  concurrency: 2,
});
/** What was written while estimation was off, states whose job was lost, and once a day everything. */
export const SweepCostsJob = defineJob('sweep-costs', {
  queue: 'costs',
  everyMs: SWEEP_INTERVAL_MS,
  attempts: 1,
});
export const ThinSnapshotsJob = defineJob('thin-cost-snapshots', {
  queue: 'costs',
  everyMs: DAY_MS,
  attempts: 1,
});

/** Starts pricing. A state is due while its version is newer than the one that was priced. */
@Injectable()
export class PricingJobs {
  private readonly logger = new Logger('Costs');
  private readonly written = new Set<string>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly config: Config,
    private readonly work: UnitOfWork,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
    private readonly due: DueStates,
    private readonly pricing: StatePricing,
    private readonly snapshots: Snapshots,
    private readonly changes: CostChanges,
  ) {}

  /** The write does not wait: the job is queued after the commit and outside of the request. */
  @HandlesEvent(VersionStored)
  schedule({ stateId }: VersionStored): void {
    this.enqueueAfterCommit([stateId]);
  }

  /** States whose usage changed in the caller's transaction. */
  enqueueAfterCommit(stateIds: readonly string[]): void {
    if (!this.isOn) return;
    this.work.afterCommit(() => {
      for (const stateId of stateIds) this.written.add(stateId);
      this.timer ??= setTimeout(() => void this.enqueueWritten(), GATHERING_MS).unref();
    });
  }

  @HandlesJob(PriceStatesJob)
  async priceWritten({ stateIds }: { stateIds: string[] }, _run: JobRun): Promise<void> {
    if (this.isOn) for (const stateId of stateIds) await this.pricing.price({ stateId });
  }

  @HandlesJob(SweepCostsJob)
  async sweep(_payload: object, _run: JobRun): Promise<void> {
    if (!this.isOn) return;
    for (const stateId of await this.due.list(MAX_STATES_PER_SWEEP)) await this.priceOrReport({ stateId });
    for (const stateId of await this.due.daily(MAX_STATES_PER_SWEEP))
      await this.priceOrReport({ stateId, trigger: 'scheduled' });
  }

  /** One state that cannot be priced must not keep the others waiting. */
  private async priceOrReport(request: PricingRequest): Promise<void> {
    try {
      await this.pricing.price(request);
    } catch (error) {
      this.logger.error({ msg: 'state not priced', stateId: request.stateId, ...describeFailure(error) });
    }
  }

  @HandlesJob(ThinSnapshotsJob)
  async thin(_payload: object, _run: JobRun): Promise<void> {
    const days = this.config.get('SERVICE_COST_SNAPSHOTS_KEEP_DAYS');
    if (days > 0) await this.snapshots.thin(new Date(this.clock.now().getTime() - days * DAY_MS));
    await this.changes.repair();
    await this.changes.deleteEmptyTotals();
  }

  @HandlesTask(CALCULATE_TASK, { timeLimitMs: CALCULATION_TIME_LIMIT_MS })
  async calculate({ payload }: TaskRun): Promise<unknown> {
    const stateId = String(payload['state_id']);
    const id = this.isOn ? await this.pricing.price({ stateId, trigger: 'manual' }) : undefined;
    return id === undefined ? {} : { snapshot_id: id };
  }

  private get isOn(): boolean {
    return this.config.get('SERVICE_COST_ENABLED');
  }

  private async enqueueWritten(): Promise<void> {
    const stateIds = [...this.written];
    this.written.clear();
    this.timer = undefined;
    // A job that cannot be queued is no loss: the sweep finds the state.
    await this.jobs.enqueue(PriceStatesJob, { stateIds }).catch(() => undefined);
  }
}
