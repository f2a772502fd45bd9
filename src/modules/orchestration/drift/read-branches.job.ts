import { Injectable, Logger } from '@nestjs/common';
import { Config } from '../../../platform/config/index.js';
import { describeFailure } from '../../../platform/errors/index.js';
import { HandlesEvent } from '../../../platform/events/index.js';
import { defineJob, HandlesJob, Jobs, type JobRun } from '../../../platform/queue/index.js';
import { Clock } from '../../../platform/time/clock.js';
import { type CodeEvents, HandlesCodeEvent, RepositoriesFound } from '../../vcs/index.js';
import type { RepositoryPlace } from '../planning/changes.js';
import { DefaultBranches } from '../planning/default-branches.js';
import { RunPlaces } from '../planning/run-places.js';
import { DriftBranchesStore } from './drift-branches.store.js';
import { isMistake, problemText } from './drift-problems.rules.js';
import { SweepDriftJob } from './drift-schedules.job.js';
import { ScheduleRefresh } from './schedule-refresh.js';

const MINUTE_MS = 60_000;
const MAX_BATCHES = 10;

export const ReadBranchesJob = defineJob('read-default-branches', {
  queue: 'runs',
  everyMs: MINUTE_MS,
  attempts: 1,
});

/** Takes over the drift schedules of default branches: at pushes, and once repositories are found or linked. */
@Injectable()
export class DriftBranches {
  private readonly logger = new Logger('DriftBranches');

  constructor(
    private readonly clock: Clock,
    private readonly config: Config,
    private readonly branches: DefaultBranches,
    private readonly places: RunPlaces,
    private readonly store: DriftBranchesStore,
    private readonly refresh: ScheduleRefresh,
    private readonly jobs: Jobs,
  ) {}

  /** A provider that does not answer makes the delivery be worked on again. */
  @HandlesCodeEvent('push')
  async pushed(event: CodeEvents['push']): Promise<void> {
    await this.readSchedules(event);
    // What is due is started at once, not only at the next minute.
    await this.jobs.enqueue(SweepDriftJob, {});
  }

  @HandlesEvent(RepositoriesFound)
  async found({ installationCoreId, providerIds }: RepositoriesFound): Promise<void> {
    await this.store.markUnread(installationCoreId, providerIds, this.clock.now());
    if (this.config.get('SERVICE_ORCHESTRATION_ENABLED')) await this.jobs.enqueue(ReadBranchesJob, {});
  }

  @HandlesJob(ReadBranchesJob)
  async readUnread(_payload: object, _run: JobRun): Promise<void> {
    if (!this.config.get('SERVICE_ORCHESTRATION_ENABLED')) return;
    for (let batch = 0; batch < MAX_BATCHES; batch++) {
      const taken = await this.store.takeUnread(this.clock.now());
      if (taken.length === 0) return;
      await Promise.all(taken.map((each) => this.readTaken(each)));
      await this.jobs.enqueue(SweepDriftJob, {});
    }
  }

  private async readTaken(taken: { repositoryId: string; installationId: string }): Promise<void> {
    try {
      const place = await this.places.of(taken);
      if (place) await this.readSchedules(place);
    } catch (error) {
      this.logger.warn({ msg: 'default branch could not be read', ...describeFailure(error) });
      await this.store.recordProblem(taken.repositoryId, problemText(error), this.clock.now());
    }
  }

  /** A branch that cannot be read says nothing of its schedules: they stay as they were. */
  private async readSchedules(place: RepositoryPlace): Promise<void> {
    const { id } = place.repository;
    const startedAt = this.clock.now();
    try {
      await this.refresh.store(id, await this.branches.readHead(place), startedAt);
    } catch (error) {
      if (!isMistake(error)) throw error;
      this.logger.warn({ msg: 'drift schedules could not be read', ...describeFailure(error) });
      await this.store.recordProblem(id, problemText(error), this.clock.now());
    }
  }
}
