import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { Clock } from '../../../platform/time/clock.js';
import type { Principal } from '../../access/index.js';
import { TransactionsService } from '../../transactions/index.js';
import type { Dirspace } from './holds.store.js';

/** Longer than any commit lasts without a report. */
const LONGEST_COMMIT = '2 days';

/** A run token is good for so long after the last heartbeat, or after the run was aborted. */
export const RUN_TOKEN_SECONDS = 900;
const CREDENTIAL = 'run:';

/** A credential of a run, as transactions remember who began them. */
export function runCredential(workManifestId: string): string {
  return `${CREDENTIAL}${workManifestId}`;
}

function runOf(credential: string): string {
  return credential.slice(CREDENTIAL.length);
}

/** Plan runs of a pull request whose plan no apply is about to commit. */
const PLANS_OF_PULL_REQUEST = `
  SELECT m.id FROM work_manifests m
   WHERE m.repository_id = $1 AND m.pull_number = $2 AND m.run_type = 'plan' AND NOT EXISTS (
     SELECT FROM work_manifest_dirspaces a JOIN work_manifests am ON am.id = a.work_manifest_id
      WHERE a.repository_id = $1 AND a.pull_number = $2 AND a.plan_from = m.id AND am.state IN ('queued', 'running'))`;

/** Ends the transactions of plans that nobody will apply any more. */
@Injectable()
export class RunTransactions {
  constructor(
    private readonly work: UnitOfWork,
    private readonly transactions: TransactionsService,
    private readonly clock: Clock,
  ) {}

  /** A runner may name any transaction: only those count that its run began, or whose plan it applies. */
  async ownOf(
    { tenantCeiling, actsFor = [] }: Principal,
    ids: readonly string[],
  ): Promise<ReadonlySet<string>> {
    const [tenantId] = tenantCeiling ?? [];
    if (tenantId === undefined) return new Set();
    return this.transactions.madeBy(ids, { tenantId, madeWith: actsFor });
  }

  async abortOfRun(workManifestId: string): Promise<void> {
    await this.transactions.abortPlans({ madeWith: [runCredential(workManifestId)] });
  }

  /**
   * What applies were about to commit that were given up after they began. Whoever calls this knows that somebody has
   * looked: their holds have ended.
   */
  async giveUpCommits(repositoryId: string, dirspaces: readonly Dirspace[]): Promise<void> {
    if (dirspaces.length === 0) return;
    const lost = await this.work.query<Dirspace & { run: string; planned: string }>(
      `SELECT DISTINCT w.dir, w.workspace, w.work_manifest_id AS run, coalesce(w.plan_from, w.work_manifest_id) AS planned
         FROM unnest($2::text[], $3::text[]) AS d (dir, workspace)
         JOIN work_manifest_dirspaces w
           ON w.repository_id = $1 AND w.dir = d.dir AND w.workspace = d.workspace AND w.run_type = 'apply'
         JOIN work_manifests m ON m.id = w.work_manifest_id
        WHERE m.state = 'aborted' AND m.started_at IS NOT NULL AND m.completed_at > $4::timestamptz - interval '${LONGEST_COMMIT}'`,
      [
        repositoryId,
        dirspaces.map(({ dir }) => dir),
        dirspaces.map(({ workspace }) => workspace),
        this.clock.now(),
      ],
    );
    await this.transactions.giveUpCommits(
      lost.map(({ planned, dir, workspace }) => ({ madeWith: runCredential(planned), dir, workspace })),
    );
    await this.transactions.closeSessions(
      lost.map(({ run, dir, workspace }) => ({ madeWith: runCredential(run), dir, workspace })),
    );
  }

  /** Once the runner has said that it has stopped. */
  async closeSessionsOfRun(workManifestId: string): Promise<void> {
    for (const id of await this.transactions.listOpenSessionsOf(runCredential(workManifestId)))
      await this.transactions.closeSession(id);
  }

  /**
   * What killed runners left: their sessions are closed once their token has expired, because nothing can write into them
   * any more. Until then Terraform, which may outlive its runner, still stores the state that it has reached.
   */
  async closeLeftSessions(): Promise<void> {
    const left: string[] = [];
    for await (const open of this.transactions.openSessions(CREDENTIAL)) {
      const live = await this.writing(open.map(({ madeWith }) => runOf(madeWith)));
      left.push(...open.filter(({ madeWith }) => !live.has(runOf(madeWith))).map(({ id }) => id));
    }
    await this.transactions.closeSessionsOneByOne(left);
  }

  /** Those of some runs whose Terraform can still store a state. */
  private async writing(runIds: readonly string[]): Promise<ReadonlySet<string>> {
    const rows = await this.work.query<{ id: string }>(
      `SELECT id FROM work_manifests WHERE id = ANY ($1::uuid[]) AND (state IN ('queued', 'running')
          OR state = 'aborted' AND completed_at > $2::timestamptz - make_interval(secs => ${RUN_TOKEN_SECONDS}))`,
      [[...new Set(runIds)], this.clock.now()],
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** All plans of a pull request that was closed. */
  async abortOfPullRequest(repositoryId: string, pullNumber: number): Promise<void> {
    const rows = await this.work.query<{ id: string }>(PLANS_OF_PULL_REQUEST, [repositoryId, pullNumber]);
    await this.transactions.abortPlans({ madeWith: rows.map(({ id }) => runCredential(id)) });
  }

  /** Plans of a pull request that count for nothing any more, but those that an apply is about to commit. */
  async abortRetired(repositoryId: string, pullNumber: number): Promise<void> {
    const rows = await this.work.query<{ id: string; run: string }>(
      `SELECT d.transaction_id AS id, d.work_manifest_id AS run FROM work_manifest_dirspaces d
        WHERE d.repository_id = $1 AND d.pull_number = $2 AND d.run_type = 'plan' AND d.retired_at IS NOT NULL
          AND d.transaction_id IS NOT NULL AND NOT EXISTS (
            SELECT FROM work_manifest_dirspaces a JOIN work_manifests am ON am.id = a.work_manifest_id
             WHERE a.repository_id = $1 AND a.pull_number = $2 AND a.plan_from = d.work_manifest_id AND a.dir = d.dir
               AND a.workspace = d.workspace AND am.state IN ('queued', 'running'))`,
      [repositoryId, pullNumber],
    );
    await this.transactions.abortPlans({
      only: rows.map(({ id, run }) => ({ id, madeWith: runCredential(run) })),
    });
  }

  /** Plans that `created` takes the place of: those of other commits, and older ones of the same dirspaces. */
  async abortReplaced(
    { repositoryId, pullNumber, sha }: { repositoryId: string; pullNumber: number; sha: string },
    created: readonly string[],
  ): Promise<void> {
    const outdated = await this.work.query<{ id: string }>(
      `${PLANS_OF_PULL_REQUEST} AND m.branch_ref <> $3`,
      [repositoryId, pullNumber, sha],
    );
    const replaced = await this.work.query<{ id: string; run: string }>(
      `SELECT DISTINCT d.transaction_id AS id, d.work_manifest_id AS run FROM work_manifest_dirspaces d
        WHERE d.repository_id = $1 AND d.pull_number = $2 AND d.run_type = 'plan' AND d.transaction_id IS NOT NULL
          AND NOT d.work_manifest_id = ANY ($3::uuid[])
          AND d.work_manifest_id IN (${PLANS_OF_PULL_REQUEST})
          AND EXISTS (SELECT FROM work_manifest_dirspaces n
                WHERE n.work_manifest_id = ANY ($3::uuid[]) AND n.dir = d.dir AND n.workspace = d.workspace)`,
      [repositoryId, pullNumber, created],
    );
    await this.transactions.abortPlans({
      madeWith: outdated.map(({ id }) => runCredential(id)),
      only: replaced.map(({ id, run }) => ({ id, madeWith: runCredential(run) })),
    });
  }
}
