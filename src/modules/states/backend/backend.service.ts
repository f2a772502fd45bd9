import { Injectable } from '@nestjs/common';
import { Secrets } from '../../../platform/crypto/secrets.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { isStorable } from '../../../platform/database/storable-text.js';
import { AppError, httpErrors } from '../../../platform/errors/index.js';
import { accessErrors, type Principal } from '../../access/index.js';
import { Audit } from '../../audit/index.js';
import { BackendTargets } from './backend-target.service.js';
import { ClientBases } from '../writing/client-bases.store.js';
import type { ClientRun } from '../writing/client-run.js';
import type { DocumentBody } from '../chunks/document-intake.js';
import { DocumentReading, ServedDocument } from '../chunks/document-reading.service.js';
import { StateEntity } from '../entities/state.entity.js';
import { NewState, StateGroups } from '../state-groups.store.js';
import { HeldLock, StateLocks } from './state-locks.service.js';
import type { WriteOutcome } from '../writing/state-write.js';
import { StateWriter } from '../writing/state-writer.service.js';
import { stateErrors } from '../states.errors.js';

/** The state-storage backend as Terraform's and OpenTofu's `http` clients use it (http-backend-protocol.md). */
@Injectable()
export class BackendService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly secrets: Secrets,
    private readonly groups: StateGroups,
    private readonly targets: BackendTargets,
    private readonly reading: DocumentReading,
    private readonly writer: StateWriter,
    private readonly bases: ClientBases,
    private readonly locks: StateLocks,
    private readonly audit: Audit,
  ) {}

  async read(
    caller: Principal,
    groupId: string,
    workspace: string,
    { view, run }: { view: string | undefined; run: ClientRun },
  ): Promise<ServedDocument> {
    const state = await this.targets.forReading(caller, groupId, workspace, view);
    if (view === 'outputs') return this.reading.outputs(state);
    await this.targets.requireTransaction(caller, run.txId, state.tenantId);
    const document = await this.reading.current(state);
    // A read does not name the lock of its run.
    const lockId = await this.locks.heldBy(state.id, holderOf(run));
    await this.bases.recordRead(state.id, run, state, lockId);
    return document;
  }

  async write(
    caller: Principal,
    groupId: string,
    workspace: string,
    { body, run, force }: { body: DocumentBody; run: ClientRun; force: boolean },
  ): Promise<WriteOutcome> {
    const target = await this.targets.forWriting(caller, groupId, workspace);
    if (force && !this.targets.mayAdministrate(caller, 'state' in target ? target.state : target.create))
      throw accessErrors.ADMIN_REQUIRED();
    const state =
      'state' in target
        ? { id: target.state.id, tenantId: target.state.tenantId }
        : { tenantId: target.create.tenantId, create: () => target.create };
    let creates = 'create' in target;
    const recorded = new Set<unknown>();
    const refused = (stateId: string, tenantId: string, refusal: AppError) =>
      this.recordAudit(caller, 'state.refuse', {
        objectId: stateId,
        tenantId,
        data: { error: refusal.id, reason: refusal.message },
      });
    try {
      return await this.writer.write({
        state,
        createdMeanwhile: async () => {
          const existing = await this.createdMeanwhile(caller, groupId, workspace);
          if (force && !this.targets.mayAdministrate(caller, existing)) throw accessErrors.ADMIN_REQUIRED();
          creates = false;
          return existing;
        },
        body,
        run,
        userId: caller.userId,
        origin: 'backend',
        force,
        noted: async (written) => {
          const { stateId, tenantId } = written;
          // A body may take its time: who lost the right meanwhile writes nothing.
          await this.targets.confirm(caller, { id: stateId, tenantId }, { force });
          if ('refusal' in written) {
            recorded.add(written.refusal);
            return refused(stateId, tenantId, written.refusal);
          }
          const note = (action: string, data: Record<string, unknown>) =>
            this.recordAudit(caller, action, { objectId: stateId, tenantId, data });
          if (force) await note('state.force', { serial: written.serial, version: written.version });
          if (creates) await note('state.create', { group_id: groupId, workspace });
        },
      });
    } catch (error) {
      // Who refuses by throwing, as a transaction does that is not the writer's, undoes what else was written with it.
      if ('state' in target && error instanceof AppError && error.status === 409 && !recorded.has(error))
        await refused(target.state.id, target.state.tenantId, error);
      throw error;
    }
  }

  private async createdMeanwhile(
    caller: Principal,
    groupId: string,
    workspace: string,
  ): Promise<{ id: string; tenantId: string }> {
    const target = await this.targets.forWriting(caller, groupId, workspace);
    if ('create' in target) throw stateErrors.STATE_BUSY(undefined, { 'Retry-After': '1' });
    return target.state;
  }

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
      const answer = await this.locks.acquire(state.id, lockId, text, holderOf(run));
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

  /** A client locks before it reads: the state that its write would create is created now. */
  private async stateToLock(caller: Principal, groupId: string, workspace: string): Promise<StateEntity> {
    const target = await this.targets.forWriting(caller, groupId, workspace);
    if ('state' in target) return target.state;
    await this.work.run(() => this.create(caller, target.create));
    const again = await this.targets.forWriting(caller, groupId, workspace);
    if ('create' in again) throw stateErrors.STATE_BUSY(undefined, { 'Retry-After': '1' });
    return again.state;
  }

  /** Somebody else may create it, or claim the group, at the same time: whoever asks again learns which. */
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

function holderOf(run: ClientRun): string {
  return `${run.credential} ${run.address}`;
}

function lockIdOf(text: string): string {
  const id = memberOf(text, 'ID');
  if (typeof id !== 'string' || id === '' || id.length > 200 || !isStorable(id))
    throw httpErrors.INVALID_REQUEST('the body is not a lock: it has no ID that can be stored');
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
