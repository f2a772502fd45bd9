import { Injectable } from '@nestjs/common';
import { AppError } from '../../../platform/errors/index.js';
import { accessErrors, type Principal } from '../../access/index.js';
import { Audit } from '../../audit/index.js';
import { BackendTargets } from './backend-target.service.js';
import { ClientBases } from '../writing/client-bases.store.js';
import type { ClientRun } from '../writing/client-run.js';
import type { DocumentBody } from '../chunks/document-intake.js';
import { DocumentReading, ServedDocument } from '../chunks/document-reading.service.js';
import { lockHolderOf, StateLocks } from './state-locks.service.js';
import type { WriteOutcome } from '../writing/state-write.js';
import { StateWriter } from '../writing/state-writer.service.js';
import { stateErrors } from '../states.errors.js';

/** Reads and writes of Terraform's and OpenTofu's `http` clients (http-backend-protocol.md). */
@Injectable()
export class BackendService {
  constructor(
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
    const lockId = await this.locks.heldBy(state.id, lockHolderOf(run));
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
        recordOutcome: async (written) => {
          const { stateId, tenantId } = written;
          // The caller may have lost the right during the upload.
          await this.targets.confirm(caller, { id: stateId, tenantId }, { force });
          if ('refusal' in written) {
            recorded.add(written.refusal);
            return refused(stateId, tenantId, written.refusal);
          }
          const record = (action: string, data: Record<string, unknown>) =>
            this.recordAudit(caller, action, { objectId: stateId, tenantId, data });
          if (force) await record('state.force', { serial: written.serial, version: written.version });
          if (creates) await record('state.create', { group_id: groupId, workspace });
        },
      });
    } catch (error) {
      // A thrown refusal rolls back its audit row: record it again outside.
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

  private async recordAudit(
    caller: Principal,
    action: string,
    { objectId, tenantId, data }: { objectId: string; tenantId: string; data: Record<string, unknown> },
  ): Promise<void> {
    await this.audit.record({ actor: caller, action, objectType: 'state', objectId, tenantId, data });
  }
}
