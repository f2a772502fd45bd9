import { Injectable, Logger } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { HandlesEvent } from '../../../platform/events/index.js';
import { HandlesJob, Jobs, type JobRun } from '../../../platform/queue/index.js';
import { DependencyCycle, InvalidRepoConfig } from '../../repo-config/index.js';
import { WorkManifestEntity } from '../entities/work-manifest.entity.js';
import { type Change, Changes, type RepositoryPlace, UnreadableChange } from '../planning/changes.js';
import { RunPlaces } from '../planning/run-places.js';
import { DispatchRunsJob, ReportRunJob } from '../runs/dispatch-runs.declaration.js';
import { RunEnded } from '../runs/run-ended.event.js';
import { Runs } from '../runs/runs.store.js';
import { AfterRuns } from './after-runs.js';
import { artifactKind } from './artifact-runs.js';
import { CommitStatuses } from './commit-statuses.service.js';
import { RunComments } from './run-comments.js';

/** Says in the pull request how a run ended, and does what follows from it. */
@Injectable()
export class RunReporting {
  private readonly logger = new Logger('RunReporting');

  constructor(
    private readonly work: UnitOfWork,
    private readonly jobs: Jobs,
    private readonly runs: Runs,
    private readonly places: RunPlaces,
    private readonly changes: Changes,
    private readonly comments: RunComments,
    private readonly statuses: CommitStatuses,
    private readonly after: AfterRuns,
  ) {}

  @HandlesEvent(RunEnded)
  async enqueue({ workManifestId }: RunEnded): Promise<void> {
    await this.jobs.enqueue(ReportRunJob, { workManifestId }, { jobId: `report-${workManifestId}` });
    // What waited for its dirspaces may start.
    await this.jobs.enqueue(DispatchRunsJob, {});
  }

  @HandlesJob(ReportRunJob)
  async report({ workManifestId }: { workManifestId: string }, _run: JobRun): Promise<void> {
    const run = await this.runs.find(workManifestId);
    if (!run || run.reportedAt !== null || (run.state !== 'completed' && run.state !== 'aborted')) return;
    const place = await this.places.of(run);
    await this.after.removeLeftovers(run);
    if (place) await this.reportIn(place, run);
    await this.work.query('UPDATE work_manifests SET reported_at = now() WHERE id = $1', [run.id]);
  }

  private async reportIn(
    place: RepositoryPlace & { tenantId: string },
    run: WorkManifestEntity,
  ): Promise<void> {
    await this.after.cancelCiRun(place, run);
    await this.after.keepDriftIssues(place, run);
    const isFound = await this.after.keepArtifact(place, run);
    const change = run.pullNumber === null ? undefined : await this.changeOf(place, run.pullNumber);
    const isCurrent = change?.pullRequest.sha === run.branchRef;
    const isQuiet = run.errorId === 'SUPERSEDED' || run.errorId === 'CANCELLED' || run.errorId === 'UNLINKED';
    // What a run found out shows in the plans that follow.
    const isSilent = isQuiet || (artifactKind(run) !== undefined && isFound);
    if (!isSilent)
      await this.comments.post(place, run, change && isCurrent ? await this.after.waiting(change) : []);
    if (!change || !isCurrent || change.pullRequest.state === 'closed') return;
    await this.after.continueWith(change, run);
    await this.statuses.refresh(change, isFound || isQuiet ? undefined : artifactKind(run));
  }

  /** A configuration that became invalid since does not keep the result from being said. */
  private async changeOf(place: RepositoryPlace, number: number): Promise<Change | undefined> {
    try {
      return await this.changes.read(place, number);
    } catch (error) {
      if (
        error instanceof InvalidRepoConfig ||
        error instanceof DependencyCycle ||
        error instanceof UnreadableChange
      ) {
        this.logger.warn({ msg: 'change could not be read after a run', kind: error.constructor.name });
        return undefined;
      }
      throw error;
    }
  }
}
