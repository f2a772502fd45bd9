import { Injectable, Logger } from '@nestjs/common';
import { AppError, describeFailure } from '../../../platform/errors/index.js';
import { HandlesEvent } from '../../../platform/events/index.js';
import { HandlesJob, Jobs, type JobRun } from '../../../platform/queue/index.js';
import { DependencyCycle, InvalidRepoConfig } from '../../repo-config/index.js';
import type { ArtifactKind } from '../entities/commit-artifact.entity.js';
import { WorkManifestEntity } from '../entities/work-manifest.entity.js';
import { type Change, Changes, type RepositoryPlace, UnreadableChange } from '../planning/changes.js';
import { RunPlaces } from '../planning/run-places.js';
import { DispatchRunsJob, type ReportRun, ReportRunJob } from '../runs/dispatch-runs.declaration.js';
import { RunEnded } from '../runs/run-ended.event.js';
import { Runs } from '../runs/runs.store.js';
import { AfterRuns } from './after-runs.js';
import { artifactKind } from '../reporting/artifact-runs.js';
import { CommitStatuses } from '../reporting/commit-statuses.service.js';
import { PlanDescriptions, type RunDescriptions } from '../reporting/plan-descriptions.service.js';
import { RunComments } from '../reporting/run-comments.js';

/** Cost and findings of a plan are waited for so long before its comment, at most. */
const WAIT_MS = 1_000;
const MOST_WAITS = 20;
/** A job that waits and has not run after so long was lost. */
const LOST_WAIT_MS = 60_000;
/** With pauses of up to an hour: most of a day. */
const MAX_ATTEMPTS = 24;

/** Says in the pull request how a run ended, and does what follows from it. */
@Injectable()
export class RunReporting {
  private readonly logger = new Logger('RunReporting');

  constructor(
    private readonly jobs: Jobs,
    private readonly runs: Runs,
    private readonly places: RunPlaces,
    private readonly changes: Changes,
    private readonly comments: RunComments,
    private readonly statuses: CommitStatuses,
    private readonly after: AfterRuns,
    private readonly descriptions: PlanDescriptions,
  ) {}

  @HandlesEvent(RunEnded)
  async enqueue({ workManifestId }: RunEnded): Promise<void> {
    await this.jobs.enqueue(ReportRunJob, { workManifestId }, { jobId: `report-${workManifestId}` });
    // What waited for its dirspaces may start.
    await this.jobs.enqueue(DispatchRunsJob, {});
  }

  @HandlesJob(ReportRunJob)
  async report({ workManifestId, waits = 0 }: ReportRun, _run: JobRun): Promise<void> {
    const run = await this.runs.find(workManifestId);
    if (!run || !awaitsReport(run)) return;
    const place = await this.places.of(run);
    await this.after.removeLeftovers(run);
    const planned = place && run.runType === 'plan' ? await this.readChange(place, run) : undefined;
    const said = place && planned && (await this.descriptionsIn(place, run, planned));
    if (said?.isComputing === true && waits < MOST_WAITS) {
      // The sweep of unreported runs would start a second report beside this one.
      await this.runs.postponeReport(workManifestId, LOST_WAIT_MS);
      return this.jobs.enqueue(
        ReportRunJob,
        { workManifestId, waits: waits + 1 },
        { jobId: `report-${workManifestId}-${waits}`, delay: WAIT_MS },
      );
    }
    if (place) await this.reportIn(place, run, { planned, extras: said?.sections ?? [] });
    await this.runs.markReported(run.id);
  }

  /** A part that has failed too often is skipped, so that the rest goes on. */
  private async attempt<T>(
    { id, reportAttempts }: WorkManifestEntity,
    what: string,
    act: () => Promise<T>,
  ): Promise<T | undefined> {
    try {
      return await act();
    } catch (error) {
      if (reportAttempts < MAX_ATTEMPTS) throw error;
      const failure = describeFailure(error);
      this.logger.error({
        msg: 'part of a report failed too often and is skipped',
        workManifestId: id,
        what,
        ...failure,
      });
      return undefined;
    }
  }

  private readChange(place: RepositoryPlace, run: WorkManifestEntity): Promise<Change | undefined> {
    return this.attempt(run, 'read the change', () => this.changeOf(place, run));
  }

  /** Only of what succeeded: a plan that failed has none. */
  private async descriptionsIn(
    { tenantId }: { tenantId: string },
    run: WorkManifestEntity,
    { config }: Change,
  ): Promise<RunDescriptions | undefined> {
    if (run.state !== 'completed') return undefined;
    const switches: Readonly<Record<string, boolean>> = {
      cost_estimation: config.cost_estimation.enabled,
      security: config.security.enabled,
    };
    return this.descriptions.of(run, tenantId, (key) => switches[key] ?? true);
  }

  private async reportIn(
    place: RepositoryPlace & { tenantId: string },
    run: WorkManifestEntity,
    { planned, extras }: { planned: Change | undefined; extras: readonly string[] },
  ): Promise<void> {
    await this.attempt(run, 'cancel its CI run', () => this.after.cancelCiRun(place, run));
    await this.attempt(run, 'keep its issues', () => this.after.keepDriftIssues(place, run));
    const isFound = await this.after.keepArtifact(place, run);
    // What a run has found out counts for the change that is read after it.
    const change = run.runType === 'plan' ? planned : await this.readChange(place, run);
    const isCurrent = change?.pullRequest.sha === run.branchRef;
    const isQuiet = endsQuietly(run, change);
    // What a run found out shows in the plans that follow.
    const isSilent = isQuiet || (artifactKind(run) !== undefined && isFound);
    if (!isSilent) {
      const waiting = change && isCurrent ? await this.after.waiting(change) : [];
      await this.attempt(run, 'comment', () => this.comments.post(place, run, { waiting, extras }));
    }
    if (change && isCurrent)
      await this.continueWith(change, run, isFound || isQuiet ? undefined : artifactKind(run));
  }

  /** Nothing follows once the pull request is closed. The end of an apply that had begun still shows. */
  private async continueWith(
    change: Change,
    run: WorkManifestEntity,
    failedKind: ArtifactKind | undefined,
  ): Promise<void> {
    const isClosed = change.pullRequest.state === 'closed';
    if (isClosed && run.runType !== 'apply') return;
    if (!isClosed) await this.attempt(run, 'continue', () => this.after.continueWith(change, run));
    await this.attempt(run, 'set statuses', () => this.refreshStatuses(change, failedKind));
    await this.attempt(run, 'merge', () => this.after.mergeWhenApplied(change, run));
  }

  /** Once a pull request is closed its branch may be deleted, and the provider take no status of its commit. */
  private async refreshStatuses(change: Change, failedKind: ArtifactKind | undefined): Promise<void> {
    try {
      await this.statuses.refresh(change, failedKind);
    } catch (error) {
      const isRefused = error instanceof AppError && error.id === 'PROVIDER_REFUSED';
      if (!isRefused || change.pullRequest.state === 'open') throw error;
      this.logger.warn({ msg: 'statuses were refused', pullNumber: change.pullRequest.number });
    }
  }

  /** A configuration that became invalid since does not keep the result from being said. */
  private async changeOf(
    place: RepositoryPlace,
    { pullNumber }: WorkManifestEntity,
  ): Promise<Change | undefined> {
    if (pullNumber === null) return undefined;
    try {
      return await this.changes.read(place, pullNumber);
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

/** Whoever pushed or closed knows why a run ended; what a person cancelled is said to the others. */
function endsQuietly({ errorId, runType }: WorkManifestEntity, change: Change | undefined): boolean {
  if (errorId === 'CANCELLED') return runType !== 'apply' && change?.pullRequest.state !== 'open';
  if (errorId === 'SUPERSEDED') return runType !== 'apply';
  return errorId === 'UNLINKED';
}

function awaitsReport({ state, reportedAt }: WorkManifestEntity): boolean {
  return reportedAt === null && (state === 'completed' || state === 'aborted');
}
