import { Injectable } from '@nestjs/common';
import { Secrets } from '../../../platform/crypto/secrets.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { isStorable } from '../../../platform/database/storable-text.js';
import { httpErrors } from '../../../platform/errors/index.js';
import { accessErrors, type Principal } from '../../access/index.js';
import { Audit } from '../../audit/index.js';
import type { StateEntity } from '../entities/state.entity.js';
import { type NewState, StateGroups } from '../state-groups.store.js';
import { stateErrors } from '../states.errors.js';
import { ClientBases } from '../writing/client-bases.store.js';
import type { ClientRun } from '../writing/client-run.js';
import { BackendTargets } from './backend-target.service.js';
import { type HeldLock, lockHolderOf, StateLocks } from './state-locks.service.js';

/** LOCK and UNLOCK of Terraform's and OpenTofu's `http` clients (http-backend-protocol.md). */
@Injectable()
export class BackendLocking {
  constructor(
    private readonly work: UnitOfWork,
    private readonly secrets: Secrets,
    private readonly groups: StateGroups,
    private readonly targets: BackendTargets,
    private readonly locks: StateLocks,
    private readonly bases: ClientBases,
    private readonly audit: Audit,
  ) {}

  /** The lock held after the call; it is the caller's when the ids are equal. */
  async lock(
    caller: Principal,
    groupId: string,
    workspace: string,
    { info, run }: { info: Buffer; run: ClientRun },
  ): Promise<HeldLock> {
    const text = info.toString('utf8');
    const lockId = lockIdOf(text);
    const state = await this.stateToLock(caller, groupId, workspace);
    await this.targets.requireTransaction(caller, run.txId, state.tenantId);
    const held = await this.work.run(async () => {
      const answer = await this.locks.acquire(state.id, lockId, text, lockHolderOf(run));
      await this.targets.confirm(caller, state, { force: false });
      return answer;
    });
    if (held.mine) await this.bases.recordRead(state.id, { ...run, lockId }, state, undefined);
    return held;
  }

  async unlock(caller: Principal, groupId: string, workspace: string, info: Buffer): Promise<void> {
    const lockId = info.length === 0 ? undefined : lockIdOf(info.toString('utf8'));
    const target = await this.targets.forWriting(caller, groupId, workspace);
    if ('create' in target) return;
    const { state } = target;
    if (lockId !== undefined) {
      await this.work.run(async () => {
        if (!(await this.locks.release(state.id, lockId))) throw stateErrors.LOCK_MISMATCH();
        await this.targets.confirm(caller, state, { force: false });
      });
      return;
    }
    if (!this.targets.mayAdministrate(caller, state))
      throw accessErrors.ADMIN_REQUIRED('breaking a lock needs an administrator');
    await this.work.run(async () => {
      await this.locks.breakOpen(state.id);
      await this.targets.confirm(caller, state, { force: true });
      await this.recordAudit(caller, 'state.force-unlock', {
        objectId: state.id,
        tenantId: state.tenantId,
        data: {},
      });
    });
  }

  /** Clients lock before they read, so the state that a write would create is created here. */
  private async stateToLock(caller: Principal, groupId: string, workspace: string): Promise<StateEntity> {
    const target = await this.targets.forWriting(caller, groupId, workspace);
    if ('state' in target) return target.state;
    await this.work.run(() => this.create(caller, target.create));
    const again = await this.targets.forWriting(caller, groupId, workspace);
    if ('create' in again) throw stateErrors.STATE_BUSY(undefined, { 'Retry-After': '1' });
    return again.state;
  }

  /** Another request may create the state or claim the group at the same time: resolve the target again afterwards. */
  private async create(caller: Principal, create: NewState): Promise<void> {
    const id = this.secrets.uuid();
    if ((await this.groups.addState({ id, ...create })) !== 'added') return;
    const { groupId, workspace } = create;
    await this.recordAudit(caller, 'state.create', {
      objectId: id,
      tenantId: create.tenantId,
      data: { group_id: groupId, workspace },
    });
  }

  private async recordAudit(
    caller: Principal,
    action: string,
    { objectId, tenantId, data }: { objectId: string; tenantId: string; data: Record<string, unknown> },
  ): Promise<void> {
    await this.audit.record({ actor: caller, action, objectType: 'state', objectId, tenantId, data });
  }
}

function lockIdOf(text: string): string {
  const id = memberOf(text, 'ID');
  if (typeof id !== 'string' || id === '' || id.length > 200 || !isStorable(id))
    throw httpErrors.INVALID_REQUEST('the body must be a lock with an ID that can be stored');
  return id;
}

function memberOf(text: string, name: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
  } catch {
    return undefined;
  }
}
