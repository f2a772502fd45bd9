import { Injectable } from '@nestjs/common';
import { ADVISORY_LOCK_CLASSES, UnitOfWork } from '../../../platform/database/index.js';
import { Tasks } from '../../tasks/index.js';

/** Scans the states of a tenant that are due. */
export const CATCH_UP_TASK = 'security-catch-up';

/** Starts tasks that scan what nobody scanned yet. */
@Injectable()
export class CatchUpTasks {
  constructor(
    private readonly work: UnitOfWork,
    private readonly tasks: Tasks,
  ) {}

  /** One task of a tenant at a time: it goes on until nothing is due any more. */
  async start(tenantId: string, createdBy?: string): Promise<void> {
    const payload = { tenant_id: tenantId.toLowerCase() };
    await this.work.run(async () => {
      await this.work.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [
        ADVISORY_LOCK_CLASSES.securityScanOfState,
        payload.tenant_id,
      ]);
      if (await this.tasks.findUnfinished(CATCH_UP_TASK, payload)) return;
      await this.tasks.start({ kind: CATCH_UP_TASK, tenantId: payload.tenant_id, createdBy, payload });
    });
  }
}
