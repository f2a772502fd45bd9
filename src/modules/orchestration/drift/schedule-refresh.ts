import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import type { BranchHead } from '../planning/default-branches.js';
import { WaitingDrift } from '../runs/waiting-drift.js';
import { DriftBranchesStore } from './drift-branches.store.js';
import { schedulesOf } from './drift-schedule.rules.js';
import { DriftSchedulesStore } from './drift-schedules.store.js';

/** Stores what a read of a default branch says of its schedules, unless a read that began later was stored before. */
@Injectable()
export class ScheduleRefresh {
  constructor(
    private readonly work: UnitOfWork,
    private readonly branches: DriftBranchesStore,
    private readonly schedules: DriftSchedulesStore,
    private readonly waitingDrift: WaitingDrift,
  ) {}

  /** `head` is undefined for an empty repository. */
  async store(
    repositoryId: string,
    head: Pick<BranchHead, 'name' | 'sha' | 'config'> | undefined,
    startedAt: Date,
  ): Promise<void> {
    await this.work.run(async () => {
      if (!(await this.branches.recordRead(repositoryId, head, startedAt))) return;
      if (head) {
        const wanted = [...schedulesOf(head.config)].filter(([, { isReconciling }]) => isReconciling);
        await this.waitingDrift.endUnwanted(
          repositoryId,
          wanted.map(([name, { tagQuery }]) => ({ name, tagQuery })),
        );
        await this.schedules.replace(repositoryId, head.config, startedAt);
      }
      await this.schedules.retry(repositoryId);
    });
  }
}
