import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { Clock } from '../../../platform/time/clock.js';
import { TransactionsService } from '../../transactions/index.js';
import type { Dirspace } from './holds.store.js';

/** Longer than any commit lasts without a report. */
const LONGEST_COMMIT = '2 days';

/** A credential of a run, as transactions remember who began them. */
export function runCredential(workManifestId: string): string {
  return `run:${workManifestId}`;
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

  async abortOfRun(workManifestId: string): Promise<void> {
    await this.transactions.abortPlans({ madeWith: [runCredential(workManifestId)] });
  }

  /**
   * What applies were about to commit that were given up after they began. Whoever calls this knows that somebody has
   * looked: their holds have ended.
   */
  async giveUpCommits(repositoryId: string, dirspaces: readonly Dirspace[]): Promise<void> {
    if (dirspaces.length === 0) return;
    const lost = await this.work.query<Dirspace & { run: string }>(
      `SELECT DISTINCT w.dir, w.workspace, coalesce(w.plan_from, w.work_manifest_id) AS run
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
      lost.map(({ run, dir, workspace }) => ({ madeWith: runCredential(run), dir, workspace })),
    );
  }

  /** All plans of a pull request that was closed. */
  async abortOfPullRequest(repositoryId: string, pullNumber: number): Promise<void> {
    const rows = await this.work.query<{ id: string }>(PLANS_OF_PULL_REQUEST, [repositoryId, pullNumber]);
    await this.transactions.abortPlans({ madeWith: rows.map(({ id }) => runCredential(id)) });
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
