import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { httpErrors } from '../../../platform/errors/index.js';
import { Events } from '../../../platform/events/index.js';
import { AccessDecisions, accessErrors, Administration, Principal } from '../../access/index.js';
import { StateEntity } from '../entities/state.entity.js';
import { NewState, StateGroups } from '../state-groups.store.js';
import { stateErrors } from '../states.errors.js';
import { TransactionNamed } from '../publishing/transaction-named.event.js';
import { isUuid } from '../../../platform/text/uuid.js';

/** What a (group, workspace) means to a caller. */
export type BackendTarget = { state: StateEntity } | { create: NewState };

/**
 * Resolves the address of the backend. An unknown pair answers 404 to a reader exactly where a write would create it,
 * and 403 where a write would be refused: no apply may run into a refused write (contract-notes.md section 3).
 */
@Injectable()
export class BackendTargets {
  constructor(
    private readonly work: UnitOfWork,
    private readonly access: AccessDecisions,
    private readonly administration: Administration,
    private readonly groups: StateGroups,
    private readonly events: Events,
  ) {}

  /** A run whose write would be refused has to learn it before it changes infrastructure. */
  async requireTransaction(caller: Principal, txId: string | undefined, tenantId: string): Promise<void> {
    if (txId === undefined) return;
    await this.events.publish(new TransactionNamed(txId, tenantId, caller.userId, false));
  }

  async forReading(
    caller: Principal,
    groupId: string,
    workspace: string,
    view: string | undefined,
  ): Promise<StateEntity> {
    const target = await this.find(caller, groupId, workspace);
    if ('create' in target) throw stateErrors.STATE_NOT_FOUND();
    const { state } = target;
    const reading = this.access.reading(caller, state.tenantId, state.id);
    if (reading === 'none') throw httpErrors.FORBIDDEN();
    if (reading === 'outputs' && view !== 'outputs') throw stateErrors.STATE_FULL_READ_FORBIDDEN();
    return state;
  }

  async forWriting(caller: Principal, groupId: string, workspace: string): Promise<BackendTarget> {
    const target = await this.find(caller, groupId, workspace);
    if ('state' in target) {
      const { tenantId, id } = target.state;
      if (!this.access.may(caller, 'commit', { tenantId, stateId: id })) throw httpErrors.FORBIDDEN();
    }
    return target;
  }

  /** Late in the transaction that writes: the caller still may, as the credential stands now. */
  async confirm(
    caller: Principal,
    state: { tenantId: string; id: string },
    { force }: { force: boolean },
  ): Promise<void> {
    const place = { tenantId: state.tenantId, stateId: state.id };
    const current = await this.administration.confirmCapability(caller, 'commit', place);
    if (force && !this.mayAdministrate(current, state)) throw accessErrors.ADMIN_REQUIRED();
  }

  mayAdministrate(caller: Principal, state: { tenantId: string; id?: string }): boolean {
    return this.access.may(caller, 'admin', {
      tenantId: state.tenantId,
      ...(state.id ? { stateId: state.id } : {}),
    });
  }

  private async find(caller: Principal, groupId: string, workspace: string): Promise<BackendTarget> {
    if (!isUuid(groupId)) throw httpErrors.INVALID_REQUEST('group_id must be a UUID');
    const state = await this.work.manager.findOneBy(StateEntity, {
      groupId: groupId.toLowerCase(),
      workspace,
    });
    if (state) return { state };
    if (workspace.length === 0 || workspace.length > 255)
      throw httpErrors.INVALID_REQUEST('workspace must have 1 to 255 characters');
    return { create: await this.creatable(caller, groupId.toLowerCase(), workspace) };
  }

  /** Where a write would create the state; 403 where it would not. */
  private async creatable(caller: Principal, groupId: string, workspace: string): Promise<NewState> {
    const first = await this.groups.find(groupId);
    if (first) {
      if (!this.access.may(caller, 'commit', { tenantId: first.tenantId })) throw httpErrors.FORBIDDEN();
      return { tenantId: first.tenantId, name: first.name, groupId, workspace };
    }
    const tenantId = this.access.tenantForNew(caller, 'commit');
    if (tenantId === undefined) {
      throw httpErrors.FORBIDDEN(
        'no state of this group exists, and the credential does not say in which tenant to create one',
      );
    }
    return { tenantId, name: groupId, groupId, workspace };
  }
}
