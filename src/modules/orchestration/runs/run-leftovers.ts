import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import type { WorkManifestEntity } from '../entities/work-manifest.entity.js';
import { Holds } from './holds.store.js';
import { PlanFiles } from './plan-files.store.js';
import { RunTransactions } from './run-transactions.js';
import { WaitingDrift } from './waiting-drift.js';

/** What nobody needs any more once a run has ended. */
@Injectable()
export class RunLeftovers {
  constructor(
    private readonly work: UnitOfWork,
    private readonly planFiles: PlanFiles,
    private readonly transactions: RunTransactions,
    private readonly holds: Holds,
    private readonly waitingDrift: WaitingDrift,
  ) {}

  /** Nobody applies the plan of a run that was given up; an apply has used the plan files it named. */
  async remove(run: WorkManifestEntity): Promise<void> {
    await this.planFiles.removeUnpublished(run.id);
    if (run.state === 'aborted') await this.transactions.abortOfRun(run.id);
    await this.removePlans(run);
    if (run.runType === 'apply') await this.releaseHolds(run);
  }

  private async removePlans({ id, repositoryId, pullNumber }: WorkManifestEntity): Promise<void> {
    if (pullNumber === null) return this.planFiles.removeOf(id);
    await this.work.run(async () => {
      await this.holds.lockPullRequest({ repositoryId, pullNumber });
      await this.planFiles.removeUnneeded(repositoryId, pullNumber);
      // What the apply kept from being aborted when its pull request was closed.
      await this.transactions.abortRetired(repositoryId, pullNumber);
    });
  }

  private async releaseHolds(run: WorkManifestEntity): Promise<void> {
    const { id, repositoryId, pullNumber, startedAt } = run;
    if (pullNumber === null) return;
    await this.waitingDrift.endHeld(repositoryId, [pullNumber]);
    if (startedAt === null) await this.holds.releaseUnbegun({ repositoryId, pullNumber }, id);
    else await this.holds.releaseEnded(id);
  }
}
