import { Injectable } from '@nestjs/common';
import { ADVISORY_LOCK_CLASSES, ADVISORY_LOCKS, UnitOfWork } from '../../platform/database/index.js';
import { httpErrors } from '../../platform/errors/index.js';
import { AccessDecisions, type Place } from './access.decisions.js';
import { accessErrors } from './access.errors.js';
import { covers } from './capability.rules.js';
import type { Capability } from './grants.js';
import { FairSlots, NoSlot } from '../../platform/threads/index.js';
import type { Principal } from './principal.js';
import { Principals } from './principals.js';

/**
 * Changes of one process that hold a database connection at the same time: one that works and one that waits for its
 * lock, or for another process. More would fill the connection pool with transactions that only wait.
 */
const TURNS = { slots: 2, perGroup: 2, maxWaiting: 256, maxWaitingPerGroup: 64, maxWaitMs: 60_000 };

/**
 * Authority at the moment it is used. The guard judges a request when it arrives; a request that waits or sends a long
 * body may act after its sender has lost the right, so whatever changes something asks again inside its transaction.
 */
@Injectable()
export class Administration {
  private readonly turns = new FairSlots(TURNS);

  constructor(
    private readonly work: UnitOfWork,
    private readonly principals: Principals,
    private readonly decisions: AccessDecisions,
  ) {}

  /**
   * A unit of work that changes who may do what. Such changes take turns, and `task` gets the caller as the credential
   * stands then. 401 when the credential has ended; 403 when it no longer holds `required`; 503 when too many wait.
   */
  async change<T>(
    caller: Principal,
    task: (current: Principal) => Promise<T>,
    required?: { capability: Capability; tenantId?: string },
  ): Promise<T> {
    const change = (): Promise<T> =>
      this.work.run(async () => {
        await this.work.query('SELECT pg_advisory_xact_lock($1)', [ADVISORY_LOCKS.administration]);
        const current = await this.reload(caller);
        if (required && !this.holds(current, required)) throw httpErrors.FORBIDDEN();
        return task(current);
      });
    return this.work.isActive ? change() : this.inTurn(caller, change);
  }

  /**
   * Inside a unit of work that writes data, late in it: the caller as the credential stands now. Nobody takes rights
   * from the user between this and the commit. 401 when the credential has ended.
   */
  async confirm(caller: Principal): Promise<Principal> {
    await this.work.query('SELECT pg_advisory_xact_lock_shared($1, hashtext($2))', [
      ADVISORY_LOCK_CLASSES.rightsOfUser,
      caller.userId,
    ]);
    return this.reload(caller);
  }

  /** `confirm`, and 403 when the caller no longer holds the capability there. */
  async confirmCapability(caller: Principal, capability: Capability, place: Place): Promise<Principal> {
    const current = await this.confirm(caller);
    if (this.decisions.may(current, capability, place)) return current;
    throw capability === 'admin' && place.stateId !== undefined
      ? accessErrors.ADMIN_REQUIRED()
      : httpErrors.FORBIDDEN();
  }

  /** Inside `change`, before a user loses rights: writes of theirs that were confirmed already commit first. */
  async waitForWritesOf(userId: string): Promise<void> {
    await this.work.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [
      ADVISORY_LOCK_CLASSES.rightsOfUser,
      userId.toLowerCase(),
    ]);
  }

  /** Waits before a connection is taken; people who wait take turns. */
  private async inTurn<T>(caller: Principal, change: () => Promise<T>): Promise<T> {
    try {
      return await this.turns.run(caller.userId, change);
    } catch (error) {
      if (!(error instanceof NoSlot)) throw error;
      throw httpErrors.UNAVAILABLE('too many changes of users and rights are waiting; try again', {
        'Retry-After': '2',
      });
    }
  }

  private holds(
    current: Principal,
    { capability, tenantId }: { capability: Capability; tenantId?: string },
  ): boolean {
    return tenantId === undefined
      ? covers(current.capabilities, { capability })
      : this.decisions.may(current, capability, { tenantId });
  }

  private async reload(caller: Principal): Promise<Principal> {
    const current = await this.principals.reload(caller);
    if (!current) throw httpErrors.UNAUTHENTICATED();
    return current;
  }
}
