import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import type { Dirspace } from '../../repo-config/index.js';
import { type HeldPlace, Holds } from '../runs/holds.store.js';
import { RunProgress } from '../runs/run-progress.queries.js';
import { CommandRefused } from './command-context.js';
import { type CommentTimes, isSince } from './written-comment.rules.js';

interface Unlocked {
  /** directories */
  count: number;
  /** an apply was given up there: what was planned before it is planned anew */
  mustPlan: boolean;
}

@Injectable()
export class UnlockCommand {
  constructor(
    private readonly work: UnitOfWork,
    private readonly holds: Holds,
    private readonly progress: RunProgress,
  ) {}

  /** A hold stays while its apply runs. Answers what was let go. */
  async unlock(repositoryId: string, numbers: readonly number[], by?: CommentTimes): Promise<Unlocked> {
    const unlocked: Unlocked = { count: 0, mustPlan: false };
    for (const pullNumber of numbers) {
      const one = await this.unlockOne({ repositoryId, pullNumber }, by);
      unlocked.count += one.count;
      unlocked.mustPlan ||= one.mustPlan;
    }
    return unlocked;
  }

  /** What runs left there that reconciled drift and were given up. */
  unlockReconciles(repositoryId: string, dirspaces: readonly Dirspace[]): Promise<number> {
    return this.holds.releaseReconciles(repositoryId, dirspaces);
  }

  private unlockOne(held: HeldPlace, by: CommentTimes | undefined): Promise<Unlocked> {
    return this.work.run(async () => {
      await this.holds.lockHolder(held);
      if (await this.progress.hasApplyUnderWay(held.repositoryId, held.pullNumber))
        throw new CommandRefused(`Not unlocked: an apply of #${held.pullNumber} is under way.`);
      const givenUp = await this.holds.givenUp(held);
      // Whoever unlocks says to have looked at what the apply did.
      if (by && givenUp.some(({ completedAt }) => !isSince(by, completedAt)))
        throw new CommandRefused(
          `Not unlocked: an apply of #${held.pullNumber} was given up after this comment was written. Look at what it did, then comment \`infrastate unlock\` again.`,
        );
      await this.holds.endUnknown(held);
      return { count: await this.holds.release(held), mustPlan: givenUp.length > 0 };
    });
  }
}
