import { Injectable } from '@nestjs/common';
import { Holds } from '../runs/holds.store.js';
import { RunProgress } from '../runs/run-progress.queries.js';
import { CommandRefused } from './command-context.js';

@Injectable()
export class UnlockCommand {
  constructor(
    private readonly holds: Holds,
    private readonly progress: RunProgress,
  ) {}

  /** A hold stays while its apply runs. Answers how many directories were let go. */
  async unlock(repositoryId: string, numbers: readonly number[]): Promise<number> {
    let released = 0;
    for (const pullNumber of numbers) {
      if (await this.progress.hasApplyUnderWay(repositoryId, pullNumber))
        throw new CommandRefused(`Not unlocked: an apply of #${pullNumber} is under way.`);
      released += await this.holds.release({ repositoryId, pullNumber });
    }
    return released;
  }
}
