import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../platform/database/index.js';
import { httpErrors } from '../../platform/errors/index.js';
import { AccessDecisions, Administration, type Capability, type Principal } from '../access/index.js';
import type { TransactionState } from './transaction-states.machine.js';

/** What is asked about: a transaction, where it belongs, who began it. */
export interface RightsSubject {
  id: string;
  tenantId: string;
  createdBy: string | null;
  /** the credential that began it */
  madeWith: string | null;
}

/** A run adds to its own transactions only, although other runs act as the same user. */
function isOfRun({ actsFor }: Principal, { madeWith }: RightsSubject): boolean {
  return actsFor === undefined || (madeWith !== null && actsFor.includes(madeWith));
}

const EITHER: Capability[] = ['commit', 'preview'];

/**
 * What the guard leaves open: a grant may name single states, and a transaction touches several. What is required is asked
 * with the transaction's row locked, of the caller as the credential stands then: bodies and locks take their time.
 */
@Injectable()
export class TransactionRights {
  constructor(
    private readonly work: UnitOfWork,
    private readonly access: AccessDecisions,
    private readonly administration: Administration,
  ) {}

  /** Nothing else has to be asked about the transactions of the tenant. */
  reachesTenant(caller: Principal, capability: Capability, tenantId: string): boolean {
    return this.access.may(caller, capability, { tenantId });
  }

  /** A step takes its capability over every state that the transaction touches. */
  async requireStep(caller: Principal, capability: Capability, tx: RightsSubject): Promise<void> {
    const current = await this.confirmMember(caller, tx.tenantId);
    if (!(await this.reachesAll(current, capability, tx))) throw httpErrors.FORBIDDEN();
  }

  /**
   * Ending it takes what committing takes; to have begun it and to preview what it touches is enough, unless a runner is
   * committing it.
   */
  async requireAbort(caller: Principal, tx: RightsSubject & { state: TransactionState }): Promise<void> {
    if (tx.state === 'committing') return this.requireStep(caller, 'commit', tx);
    const { tenantId } = tx;
    const current = await this.confirmMember(caller, tx.tenantId);
    if (this.reachesTenant(current, 'commit', tenantId)) return;
    const isOwn = tx.createdBy === current.userId;
    const states = await this.statesOf(tx.id);
    const capabilities: Capability[] = isOwn ? EITHER : ['commit'];
    if (states.length === 0 ? !isOwn : !this.mayOver(current, capabilities, tenantId, states))
      throw httpErrors.FORBIDDEN();
  }

  /**
   * Who may commit in the whole tenant adds to any transaction, anybody else to their own: configuration where they may
   * preview or commit, content where they may commit. What names no state is about those that are touched already: one
   * user may have keys for different states.
   */
  async requireAppend(
    caller: Principal,
    tx: RightsSubject,
    entries: readonly { action: string; stateId: string | undefined }[],
  ): Promise<void> {
    const { tenantId } = tx;
    const current = await this.confirmMember(caller, tx.tenantId);
    if (this.reachesTenant(current, 'commit', tenantId)) return;
    if (tx.createdBy !== current.userId || !isOfRun(current, tx)) throw httpErrors.FORBIDDEN();
    const [content, configuration] = [new Set<string>(), new Set<string>()];
    for (const { action, stateId } of entries)
      if (stateId !== undefined) (action.startsWith('state_') ? content : configuration).add(stateId);
    if (entries.some(({ stateId }) => stateId === undefined))
      for (const stateId of await this.statesOf(tx.id)) configuration.add(stateId);
    const isAllowed =
      this.mayOver(current, ['commit'], tenantId, content) &&
      this.mayOver(current, EITHER, tenantId, configuration);
    if (!isAllowed) throw httpErrors.FORBIDDEN();
  }

  /** 401 once the credential has ended. */
  async confirm(caller: Principal): Promise<Principal> {
    return this.administration.confirm(caller);
  }

  private async confirmMember(caller: Principal, tenantId: string): Promise<Principal> {
    const current = await this.confirm(caller);
    // A key for single states is no member by itself, and its owner still has to be one.
    if (!this.access.isMember(current, tenantId) && !current.tenantIds.includes(tenantId))
      throw httpErrors.FORBIDDEN();
    return current;
  }

  private async reachesAll(
    caller: Principal,
    capability: Capability,
    { id, tenantId, createdBy }: RightsSubject,
  ): Promise<boolean> {
    if (this.reachesTenant(caller, capability, tenantId)) return true;
    const states = await this.statesOf(id);
    return states.length === 0
      ? createdBy === caller.userId
      : this.mayOver(caller, [capability], tenantId, states);
  }

  private async statesOf(txId: string): Promise<string[]> {
    const rows = await this.work.query<{ state_id: string }>(
      'SELECT state_id FROM transaction_states WHERE tx_id = $1',
      [txId],
    );
    return rows.map((row) => row.state_id);
  }

  /** One of the capabilities, over each of the states. */
  private mayOver(
    caller: Principal,
    capabilities: readonly Capability[],
    tenantId: string,
    states: Iterable<string>,
  ): boolean {
    return [...states].every((stateId) =>
      capabilities.some((capability) => this.access.may(caller, capability, { tenantId, stateId })),
    );
  }
}
