import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { type HeldPlace, Holds } from '../runs/holds.store.js';
import { RunProgress } from '../runs/run-progress.queries.js';
import { CommandRefused } from './command-context.js';

@Injectable()
export class UnlockCommand {
  constructor(
    private readonly work: UnitOfWork,
    private readonly holds: Holds,
    private readonly progress: RunProgress,
  ) {}

  /** A hold stays while its apply runs. Answers how many directories were let go. */
  async unlock(repositoryId: string, numbers: readonly number[]): Promise<number> {
    let released = 0;
    for (const pullNumber of numbers) released += await this.unlockOne({ repositoryId, pullNumber });
    return released;
  }

  private unlockOne(held: HeldPlace): Promise<number> {
    return this.work.run(async () => {
      await this.holds.lockHolder(held);
      if (await this.progress.hasApplyUnderWay(held.repositoryId, held.pullNumber))
        throw new CommandRefused(`Not unlocked: an apply of #${held.pullNumber} is under way.`);
      await this.holds.endUnknown(held);
      return this.holds.release(held);
    });
  }
}
