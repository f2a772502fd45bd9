import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { Clock } from '../../../platform/time/clock.js';
import type { HeldPlace } from './holds.store.js';
import { RunTransactions } from './run-transactions.js';

/**
 * Plans and applies that count for nothing any more, though their commit is the head again: nobody applies the plans, and
 * what was applied is planned anew. Call it with the pull request locked, before its runs.
 */
@Injectable()
export class PlanRetirement {
  constructor(
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly transactions: RunTransactions,
  ) {}

  /** Another commit is the head, or it is to be merged into another branch. */
  retireOthers(of: HeldPlace, { sha, baseBranch }: { sha: string; baseBranch: string }): Promise<void> {
    const isOfOtherBase = `EXISTS (SELECT FROM work_manifests b WHERE b.id = d.work_manifest_id AND b.base_branch <> $4)`;
    return this.retire(of, `(d.sha <> $3 OR ${isOfOtherBase})`, [sha, baseBranch]);
  }

  /** The pull request is closed. Its applies still show. */
  retirePlans(of: HeldPlace): Promise<void> {
    return this.retire(of, 'd.run_type = $3', ['plan']);
  }

  /** The pull request is open again since `at`: nothing that it applied before is held. A plan that is under way counts. */
  retireEarlier(of: HeldPlace, at: Date): Promise<void> {
    const isOver = `(d.run_type = 'apply' OR d.state NOT IN ('queued', 'running'))`;
    return this.retire(of, `d.created_at < $3 AND ${isOver}`, [at]);
  }

  /** What asked for a retired plan may ask for it again. Runs are locked before their dirspaces, as by who ends them. */
  private async retire(
    { repositoryId, pullNumber }: HeldPlace,
    condition: string,
    values: readonly (string | Date)[],
  ): Promise<void> {
    const rows = `d.repository_id = $1 AND d.pull_number = $2 AND d.retired_at IS NULL AND ${condition}`;
    await this.work.run(async () => {
      const runs = `SELECT d.work_manifest_id FROM work_manifest_dirspaces d WHERE ${rows}`;
      await this.work.query(`SELECT FROM work_manifests m WHERE m.id IN (${runs}) ORDER BY m.id FOR UPDATE`, [
        repositoryId,
        pullNumber,
        ...values,
      ]);
      await this.work.query(
        `UPDATE work_manifests SET trigger_key = trigger_key || ' ' || id
          WHERE run_type = 'plan' AND state IN ('completed', 'aborted') AND id IN (${runs})`,
        [repositoryId, pullNumber, ...values],
      );
      const retired = await this.work.query(
        `UPDATE work_manifest_dirspaces d SET retired_at = $${values.length + 3} WHERE ${rows} RETURNING 1`,
        [repositoryId, pullNumber, ...values, this.clock.now()],
      );
      if (retired.length > 0) await this.transactions.abortRetired(repositoryId, pullNumber);
    });
  }
}
