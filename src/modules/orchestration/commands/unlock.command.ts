import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { type Dirspace, type HeldPlace, Holds } from '../runs/holds.store.js';
import { RunProgress } from '../runs/run-progress.queries.js';
import { RunTransactions } from '../runs/run-transactions.js';
import { WaitingDrift } from '../runs/waiting-drift.js';
import { CommandRefused } from './command-context.js';
import { type CommentTimes, isSince } from './written-comment.rules.js';

/** What is to be unlocked. */
export interface Unlocking {
  /** pull requests that let go */
  numbers: readonly number[];
  /** where runs that reconciled drift and were given up let go, too */
  reconciled: readonly Dirspace[];
  /** where the pull requests let go; undefined: everywhere */
  only?: readonly Dirspace[];
}
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
    private readonly waitingDrift: WaitingDrift,
    private readonly transactions: RunTransactions,
  ) {}

  /**
   * All of it or nothing. A hold stays while its apply runs. Answers what was let go.
   *
   * @param finish is called in the same transaction once the holds are released
   */
  unlock(
    repositoryId: string,
    { numbers, reconciled, only }: Unlocking,
    by?: CommentTimes,
    finish?: () => Promise<void>,
  ): Promise<Unlocked> {
    return this.work.run(async () => {
      const unlocked: Unlocked = { count: 0, mustPlan: false };
      // In one order, before anything else is locked: who names the same ones in another order waits.
      const ordered = [...new Set(numbers)].toSorted((one, other) => one - other);
      for (const pullNumber of ordered) await this.holds.lockPullRequest({ repositoryId, pullNumber });
      for (const pullNumber of ordered)
        if (await this.requireUnlockable({ repositoryId, pullNumber }, { only, by }))
          unlocked.mustPlan = true;
      // Runs before schedules, of all pull requests together: whoever sweeps drift locks them in this order, too.
      await this.waitingDrift.endHeld(repositoryId, ordered);
      for (const pullNumber of ordered) {
        const held = { repositoryId, pullNumber };
        await this.holds.endUnknown(held, only);
        unlocked.count += await this.holds.release(held, only);
      }
      unlocked.count += await this.unlockReconciles(repositoryId, reconciled, by);
      await finish?.();
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
    await this.transactions.giveUpCommits(repositoryId, released);
    return released.length;
  }

  /** Refuses what may not be unlocked now. Answers whether an apply was given up there. */
  private async requireUnlockable(
    held: HeldPlace,
    { only, by }: { only: readonly Dirspace[] | undefined; by: CommentTimes | undefined },
  ): Promise<boolean> {
    if (await this.progress.hasApplyUnderWay(held.repositoryId, held.pullNumber))
      throw new CommandRefused(`Not unlocked: an apply of #${held.pullNumber} is under way.`);
    const givenUp = (await this.holds.givenUp(held)).filter(
      ({ dir, workspace }) =>
        only === undefined || only.some((each) => each.dir === dir && each.workspace === workspace),
    );
    // Whoever unlocks says to have looked at what the apply did.
    if (by && givenUp.some(({ completedAt }) => !isSince(by, completedAt)))
      throw new CommandRefused(
        `Not unlocked: an apply of #${held.pullNumber} was given up after this comment was written. Look at what it did, then comment \`infrastate unlock\` again.`,
      );
    return givenUp.length > 0;
  }
}
