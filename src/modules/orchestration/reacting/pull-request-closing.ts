import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { Holds } from '../runs/holds.store.js';
import { PlanFiles } from '../runs/plan-files.store.js';
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
    private readonly planFiles: PlanFiles,
  ) {}

  /**
   * Plans end; applies go on and are reported, and hold what they apply to their end. Good to be called again.
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
    await this.holds.releaseClosed(of);
    if (keepsPlans) return;
    await this.work.run(async () => {
      await this.holds.lockPullRequest(of);
      await this.retirement.retirePlans(of);
      await this.planFiles.removeUnneeded(repositoryId, pullNumber);
    });
    await this.transactions.abortOfPullRequest(repositoryId, pullNumber);
  }
}
