import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { Secrets } from '../../../platform/crypto/secrets.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { Events } from '../../../platform/events/index.js';
import { Clock } from '../../../platform/time/clock.js';
import { type CiJobEnd, PullRequestsStore } from '../../vcs/index.js';
import { RunningDirspaceEntity } from '../entities/dirspace-lock.entities.js';
import { WorkManifestDirspaceEntity } from '../entities/work-manifest-dirspace.entity.js';
import { WorkManifestEntity, type WorkManifestState } from '../entities/work-manifest.entity.js';
import { findRunsOfCiRun, sharesCiRun } from './ci-run-ids.js';
import { holdGivenUp, releaseReconciled } from './hold-ends.queries.js';
import type { Dirspace, HeldPlace } from './holds.store.js';
import { RunEnded } from './run-ended.event.js';
import {
  dirspaceState,
  JOB_ERRORS,
  RUN_TRANSITIONS,
  type RunError,
  type RunTransition,
} from './work-manifest.machine.js';

export type NewRun = Pick<
  WorkManifestEntity,
  | 'installationId'
  | 'repositoryId'
  | 'pullNumber'
  | 'pullTitle'
  | 'kind'
  | 'runType'
  | 'owner'
  | 'repo'
  | 'username'
  | 'environment'
  | 'branch'
  | 'branchRef'
  | 'baseBranch'
  | 'baseRef'
  | 'tagQuery'
  | 'triggerKey'
  | 'askedBy'
  | 'isForced'
  | 'appliesPlan'
  | 'place'
  | 'pool'
  | 'workflow'
  | 'runsOn'
  | 'timeoutMinutes'
  | 'spec'
>;
export type NewRunDirspace = Pick<
  WorkManifestDirspaceEntity,
  'dir' | 'workspace' | 'lockPolicy' | 'planFrom'
>;

const STATE_OF_DIRSPACE = `CASE WHEN success THEN 'success' WHEN NOT success THEN 'failure' ELSE $2 END`;

/** Table `work_manifests` with its dirspaces: creation and transitions, each by a conditional statement. */
@Injectable()
export class Runs {
  constructor(
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly secrets: Secrets,
    private readonly events: Events,
    private readonly pullRequests: PullRequestsStore,
  ) {}

  /** Undefined when the same trigger has created it before, and when the installation is linked to no tenant any more. */
  async create(run: NewRun, dirspaces: readonly NewRunDirspace[]): Promise<string | undefined> {
    return this.work.run(async () => {
      if (!(await this.lockLink(run.installationId))) return undefined;
      const id = this.secrets.uuid();
      const createdAt = this.clock.now();
      const inserted = await this.work.manager
        .createQueryBuilder()
        .insert()
        .into(WorkManifestEntity)
        .values({ ...run, id, createdAt, state: 'queued' } as object)
        .orIgnore()
        .returning('id')
        .execute();
      if ((inserted.raw as unknown[]).length === 0) return undefined;
      const { installationId, repositoryId, repo, username, environment, kind, runType, pullNumber, branch } =
        run;
      if (dirspaces.length > 0)
        await this.work.manager.insert(
          WorkManifestDirspaceEntity,
          dirspaces.map((dirspace, position) => ({
            ...dirspace,
            workManifestId: id,
            position,
            state: 'queued' as const,
            installationId,
            repositoryId,
            repo,
            username,
            environment,
            kind,
            runType,
            pullNumber,
            branch,
            sha: run.branchRef,
            createdAt,
          })),
        );
      if (pullNumber !== null)
        await this.pullRequests.recordLatestRun({ repositoryId, number: pullNumber }, createdAt);
      return id;
    });
  }

  /**
   * Whoever unlinks waits for the transaction of the run, and ends it; or the run is not made. A transaction that creates
   * runs calls this before it locks anything else (docs/architecture.md, "Order of locks").
   */
  async lockLink(installationId: string): Promise<boolean> {
    const rows = await this.work.query(
      'SELECT FROM installations WHERE id = $1 AND tenant_id IS NOT NULL FOR SHARE',
      [installationId],
    );
    return rows.length > 0;
  }

  /** What follows from a run that ended was done. */
  async markReported(id: string): Promise<void> {
    await this.work.manager.update(WorkManifestEntity, id, { reportedAt: this.clock.now() });
  }

  /** Nothing else asks for the report of a run meanwhile. */
  async postponeReport(id: string, ms: number): Promise<void> {
    const reportRetryAt = new Date(this.clock.now().getTime() + ms);
    await this.work.manager.update(WorkManifestEntity, id, { reportRetryAt });
  }

  /** The runs of a pull request that the same thing asked for before. */
  async askedBy(repositoryId: string, pullNumber: number, askedBy: string): Promise<string[]> {
    const rows = await this.work.manager.find(WorkManifestEntity, {
      select: { id: true },
      where: { repositoryId, pullNumber, askedBy },
    });
    return rows.map(({ id }) => id);
  }

  /** Whether the run that the trigger created built the configuration for another base branch, or with another command. */
  async isOfOtherBuild({
    repositoryId,
    triggerKey,
    baseBranch,
    command,
  }: Pick<WorkManifestEntity, 'repositoryId' | 'baseBranch'> & {
    triggerKey: string;
    command: readonly string[];
  }): Promise<boolean> {
    const run = await this.work.manager.findOneBy(WorkManifestEntity, { repositoryId, triggerKey });
    if (!run) return false;
    return run.baseBranch !== baseBranch || JSON.stringify(run.spec?.command) !== JSON.stringify(command);
  }

  async find(id: string): Promise<WorkManifestEntity | undefined> {
    return (await this.work.manager.findOneBy(WorkManifestEntity, { id })) ?? undefined;
  }

  async dirspaces(id: string): Promise<WorkManifestDirspaceEntity[]> {
    return this.work.manager.find(WorkManifestDirspaceEntity, {
      where: { workManifestId: id },
      order: { position: 'ASC' },
    });
  }

  /** False when the run was not in a state that takes the transition. */
  async move(id: string, transition: RunTransition, error?: RunError): Promise<boolean> {
    const { from, to } = RUN_TRANSITIONS[transition];
    return this.work.run(async () => {
      const now = this.clock.now();
      const { affected } = await this.work.manager.update(
        WorkManifestEntity,
        { id, state: In([...from] as WorkManifestState[]) },
        {
          state: to,
          ...(transition === 'start' ? { startedAt: now, heartbeatAt: now } : { completedAt: now }),
          ...(error ? { errorId: error.id, errorData: error.data.slice(0, 4000) } : {}),
        },
      );
      if (affected !== 1) return false;
      await this.work.query(
        `UPDATE work_manifest_dirspaces SET state = ${STATE_OF_DIRSPACE}, ended_at = coalesce(ended_at, $3)
          WHERE work_manifest_id = $1`,
        [id, dirspaceState(to, null), transition === 'start' ? null : now],
      );
      if (transition === 'start') return true;
      await this.work.manager.delete(RunningDirspaceEntity, { workManifestId: id });
      await releaseReconciled(this.work, id);
      if (transition === 'abort') await holdGivenUp(this.work, id);
      await this.events.publish(new RunEnded(id, transition === 'abort'));
      return true;
    });
  }

  /**
   * Aborts a run if a condition on its row `m` still holds: since it was selected, it may have begun.
   *
   * @param values parameters of the condition, from `$1` on
   */
  async abortWhile(
    id: string,
    error: RunError,
    { where, values }: { where: string; values: readonly unknown[] },
  ): Promise<boolean> {
    return this.work.run(async () => {
      const rows = await this.work.query(
        `SELECT FROM work_manifests m WHERE ${where} AND m.id = $${values.length + 1} FOR UPDATE OF m`,
        [...values, id],
      );
      return rows.length > 0 && this.move(id, 'abort', error);
    });
  }

  /** Aborts a run if no newer attempt to send it was made, and no runner has begun it. */
  async abortAttempt(id: string, attempt: Buffer | null, error: RunError): Promise<boolean> {
    return this.abortWhile(id, error, {
      where: `m.state = 'queued' AND m.dispatch_state = 'sending' AND m.work_token_hash = $1`,
      values: [attempt],
    });
  }

  /**
   * Ends the waiting and running plans of a pull request but those of one commit for one base; applies go on.
   *
   * @param isAskedAgain what asked for them may ask once more: their commit may become the head again, or the pull request
   * be opened again
   */
  async endPlans(
    { repositoryId, pullNumber }: HeldPlace,
    error: RunError,
    { except, isAskedAgain }: { except?: { sha: string; baseBranch: string }; isAskedAgain: boolean },
  ): Promise<void> {
    const rows = await this.work.query<{ id: string }>(
      `SELECT id FROM work_manifests WHERE repository_id = $1 AND pull_number = $2 AND state IN ('queued', 'running')
          AND run_type <> 'apply' AND ($3::text IS NULL OR branch_ref <> $3 OR base_branch <> $4) ORDER BY id`,
      [repositoryId, pullNumber, except?.sha ?? null, except?.baseBranch ?? null],
    );
    for (const { id } of rows) await this.endPlan(id, error, { isAskedAgain });
  }

  /** Ends the waiting plans of a pull request that have no other dirspaces than these. */
  async endWaitingIn(
    { repositoryId, pullNumber }: HeldPlace,
    dirspaces: readonly Dirspace[],
    error: RunError,
  ): Promise<void> {
    const rows = await this.work.query<{ id: string }>(
      `SELECT m.id FROM work_manifests m
        WHERE m.repository_id = $1 AND m.pull_number = $2 AND m.state = 'queued' AND m.run_type = 'plan' AND NOT EXISTS (
          SELECT FROM work_manifest_dirspaces w WHERE w.work_manifest_id = m.id AND NOT EXISTS (
            SELECT FROM unnest($3::text[], $4::text[]) AS d (dir, workspace)
             WHERE d.dir = w.dir AND d.workspace = w.workspace)) ORDER BY m.id`,
      [
        repositoryId,
        pullNumber,
        dirspaces.map(({ dir }) => dir),
        dirspaces.map(({ workspace }) => workspace),
      ],
    );
    for (const { id } of rows) await this.endPlan(id, error, { isAskedAgain: false });
  }

  /** Both or neither: an ended run that kept its trigger would keep its commit from being planned again. */
  private endPlan(id: string, error: RunError, { isAskedAgain }: { isAskedAgain: boolean }): Promise<void> {
    return this.work.run(async () => {
      if ((await this.move(id, 'abort', error)) && isAskedAgain)
        await this.work.query(
          `UPDATE work_manifests SET trigger_key = trigger_key || ' ' || id WHERE id = $1`,
          [id],
        );
    });
  }

  /** Whether another run that has not ended may be behind the same CI run. */
  async sharesCiRun(run: WorkManifestEntity): Promise<boolean> {
    return sharesCiRun(this.work, run);
  }

  /** The branches that pull requests were applied for, each once. */
  async basesOfApplies(repositoryId: string, pullNumbers: readonly number[]): Promise<string[]> {
    const rows = await this.work.query<{ base: string }>(
      `SELECT DISTINCT base_branch AS base FROM work_manifests
        WHERE repository_id = $1 AND pull_number = ANY ($2) AND run_type = 'apply' ORDER BY base`,
      [repositoryId, pullNumbers],
    );
    return rows.map(({ base }) => base);
  }

  /** Ends the run behind a job of the provider's CI. */
  async endOfJob(repositoryId: string, ciRunId: string, end: CiJobEnd): Promise<void> {
    for (const id of await this.idsOfJob(repositoryId, ciRunId, end))
      await this.move(id, 'abort', JOB_ERRORS[end]);
  }

  async hasRunOfJob(repositoryId: string, ciRunId: string, end: CiJobEnd): Promise<boolean> {
    return (await this.idsOfJob(repositoryId, ciRunId, end)).length > 0;
  }

  /** A job that was skipped ends nothing that another one has begun. */
  private async idsOfJob(repositoryId: string, ciRunId: string, end: CiJobEnd): Promise<string[]> {
    const runs = await findRunsOfCiRun(this.work, repositoryId, ciRunId);
    return runs.filter(({ state }) => end !== 'skipped' || state === 'queued').map(({ id }) => id);
  }

  /** Ends what waits in an installation. The caller has locked the installation. */
  async endQueued(installationId: string, error: RunError): Promise<void> {
    const rows = await this.work.query<{ id: string }>(
      `SELECT id FROM work_manifests WHERE installation_id = $1 AND state = 'queued' ORDER BY id FOR UPDATE`,
      [installationId],
    );
    for (const { id } of rows) await this.move(id, 'abort', error);
  }
}
