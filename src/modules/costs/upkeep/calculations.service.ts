import { Injectable } from '@nestjs/common';
import { ADVISORY_LOCK_CLASSES, UnitOfWork } from '../../../platform/database/index.js';
import type { Principal } from '../../access/index.js';
import { type TaskStartedView, Tasks } from '../../tasks/index.js';

export const CALCULATE_TASK = 'costs-calculate';

/** Starts calculations that somebody asks for. */
@Injectable()
export class Calculations {
  constructor(
    private readonly work: UnitOfWork,
    private readonly tasks: Tasks,
  ) {}

  /** While one of the state waits or runs, its task is answered again. */
  async start(caller: Principal, of: { stateId: string; tenantId: string }): Promise<TaskStartedView> {
    return this.work.run(async () => {
      await this.work.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [
        ADVISORY_LOCK_CLASSES.costCalculationOfState,
        of.stateId,
      ]);
      const payload = { state_id: of.stateId };
      const known = await this.tasks.findUnfinished(CALCULATE_TASK, payload);
      if (known) return known;
      const id = await this.tasks.start({
        kind: CALCULATE_TASK,
        tenantId: of.tenantId,
        createdBy: caller.userId,
        payload,
      });
      return { id, state: 'pending' as const };
    });
  }
}
