import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { Holds } from '../runs/holds.store.js';
import { PlanRetirement } from '../runs/plan-retirement.js';
import { RunTransactions } from '../runs/run-transactions.js';
import { Runs } from '../runs/runs.store.js';
import { WaitingDrift } from '../runs/waiting-drift.js';
import { runError } from '../runs/work-manifest.machine.js';

/** What ends with a pull request, merged or not. */
@Injectable()
export class PullRequestClosing {
  constructor(
    private readonly work: UnitOfWork,
    private readonly runs: Runs,
    private readonly holds: Holds,
    private readonly transactions: RunTransactions,
    private readonly waitingDrift: WaitingDrift,
    private readonly retirement: PlanRetirement,
  ) {}

  /**
   * Plans end, applies go on and are reported; nothing is held any more. Good to be called again.
   * @param keepsPlans what was planned is applied after the merge
   */
  async close(
    repositoryId: string,
    pullNumber: number,
    { keepsPlans }: { keepsPlans: boolean },
  ): Promise<void> {
    const of = { repositoryId, pullNumber };
    await this.runs.endPlans(of, runError('CANCELLED'), { isAskedAgain: true });
    await this.waitingDrift.endHeld(repositoryId, [pullNumber]);
    await this.holds.release(of);
    if (keepsPlans) return;
    await this.work.run(async () => {
      await this.holds.lockPullRequest(of);
      await this.retirement.retirePlans(of);
    });
    await this.transactions.abortOfPullRequest(repositoryId, pullNumber);
    for (const table of ['plan_file_parts', 'plan_files'])
      await this.work.query(
        `DELETE FROM ${table} WHERE work_manifest_id IN (
         SELECT id FROM work_manifests WHERE repository_id = $1 AND pull_number = $2 AND run_type = 'plan')
          AND NOT EXISTS (SELECT FROM work_manifests a WHERE a.repository_id = $1 AND a.pull_number = $2
            AND a.run_type = 'apply' AND a.state IN ('queued', 'running'))`,
        [repositoryId, pullNumber],
      );
  }
}
