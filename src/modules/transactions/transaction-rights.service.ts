import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../platform/database/index.js';
import { httpErrors } from '../../platform/errors/index.js';
import { AccessDecisions, type Capability, type Principal } from '../access/index.js';

/** What is asked about: a transaction, where it belongs, who began it. */
export interface RightsSubject {
  id: string;
  tenantId: string;
  createdBy: string | null;
}

/**
 * What the guard leaves open: a grant may name single states, and a transaction touches several. Asks the database only
 * for callers whose grants do not reach the whole tenant.
 */
@Injectable()
export class TransactionRights {
  constructor(
    private readonly work: UnitOfWork,
    private readonly access: AccessDecisions,
  ) {}

  /** Nothing else has to be asked about the transactions of the tenant. */
  reachesTenant(caller: Principal, capability: Capability, tenantId: string): boolean {
    return this.access.may(caller, capability, { tenantId });
  }

  /** A step takes its capability over every state that the transaction touches. */
  async requireStep(caller: Principal, capability: Capability, tx: RightsSubject): Promise<void> {
    if (!(await this.reachesAll(caller, capability, tx))) throw httpErrors.FORBIDDEN();
  }

  /** Ending it takes what committing takes, or to have begun it. */
  async requireAbort(caller: Principal, tx: RightsSubject): Promise<void> {
    if (tx.createdBy !== caller.userId) await this.requireStep(caller, 'commit', tx);
  }

  /**
   * Who may commit in the whole tenant adds to any transaction, anybody else to their own: configuration where they may
   * preview or commit, content where they may commit.
   */
  requireAppend(
    caller: Principal,
    tx: RightsSubject,
    entries: readonly { action: string; stateId: string | undefined }[],
  ): void {
    const { tenantId } = tx;
    if (this.reachesTenant(caller, 'commit', tenantId)) return;
    if (tx.createdBy !== caller.userId) throw httpErrors.FORBIDDEN();
    for (const { action, stateId } of entries) {
      const place = stateId === undefined ? { tenantId } : { tenantId, stateId };
      const capabilities: Capability[] = action.startsWith('state_') ? ['commit'] : ['commit', 'preview'];
      const isAllowed = capabilities.some((capability) => this.access.may(caller, capability, place));
      if (!isAllowed && stateId !== undefined) throw httpErrors.FORBIDDEN();
    }
  }

  private async reachesAll(
    caller: Principal,
    capability: Capability,
    { id, tenantId, createdBy }: RightsSubject,
  ): Promise<boolean> {
    if (this.reachesTenant(caller, capability, tenantId)) return true;
    const states = await this.work.query<{ state_id: string }>(
      'SELECT state_id FROM transaction_states WHERE tx_id = $1',
      [id],
    );
    if (states.length === 0) return createdBy === caller.userId;
    return states.every(({ state_id: stateId }) =>
      this.access.may(caller, capability, { tenantId, stateId }),
    );
  }
}
