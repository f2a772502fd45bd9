import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';

/** Space of advisory locks with two numbers; the second one is the tenant's hash. */
const LOCK_SPACE = 731_084;

/** Scans, waivers and custom checks of one tenant take turns, to the end of the caller's transaction. */
@Injectable()
export class TenantLock {
  constructor(private readonly work: UnitOfWork) {}

  async acquire(tenantId: string): Promise<void> {
    await this.work.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [LOCK_SPACE, tenantId]);
  }
}
