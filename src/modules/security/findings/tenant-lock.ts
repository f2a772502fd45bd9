import { Injectable } from '@nestjs/common';
import { ADVISORY_LOCK_CLASSES, UnitOfWork } from '../../../platform/database/index.js';

/** Scans, waivers and custom checks of one tenant take turns, to the end of the caller's transaction. */
@Injectable()
export class TenantLock {
  constructor(private readonly work: UnitOfWork) {}

  async acquire(tenantId: string): Promise<void> {
    await this.work.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [
      ADVISORY_LOCK_CLASSES.securityOfTenant,
      tenantId,
    ]);
  }
}
