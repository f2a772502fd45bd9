import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { Administration, type Principal } from '../../access/index.js';
import { Audit } from '../../audit/index.js';
import type { LockView } from '../dto/lock.dto.js';
import type { StateEntity } from '../entities/state.entity.js';
import { lockInfoOf } from './lock-info.rules.js';

/** Shows the lock of a state to people, and breaks it for an administrator. */
@Injectable()
export class StateLockService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly config: Config,
    private readonly administration: Administration,
    private readonly audit: Audit,
  ) {}

  async show(stateId: string): Promise<LockView> {
    const [lock] = await this.work.query<{
      lock_id: string;
      info: string;
      created_at: Date;
      abandoned: boolean;
    }>(
      `SELECT lock_id, info, created_at, created_at < now() - make_interval(secs => $2) AS abandoned
       FROM state_locks WHERE state_id = $1`,
      [stateId, this.config.get('SERVICE_LOCK_MAX_AGE_SECONDS')],
    );
    if (!lock) return { locked: false };
    return {
      locked: true,
      id: lock.lock_id,
      ...lockInfoOf(lock.info),
      created_at: lock.created_at.toISOString(),
      abandoned: lock.abandoned,
    };
  }

  /** Whether there was a lock to break. Its holder stands in the audit log. */
  async breakLock(caller: Principal, state: StateEntity, reason: string | undefined): Promise<boolean> {
    return this.work.run(async () => {
      const [broken] = await this.work.query<{ lock_id: string; info: string }>(
        `WITH broken AS (DELETE FROM state_locks WHERE state_id = $1 RETURNING lock_id, info) SELECT * FROM broken`,
        [state.id],
      );
      const place = { tenantId: state.tenantId, stateId: state.id };
      await this.administration.confirmCapability(caller, 'admin', place);
      if (!broken) return false;
      const { who, operation } = lockInfoOf(broken.info);
      await this.audit.record({
        actor: caller,
        action: 'state.force-unlock',
        objectType: 'state',
        objectId: state.id,
        tenantId: state.tenantId,
        data: {
          lock_id: broken.lock_id,
          ...(who === undefined ? {} : { holder: who }),
          ...(operation === undefined ? {} : { operation }),
          ...(reason === undefined ? {} : { reason }),
        },
      });
      return true;
    });
  }
}
