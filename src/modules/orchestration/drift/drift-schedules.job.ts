import { Injectable, Logger } from '@nestjs/common';
import { Config } from '../../../platform/config/index.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { describeFailure } from '../../../platform/errors/index.js';
import { HandlesEvent } from '../../../platform/events/index.js';
import { defineJob, HandlesJob, Jobs, type JobRun } from '../../../platform/queue/index.js';
import { Clock } from '../../../platform/time/clock.js';
import { RunPlaces } from '../planning/run-places.js';
import { BranchArtifactEnded } from '../runs/branch-artifact-ended.event.js';
import { Runs } from '../runs/runs.store.js';
import { DriftAwaits, DriftPreparationFailed, isMistake, problemText } from './drift-problems.rules.js';
import { DriftRuns } from './drift-runs.js';
import { DriftSchedulesStore, type TakenSchedule } from './drift-schedules.store.js';

const MINUTE_MS = 60_000;
const MAX_BATCHES = 10;

export const SweepDriftJob = defineJob('sweep-drift', { queue: 'runs', everyMs: MINUTE_MS, attempts: 1 });

/**
 * Starts the runs of due schedules. A schedule moves on in the transaction that creates its runs, so that a worker that
 * is killed, or a provider that does not answer, postpones a look and never loses it.
 */
@Injectable()
export class DriftSchedules {
  private readonly logger = new Logger('DriftSchedules');

  constructor(
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly config: Config,
    private readonly store: DriftSchedulesStore,
    private readonly places: RunPlaces,
    private readonly driftRuns: DriftRuns,
    private readonly runs: Runs,
    private readonly jobs: Jobs,
  ) {}

  @HandlesJob(SweepDriftJob)
  async sweep(_payload: object, _run: JobRun): Promise<void> {
    if (!this.config.get('SERVICE_ORCHESTRATION_ENABLED')) return;
    for (let batch = 0; batch < MAX_BATCHES; batch++) {
      const taken = await this.store.takeDue(this.clock.now());
      if (taken.length === 0) return;
      await Promise.all(taken.map((schedule) => this.start(schedule)));
    }
  }

  /** What the schedules of the repository wait for has ended. */
  @HandlesEvent(BranchArtifactEnded)
  async artifactEnded({ repositoryId }: BranchArtifactEnded): Promise<void> {
    await this.store.retry(repositoryId);
    await this.jobs.enqueue(SweepDriftJob, {});
  }

  private async start(schedule: TakenSchedule): Promise<void> {
    const now = this.clock.now();
    try {
      const place = await this.places.of(schedule);
      // Unlinked since it was taken: it is due again once the installation is linked.
      if (!place) return;
      const { isCurrent, createRuns } = await this.driftRuns.prepare(place, schedule, now);
      // Taken anew, as the branch has it, should it still be due.
      if (!isCurrent) return await this.store.release(schedule);
      await this.work.run(async () => {
        if (!(await this.runs.lockLink(schedule.installationId))) return;
        if (!(await this.store.moveOn(schedule, now))) return;
        const created = await createRuns();
        if (created.length > 0) await this.store.recordLook(schedule, now);
      });
    } catch (error) {
      await this.postpone(schedule, error);
    }
  }

  private async postpone(schedule: TakenSchedule, error: unknown): Promise<void> {
    const of = { now: this.clock.now(), problem: problemText(error) };
    if (error instanceof DriftAwaits) return this.store.await(schedule, of);
    this.logger.warn({
      msg: 'drift run could not be started',
      repositoryId: schedule.repositoryId,
      isMistake: isMistake(error),
      ...describeFailure(error),
    });
    await this.store.postpone(schedule, {
      ...of,
      until: error instanceof DriftPreparationFailed ? error.retryAt : undefined,
    });
  }
}
