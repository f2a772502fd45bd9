import { Injectable, Logger } from '@nestjs/common';
import { UnitOfWork } from '../../platform/database/index.js';
import { describeFailure } from '../../platform/errors/index.js';
import { HandlesEvent } from '../../platform/events/index.js';
import { defineJob, HandlesJob, Jobs, type JobRun } from '../../platform/queue/index.js';
import { VersionStored } from '../states/index.js';
import { CloudIds } from './cloud-ids.store.js';

const SWEEP_INTERVAL_MS = 15_000;
const MAX_STATES_PER_SWEEP = 200;
/** Writes that commit within this time share one job. */
const GATHERING_MS = 5;

/** After a write: the ids of what changed. */
export const UpdateCloudIdsJob = defineJob<{ stateIds: string[] }>('update-cloud-ids', {
  queue: 'cloud-ids',
  concurrency: 2,
});
/** States that were written before this module existed, or whose job was lost. */
export const SweepCloudIdsJob = defineJob('sweep-cloud-ids', {
  queue: 'cloud-ids',
  everyMs: SWEEP_INTERVAL_MS,
  attempts: 1,
});

/** Keeps `cloud_ids` current. A state is due while its version is newer than the one its ids were made for. */
@Injectable()
export class CloudIdsUpkeep {
  private readonly logger = new Logger('CloudIds');
  private readonly written = new Set<string>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly work: UnitOfWork,
    private readonly jobs: Jobs,
    private readonly ids: CloudIds,
  ) {}

  /** The write does not wait: the job is queued after the commit and outside of the request. */
  @HandlesEvent(VersionStored)
  schedule({ stateId }: VersionStored): void {
    this.work.afterCommit(() => {
      this.written.add(stateId);
      this.timer ??= setTimeout(() => void this.enqueueWritten(), GATHERING_MS).unref();
    });
  }

  @HandlesJob(UpdateCloudIdsJob)
  async update({ stateIds }: { stateIds: string[] }, _run: JobRun): Promise<void> {
    for (const stateId of stateIds) await this.ids.update(stateId);
  }

  @HandlesJob(SweepCloudIdsJob)
  async sweep(_payload: object, _run: JobRun): Promise<void> {
    for (const stateId of await this.ids.dueStates(MAX_STATES_PER_SWEEP))
      try {
        await this.ids.update(stateId);
      } catch (error) {
        // The next sweep tries again; other states do not wait for this one.
        this.logger.error({
          msg: 'could not update the cloud ids of a state',
          stateId,
          ...describeFailure(error),
        });
      }
  }

  private async enqueueWritten(): Promise<void> {
    const stateIds = [...this.written];
    this.written.clear();
    this.timer = undefined;
    // A job that cannot be queued is no loss: the sweep finds the state.
    await this.jobs.enqueue(UpdateCloudIdsJob, { stateIds }).catch(() => undefined);
  }
}
