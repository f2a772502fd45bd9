import { Injectable } from '@nestjs/common';
import { Secrets } from '../../platform/crypto/secrets.js';
import { UnitOfWork } from '../../platform/database/index.js';
import { Administration, type Principal } from '../access/index.js';
import { Audit } from '../audit/index.js';
import type { ClientRun } from './writing/client-run.js';
import { DocumentReading, ServedDocument } from './chunks/document-reading.service.js';
import { StateEntity } from './entities/state.entity.js';
import type { ImportBody } from './writing/import-body.js';
import { NewState, StateGroups } from './state-groups.store.js';
import { StateWriter } from './writing/state-writer.service.js';
import { stateErrors } from './states.errors.js';

export interface WantedState {
  name: string;
  groupId?: string | undefined;
  workspace?: string | undefined;
}

/** Creating, importing and exporting states. */
@Injectable()
export class StatesService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly secrets: Secrets,
    private readonly groups: StateGroups,
    private readonly writer: StateWriter,
    private readonly reading: DocumentReading,
    private readonly administration: Administration,
    private readonly audit: Audit,
  ) {}

  async get(stateId: string): Promise<StateEntity> {
    const state = await this.work.manager.findOneBy(StateEntity, { id: stateId });
    if (!state) throw stateErrors.STATE_NOT_FOUND();
    return state;
  }

  async create(caller: Principal, tenantId: string, wanted: WantedState): Promise<StateEntity> {
    return this.work.run(async () => {
      const values = this.fresh(tenantId, wanted);
      const id = this.secrets.uuid();
      if ((await this.groups.addState({ id, ...values })) !== 'added') throw stateErrors.STATE_EXISTS();
      await this.confirmCreation(caller, tenantId);
      await this.recordAudit(caller, 'state.create', {
        objectId: id,
        tenantId,
        data: {
          name: values.name,
          group_id: values.groupId,
          workspace: values.workspace,
        },
      });
      return this.get(id);
    });
  }

  /** Whose group it is; undefined while it has no state. */
  async tenantOfGroup(groupId: string): Promise<string | undefined> {
    return (await this.groups.find(groupId))?.tenantId;
  }

  /**
   * For the service itself, in a transaction: who may is asked before. The state of a group's workspace, created when
   * there is none; undefined when another tenant has the group.
   */
  async findOrCreate(
    tenantId: string,
    wanted: Required<Pick<NewState, 'groupId' | 'workspace' | 'name'>>,
  ): Promise<StateEntity | undefined> {
    const { groupId, workspace } = wanted;
    const find = () => this.work.manager.findOneBy(StateEntity, { groupId, workspace, tenantId });
    const known = await find();
    if (known) return known;
    const group = await this.groups.find(groupId);
    const id = this.secrets.uuid();
    const name = group?.name ?? wanted.name;
    const outcome = await this.groups.addState({ id, tenantId, name, groupId, workspace });
    if (outcome === 'added')
      await this.recordAudit(undefined, 'state.create', {
        objectId: id,
        tenantId,
        data: { name, group_id: groupId, workspace },
      });
    return (await find()) ?? undefined;
  }

  /** A state and its first document in one step; every token of the document stays as written. */
  async import(caller: Principal, tenantId: string, body: ImportBody): Promise<StateEntity> {
    const run: ClientRun = {
      lockId: undefined,
      name: undefined,
      txId: undefined,
      credential: caller.credentialId,
      address: 'import',
      connection: undefined,
    };
    let create: NewState | undefined;
    const outcome = await this.writer.write({
      state: { tenantId, create: () => (create ??= this.fresh(tenantId, body.wanted)) },
      body: { bytes: body.document(), length: undefined, md5: undefined },
      run,
      userId: caller.userId,
      origin: 'import',
      tags: () => body.wanted.tags,
      force: false,
      recordOutcome: async ({ stateId }) => {
        // A body may take its time: who lost the right meanwhile imports nothing.
        await this.confirmCreation(caller, tenantId);
        await this.recordAudit(caller, 'state.import', {
          objectId: stateId,
          tenantId,
          data: {
            name: create?.name,
            group_id: create?.groupId,
            workspace: create?.workspace,
          },
        });
      },
    });
    return this.get(outcome.stateId);
  }

  async export(stateId: string): Promise<ServedDocument> {
    return this.reading.current(await this.get(stateId));
  }

  private async confirmCreation(caller: Principal, tenantId: string): Promise<void> {
    await this.administration.confirmCapability(caller, 'commit', { tenantId: tenantId.toLowerCase() });
  }

  private fresh(tenantId: string, wanted: WantedState): NewState {
    return {
      tenantId,
      name: wanted.name,
      groupId: (wanted.groupId ?? this.secrets.uuid()).toLowerCase(),
      workspace: wanted.workspace ?? 'default',
    };
  }

  private async recordAudit(
    caller: Principal | undefined,
    action: string,
    { objectId, tenantId, data }: { objectId: string; tenantId: string; data: Record<string, unknown> },
  ): Promise<void> {
    const actor = caller ? { actor: caller } : {};
    await this.audit.record({ ...actor, action, objectType: 'state', objectId, tenantId, data });
  }
}
