import { Injectable, Logger } from '@nestjs/common';
import { AppError, describeFailure } from '../../../platform/errors/index.js';
import { hashOfSecret } from '../../../platform/crypto/secrets.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { Config } from '../../../platform/config/index.js';
import { HandlesJob, type JobRun } from '../../../platform/queue/index.js';
import { Clock } from '../../../platform/time/clock.js';
import { CodeHosts, type DispatchResult } from '../../vcs/index.js';
import type { WorkManifestEntity } from '../entities/work-manifest.entity.js';
import { type RepositoryPlace } from '../planning/changes.js';
import { RunPlaces } from '../planning/run-places.js';
import { DispatchRunsJob } from '../runs/dispatch-runs.declaration.js';
import { RunQueue } from '../runs/run-queue.store.js';
import { Runs } from '../runs/runs.store.js';
import { WorkTokens } from '../runs/work-tokens.js';
import { isGivenUp, type RunError, runError } from '../runs/work-manifest.machine.js';
import { isAtAnotherCommit, mustBeAtItsCommit, superseded } from './own-branch.rules.js';

const MAX_PER_JOB = 100;
const RETRY_MS = 30_000;

/** Sends runs to the CI of the provider, each once. */
@Injectable()
export class RunDispatch {
  private readonly logger = new Logger('RunDispatch');

  constructor(
    private readonly queue: RunQueue,
    private readonly runs: Runs,
    private readonly places: RunPlaces,
    private readonly hosts: CodeHosts,
    private readonly tokens: WorkTokens,
    private readonly work: UnitOfWork,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  @HandlesJob(DispatchRunsJob)
  async dispatchWaiting(_payload: object, _run: JobRun): Promise<void> {
    for (let n = 0; n < MAX_PER_JOB; n++) {
      const token = this.tokens.create();
      const id = await this.queue.take({ place: 'ci' }, hashOfSecret(token));
      if (id === undefined) return;
      await this.send(id, token);
    }
  }

  private async send(id: string, token: string): Promise<void> {
    const run = await this.runs.find(id);
    // Another worker took it for lost, and sends it again.
    if (!run?.workTokenHash?.equals(hashOfSecret(token))) return;
    const place = await this.places.of(run);
    if (!place) {
      await this.abort(run, runError('UNLINKED'));
      return;
    }
    let ref: string;
    try {
      ref = await this.places.refOf(place, run);
      const moved = await this.findMoved(place, run, ref);
      if (moved) {
        await this.abort(run, moved);
        return;
      }
    } catch (error) {
      await this.postpone(run, error, { mayBeSent: false });
      return;
    }
    if (!(await this.isStillSending(run))) return;
    try {
      const result = await this.request(place, run, { token, ref });
      await this.settle(place, run, result);
      if (result.result === 'dispatched') await this.endMisdirected(place, run, { ref, runId: result.runId });
    } catch (error) {
      await this.postpone(run, error, { mayBeSent: true });
    }
  }

  /**
   * Each request of a provider may have to wait so long that the run was taken for lost meanwhile. The time in which its
   * answer is awaited begins here.
   */
  private async isStillSending({ id, workTokenHash }: WorkManifestEntity): Promise<boolean> {
    const rows = await this.work.query(
      `UPDATE work_manifests SET dispatched_at = $3
        WHERE id = $1 AND state = 'queued' AND dispatch_state = 'sending' AND work_token_hash = $2 RETURNING id`,
      [id, workTokenHash, this.clock.now()],
    );
    return rows.length > 0;
  }

  private async abort({ id, workTokenHash }: WorkManifestEntity, error: RunError): Promise<void> {
    await this.runs.abortAttempt(id, workTokenHash, error);
  }

  private async findMoved(
    place: RepositoryPlace,
    run: WorkManifestEntity,
    ref: string,
  ): Promise<RunError | undefined> {
    if (!mustBeAtItsCommit(run, ref)) return undefined;
    const head = await this.hosts.of(place.installation.provider).findBranch(place, run.branch);
    if (head?.sha === run.branchRef) return undefined;
    const found = head === undefined ? 'is gone' : `is at ${head.sha.slice(0, 12)} now`;
    return superseded(run, `the branch ${found}. Nothing was applied`);
  }

  /** Ends an apply whose CI run was started at another commit: the branch was pushed to after the look at it. */
  private async endMisdirected(
    place: RepositoryPlace,
    run: WorkManifestEntity,
    { ref, runId }: { ref: string; runId: string | null },
  ): Promise<void> {
    if (!mustBeAtItsCommit(run, ref)) return;
    const error = await this.findMisdirected(place, run, { ref, runId });
    if (!error) return;
    const where = 'm.work_token_hash = $1';
    await this.runs.abortWhile(run.id, error, { where, values: [run.workTokenHash] });
    if (runId !== null) await this.cancel(place, runId);
  }

  private async findMisdirected(
    place: RepositoryPlace,
    run: WorkManifestEntity,
    { ref, runId }: { ref: string; runId: string | null },
  ): Promise<RunError | undefined> {
    if (runId === null) return this.findMoved(place, run, ref);
    const started = await this.hosts.of(place.installation.provider).findRun(place, runId);
    if (!started?.headSha || !isAtAnotherCommit(run, started)) return undefined;
    return superseded(run, `its CI run was started at ${started.headSha.slice(0, 12)}`);
  }

  private async request(
    place: RepositoryPlace,
    run: WorkManifestEntity,
    { token, ref }: { token: string; ref: string },
  ): Promise<DispatchResult> {
    return this.hosts.of(place.installation.provider).dispatch(place, {
      workflow: run.workflow,
      ref,
      inputs: {
        work_token: token,
        api_base_url: this.config.get('SERVICE_API_BASE') ?? this.config.get('SERVICE_UI_BASE'),
        ...(run.environment === null ? {} : { environment: run.environment }),
        ...(run.runsOn === null ? {} : { runs_on: run.runsOn }),
      },
    });
  }

  private async settle(
    place: RepositoryPlace,
    run: WorkManifestEntity,
    result: DispatchResult,
  ): Promise<void> {
    if (result.result !== 'dispatched') {
      await this.abort(run, refusalOf(place, run, result));
      return;
    }
    // The runner may have begun before the answer was here: what the code host says replaces what the runner said.
    const [sent] = await this.work.query<{ state: string }>(
      `UPDATE work_manifests SET dispatch_state = 'sent', run_url = coalesce($2, run_url), run_id = coalesce($3, run_id),
              run_id_told = $3::text IS NOT NULL
        WHERE id = $1 AND dispatch_state IN ('sending', 'sent') AND work_token_hash = $4 RETURNING state`,
      [run.id, result.webUrl, result.runId, run.workTokenHash],
    );
    // It ended while the request was under way: the CI run has nothing to do.
    if (sent?.state === 'aborted' && result.runId !== null) await this.cancel(place, result.runId);
  }

  /** The run token is refused in any case, so that a failure costs no more than a machine. */
  private async cancel(place: RepositoryPlace, runId: string): Promise<void> {
    try {
      await this.hosts.of(place.installation.provider).cancelRun(place, runId);
    } catch (error) {
      this.logger.warn({ msg: 'CI run could not be cancelled', runId, ...describeFailure(error) });
    }
  }

  /**
   * What was not sent, and what the provider says it did not take, is sent again later. After anything else the request
   * may have been taken: the run stays as being sent, and the upkeep looks for it at the provider first.
   */
  private async postpone(
    run: WorkManifestEntity,
    error: unknown,
    { mayBeSent }: { mayBeSent: boolean },
  ): Promise<void> {
    const id = error instanceof AppError ? error.id : 'INTERNAL_ERROR';
    this.logger.warn({ msg: 'run could not be dispatched', workManifestId: run.id, error: id });
    const now = this.clock.now().getTime();
    if (isGivenUp(run, now)) await this.abort(run, runError('DISPATCH_FAILED', id));
    else if (!mayBeSent || id === 'PROVIDER_REFUSED')
      await this.queue.giveBack(run.id, new Date(now + RETRY_MS), run.workTokenHash);
  }
}

function refusalOf(
  { installation }: RepositoryPlace,
  { workflow }: WorkManifestEntity,
  result: Exclude<DispatchResult, { result: 'dispatched' }>,
): RunError {
  switch (result.result) {
    case 'missing':
      return runError(
        'WORKFLOW_NOT_FOUND',
        installation.provider === 'github'
          ? `.github/workflows/${workflow}: ${result.reason}`
          : result.reason,
      );
    case 'inputs':
      return runError('GITLAB_INPUTS_MISSING_DEFAULTS', result.reason);
    case 'refused':
      return runError('DISPATCH_REFUSED', result.reason);
  }
}
