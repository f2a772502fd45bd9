import { Injectable } from '@nestjs/common';
import { ADVISORY_LOCK_CLASSES, UnitOfWork } from '../../../platform/database/index.js';
import { httpErrors } from '../../../platform/errors/index.js';
import { AccessDecisions, Administration, type Principal } from '../../access/index.js';
import { type TaskStartedView, Tasks } from '../../tasks/index.js';
import { SCAN_TASK } from './scan-state.job.js';

/** Starts whole scans that somebody asks for. */
@Injectable()
export class ScanRequests {
  constructor(
    private readonly work: UnitOfWork,
    private readonly tasks: Tasks,
    private readonly access: AccessDecisions,
    private readonly administration: Administration,
  ) {}

  /** While a whole scan of the state waits or runs, it is answered again. */
  async start(caller: Principal, of: { stateId: string; tenantId: string }): Promise<TaskStartedView> {
    return this.work.run(async () => {
      await this.work.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [
        ADVISORY_LOCK_CLASSES.securityScanOfState,
        of.stateId,
      ]);
      const current = await this.administration.confirm(caller);
      if (!this.access.isMember(current, of.tenantId)) throw httpErrors.FORBIDDEN();
      const payload = { state_id: of.stateId.toLowerCase() };
      const known = await this.tasks.findUnfinished(SCAN_TASK, payload);
      if (known) return known;
      const id = await this.tasks.start({
        kind: SCAN_TASK,
        tenantId: of.tenantId,
        createdBy: caller.userId,
        payload,
      });
      return { id, state: 'pending' as const };
    });
  }
}
