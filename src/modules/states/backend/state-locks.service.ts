import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { StateLockEntity } from '../entities/state-lock.entity.js';
import type { ClientRun } from '../writing/client-run.js';

/** A lock as its holder described it. */
export interface HeldLock {
  lockId: string;
  info: string;
  /** the one who asked holds it */
  mine: boolean;
}

/** The locks clients may configure: one row each, written by one statement, abandoned after a maximum age. */
@Injectable()
export class StateLocks {
  constructor(
    private readonly work: UnitOfWork,
    private readonly config: Config,
  ) {}

  /** The lock that is held after the call: the caller's when the id is its own. */
  async acquire(stateId: string, lockId: string, info: string, holder: string): Promise<HeldLock> {
    const rows = await this.work.query<{ lock_id: string; info: string }>(
      `INSERT INTO state_locks AS held (state_id, lock_id, info, held_by) VALUES ($1, $2, $3, $4)
       ON CONFLICT (state_id) DO UPDATE SET lock_id = EXCLUDED.lock_id, info = EXCLUDED.info, held_by = EXCLUDED.held_by, created_at = now()
       WHERE held.lock_id = EXCLUDED.lock_id OR held.created_at < now() - make_interval(secs => $5)
       RETURNING lock_id, info`,
      [stateId, lockId, info, holder, this.config.get('SERVICE_LOCK_MAX_AGE_SECONDS')],
    );
    const taken = rows[0];
    if (taken) return { lockId: taken.lock_id, info: taken.info, mine: true };
    const other = await this.work.manager.findOneBy(StateLockEntity, { stateId });
    // Released in between: the same question again has an answer.
    return other
      ? { lockId: other.lockId, info: other.info, mine: false }
      : this.acquire(stateId, lockId, info, holder);
  }

  /** True when no lock is left: it was the caller's, or there was none. */
  async release(stateId: string, lockId: string): Promise<boolean> {
    await this.work.manager.delete(StateLockEntity, { stateId, lockId });
    return !(await this.work.manager.existsBy(StateLockEntity, { stateId }));
  }

  async breakOpen(stateId: string): Promise<void> {
    await this.work.manager.delete(StateLockEntity, { stateId });
  }

  /** Id of the lock that was taken with this credential from this address, if any. */
  async heldBy(stateId: string, holder: string): Promise<string | undefined> {
    return (await this.work.manager.findOneBy(StateLockEntity, { stateId, heldBy: holder }))?.lockId;
  }
}

/** Who holds a lock, for clients that do not name it: they cannot be told apart beyond credential and address. */
export function lockHolderOf({ credential, address }: ClientRun): string {
  return `${credential} ${address}`;
}
