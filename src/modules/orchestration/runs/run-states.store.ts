import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { Clock } from '../../../platform/time/clock.js';
import type { Grants } from '../../access/index.js';
import { StatesService } from '../../states/index.js';
import { RepositoryStateGroupEntity, RunStateEntity } from '../entities/run-state.entities.js';
import type { WorkManifestEntity } from '../entities/work-manifest.entity.js';
import type { DirspaceStateRequest, RunStateOutcome } from './run-spec.js';
import { groupRefusal, stateGrants } from './state-access.rules.js';

/** Tables `work_manifest_states` and `repository_state_groups`: which states a run reaches. */
@Injectable()
export class RunStates {
  constructor(
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly states: StatesService,
  ) {}

  /** The states of the dirspaces of a run, by position; created where nothing has the group yet. Good to be called again. */
  async prepare(
    run: Pick<WorkManifestEntity, 'id' | 'repositoryId' | 'owner' | 'repo' | 'spec'>,
    tenantId: string,
  ): Promise<Map<number, RunStateOutcome>> {
    const found = new Map<number, RunStateOutcome>();
    // Repositories of several owners may have the same name.
    const repository = `${run.owner}/${run.repo}`;
    for (const [position, { dir, workspace, state }] of (run.spec?.dirspaces ?? []).entries()) {
      if (!state) continue;
      const groupId = state.group_id.toLowerCase();
      found.set(
        position,
        await this.prepareOne(run, tenantId, {
          position,
          groupId,
          workspace: state.workspace ?? workspace,
          name: dir === '.' ? repository : `${repository}/${dir}`,
        }),
      );
    }
    return found;
  }

  async stateIds(workManifestId: string): Promise<string[]> {
    const rows = await this.work.manager.findBy(RunStateEntity, { workManifestId });
    return [...new Set(rows.map(({ stateId }) => stateId))];
  }

  async grants({ id, runType }: Pick<WorkManifestEntity, 'id' | 'runType'>): Promise<Grants> {
    return stateGrants(await this.stateIds(id), { isApply: runType === 'apply' });
  }

  private async prepareOne(
    { id, repositoryId, spec }: Pick<WorkManifestEntity, 'id' | 'repositoryId' | 'spec'>,
    tenantId: string,
    { position, groupId, workspace, name }: DirspaceStateRequest,
  ): Promise<RunStateOutcome> {
    return this.work.run(async () => {
      const owner = await this.states.tenantOfGroup(groupId);
      const own = await this.work.manager.findOneBy(RepositoryStateGroupEntity, { groupId });
      const standing = {
        tenantId: owner,
        isTrusted: spec?.trustedStateGroups.includes(groupId) ?? false,
        isOwn: own?.repositoryId === repositoryId,
      };
      const refusal = groupRefusal(standing, tenantId);
      if (refusal !== undefined) return { refusal };
      const state = await this.states.findOrCreate(tenantId, { groupId, workspace, name });
      // Somebody else has taken the group at the same moment.
      if (
        !state ||
        (owner === undefined && !standing.isTrusted && !(await this.claim(groupId, repositoryId)))
      )
        return { refusal: groupRefusal({ ...standing, tenantId: '' }, tenantId) ?? '' };
      await this.work.manager
        .createQueryBuilder()
        .insert()
        .into(RunStateEntity)
        .values({ workManifestId: id, position, stateId: state.id })
        .orIgnore()
        .execute();
      return { state: { state_id: state.id, group_id: groupId, workspace, tenant_id: tenantId } };
    });
  }

  /** False when another repository has created it. */
  private async claim(groupId: string, repositoryId: string): Promise<boolean> {
    await this.work.manager
      .createQueryBuilder()
      .insert()
      .into(RepositoryStateGroupEntity)
      .values({ groupId, repositoryId, createdAt: this.clock.now() })
      .orIgnore()
      .execute();
    const row = await this.work.manager.findOneBy(RepositoryStateGroupEntity, { groupId });
    return row?.repositoryId === repositoryId;
  }
}
