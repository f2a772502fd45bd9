import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/index.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { Clock } from '../../../platform/time/clock.js';
import { AppError } from '../../../platform/errors/index.js';
import { TransactionQueries } from '../../transactions/index.js';
import { CodeHosts, type HostPlace, type WrittenComment } from '../../vcs/index.js';
import type { DirspaceHoldEntity } from '../entities/dirspace-lock.entities.js';
import { WorkManifestDirspaceEntity } from '../entities/work-manifest-dirspace.entity.js';
import {
  WorkManifestOutputEntity,
  WorkManifestPayloadEntity,
} from '../entities/work-manifest-output.entity.js';
import { WorkManifestEntity } from '../entities/work-manifest.entity.js';
import { OpenGates } from '../planning/open-gates.js';
import { Holds } from '../runs/holds.store.js';
import { runCredential } from '../runs/run-transactions.js';
import { Runs } from '../runs/runs.store.js';
import type { StepText } from './comment-text.rules.js';
import { readShownSteps } from './step-texts.queries.js';
import { type ConflictText, outdatedComment, runComment, type UnfinishedText } from './run-comment.rules.js';

/** Clocks of the provider and of this service differ. */
const CLOCK_SKEW_MS = 300_000;

/** Longer than a request to the provider takes. */
const MAX_WRITING_MS = 60_000;

/** Fails for a worker whose view of the comment ($4, $5) is outdated: another one has begun to write it since. */
const CLAIM_COMMENT = `
  UPDATE work_manifests SET comment_begun_at = $2, comment_writing_until = $3
   WHERE id = $1 AND comment_id IS NULL AND comment_begun_at IS NOT DISTINCT FROM $4
     AND comment_writing_until IS NOT DISTINCT FROM $5 RETURNING id`;

/** The job is tried again later, and finds the comment then. */
export class CommentUnderWay extends Error {}

/** Plans of a pull request that have a comment still and that run $3 or newer ones take the place of. */
const OUTDATED_PLANS = `
  SELECT m.id, m.comment_id AS "commentId"
    FROM work_manifests m JOIN work_manifests n ON n.id = $3
   WHERE m.repository_id = $1 AND m.pull_number = $2 AND m.run_type = 'plan' AND m.comment_id IS NOT NULL
     AND m.comment_outdated_at IS NULL AND m.created_at < n.created_at
     AND (m.branch_ref <> n.branch_ref OR NOT EXISTS (
       SELECT FROM work_manifest_dirspaces d
        WHERE d.work_manifest_id = m.id AND NOT EXISTS (
          SELECT FROM work_manifest_dirspaces p
           WHERE p.repository_id = d.repository_id AND p.pull_number = d.pull_number AND p.dir = d.dir
             AND p.workspace = d.workspace AND p.sha = d.sha AND p.run_type = 'plan'
             AND p.state IN ('success', 'failure') AND p.created_at > d.created_at)))
   ORDER BY m.created_at DESC LIMIT 10`;

/** The comment of a run that ended. */
@Injectable()
export class RunComments {
  constructor(
    private readonly work: UnitOfWork,
    private readonly hosts: CodeHosts,
    private readonly runs: Runs,
    private readonly gates: OpenGates,
    private readonly holds: Holds,
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly transactions: TransactionQueries,
  ) {}

  /** Posts it unless it stands, and shortens an older one of the same kind. */
  async post(
    place: HostPlace & { tenantId: string },
    run: WorkManifestEntity,
    said: { waiting: readonly string[]; extras: readonly string[] },
  ): Promise<void> {
    const { pullNumber } = run;
    if (pullNumber === null || run.commentId !== null) return;
    const host = this.hosts.of(place.installation.provider);
    const text = await this.textOf(place, run, { ...said, limit: host.maxCommentLength });
    const { id, createdAt } = (await this.findWritten(place, run)) ?? (await this.write(place, run, text));
    await this.work.manager.update(
      WorkManifestEntity,
      { id: run.id },
      { commentId: id, commentAt: createdAt ?? null },
    );
    if (run.runType === 'plan') await this.shortenOlder(place, run, pullNumber);
  }

  /** What an earlier attempt has written before its process ended or its answer was lost. */
  private async findWritten(place: HostPlace, run: WorkManifestEntity): Promise<WrittenComment | undefined> {
    if (run.commentBegunAt === null || run.pullNumber === null) return undefined;
    const since = new Date(run.commentBegunAt.getTime() - CLOCK_SKEW_MS);
    const mark = `](${this.runPage(place, run.id)})`;
    return this.hosts.of(place.installation.provider).findCommentWith(place, run.pullNumber, { mark, since });
  }

  private async write(place: HostPlace, run: WorkManifestEntity, text: string): Promise<WrittenComment> {
    const writingUntil = await this.claim(run);
    try {
      return await this.hosts.of(place.installation.provider).createComment(place, run.pullNumber ?? 0, text);
    } catch (error) {
      const own = { id: run.id, commentWritingUntil: writingUntil };
      await this.work.manager.update(WorkManifestEntity, own, { commentWritingUntil: null });
      throw error;
    }
  }

  /** One worker at a time writes the comment. A killed one keeps its claim until the claim expires. */
  private async claim({ id, commentBegunAt, commentWritingUntil }: WorkManifestEntity): Promise<Date> {
    const now = this.clock.now();
    const writingUntil = new Date(now.getTime() + MAX_WRITING_MS);
    const isClaimed = commentWritingUntil !== null && commentWritingUntil > now;
    const parameters = [id, now, writingUntil, commentBegunAt, commentWritingUntil];
    if (isClaimed || (await this.work.query(CLAIM_COMMENT, parameters)).length === 0)
      throw new CommentUnderWay('another worker writes the comment');
    return writingUntil;
  }

  private async textOf(
    { tenantId, ...place }: HostPlace & { tenantId: string },
    run: WorkManifestEntity,
    { waiting, extras, limit }: { waiting: readonly string[]; extras: readonly string[]; limit: number },
  ): Promise<string> {
    const dirspaces = await this.runs.dirspaces(run.id);
    const { repositoryId, pullNumber, branchRef: sha } = run;
    return runComment(
      {
        id: run.id,
        runType: run.runType,
        state: run.state,
        hooksFailed: run.hooksFailed,
        error: run.errorId === null ? undefined : { id: run.errorId, data: run.errorData ?? '' },
        dirspaces,
        steps: await readShownSteps(this.work, run.id, limit),
        gates: pullNumber === null ? [] : await this.gates.list(place, { repositoryId, pullNumber, sha }),
        waiting,
        holds: run.runType === 'plan' ? await this.holdsOfOthers(run, dirspaces) : [],
        runPage: this.runPage(place, run.id),
        ciRun: run.runUrl ?? undefined,
        conflicts: await this.conflictsOf(tenantId, dirspaces),
        unfinished: await this.unfinishedOf(run, dirspaces),
        extras,
      },
      limit,
    );
  }

  private async holdsOfOthers(
    { repositoryId, pullNumber }: WorkManifestEntity,
    dirspaces: readonly WorkManifestDirspaceEntity[],
  ): Promise<DirspaceHoldEntity[]> {
    const holds = await this.holds.of(repositoryId, dirspaces);
    return holds.filter((hold) => hold.pullNumber !== pullNumber);
  }

  /** Who was first, where an apply was refused. */
  private async conflictsOf(
    tenantId: string,
    dirspaces: readonly WorkManifestDirspaceEntity[],
  ): Promise<ConflictText[]> {
    const found: ConflictText[] = [];
    for (const { dir, workspace, conflictsWith } of dirspaces)
      for (const id of conflictsWith ?? []) {
        const tx = await this.transactions.one(id).catch((error: unknown) => {
          if (error instanceof AppError) return undefined;
          throw error;
        });
        // The ids are the runner's word.
        if (tx?.tenant_id === tenantId)
          found.push({ dir, workspace, id, by: tx.created_by_name, tags: tx.tags });
      }
    return found;
  }

  /** What an apply was writing into when it was aborted. */
  private async unfinishedOf(
    { id, state, runType }: WorkManifestEntity,
    dirspaces: readonly WorkManifestDirspaceEntity[],
  ): Promise<UnfinishedText[]> {
    if (state !== 'aborted' || runType !== 'apply') return [];
    const credentials = new Set(
      [id, ...dirspaces.flatMap(({ planFrom }) => planFrom ?? [])].map(runCredential),
    );
    const found = await this.transactions.listUnfinished([...credentials]);
    return found.flatMap(({ id: txId, kind, tags }) =>
      dirspaces
        .filter(({ dir, workspace }) => tags['dir'] === dir && tags['workspace'] === workspace)
        .map(({ dir, workspace }) => ({ dir, workspace, id: txId, kind })),
    );
  }

  async stepsOf(workManifestId: string): Promise<StepText[]> {
    const order = { idx: 'ASC' } as const;
    const steps = await this.work.manager.find(WorkManifestOutputEntity, {
      where: { workManifestId },
      order,
    });
    const payloads = await this.work.manager.findBy(WorkManifestPayloadEntity, { workManifestId });
    const byIdx = new Map(payloads.map(({ idx, payload }) => [idx, payload]));
    return steps.map((step) => ({ ...step, payload: byIdx.get(step.idx) ?? null }));
  }

  /**
   * Older plans of another commit, and those of this commit whose directories have all been planned again: nobody can apply
   * them any more. Each is shortened once.
   */
  private async shortenOlder(place: HostPlace, run: WorkManifestEntity, pullNumber: number): Promise<void> {
    const older = await this.work.query<{ id: string; commentId: string }>(OUTDATED_PLANS, [
      run.repositoryId,
      pullNumber,
      run.id,
    ]);
    const host = this.hosts.of(place.installation.provider);
    for (const { id, commentId } of older) {
      const text = outdatedComment(run.runType, this.runPage(place, id));
      await host.updateComment(place, { number: pullNumber, id: commentId }, text);
      await this.work.manager.update(WorkManifestEntity, { id }, { commentOutdatedAt: this.clock.now() });
    }
  }

  /** Address of a run's page in the console. */
  runPage({ installation }: HostPlace, id: string): string {
    const path = `/installations/${installation.provider}/${encodeURIComponent(installation.installationId)}/runs/${id}`;
    return new URL(path, this.config.get('SERVICE_UI_BASE')).toString();
  }
}
