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

  /**
   * All of it or nothing. A hold stays while its apply runs. Answers what was let go.
   *
   * @param reconciled where runs that reconciled drift and were given up let go, too
   */
  unlock(
    repositoryId: string,
    { numbers, reconciled }: { numbers: readonly number[]; reconciled: readonly Dirspace[] },
    by?: CommentTimes,
  ): Promise<Unlocked> {
    return this.work.run(async () => {
      const unlocked: Unlocked = { count: 0, mustPlan: false };
      for (const pullNumber of numbers) {
        const one = await this.unlockOne({ repositoryId, pullNumber }, by);
        unlocked.count += one.count;
        unlocked.mustPlan ||= one.mustPlan;
      }
      unlocked.count += await this.unlockReconciles(repositoryId, reconciled, by);
      return unlocked;
    });
  }

  private async unlockReconciles(
    repositoryId: string,
    dirspaces: readonly Dirspace[],
    by: CommentTimes | undefined,
  ): Promise<number> {
    const released = await this.holds.releaseReconciles(repositoryId, dirspaces);
    if (by && released.some(({ completedAt }) => completedAt !== null && !isSince(by, completedAt)))
      throw new CommandRefused(
        'Not unlocked: a run that reconciled drift was given up after this comment was written. Look at what it did, then comment `infrastate unlock` again.',
      );
    return released.length;
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
