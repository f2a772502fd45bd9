import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { httpErrors } from '../../../platform/errors/index.js';
import type { Principal } from '../../access/index.js';
import { Audit } from '../../audit/index.js';
import { Tasks } from '../../tasks/index.js';
import { LinkedAccountsService } from '../accounts/linked-accounts.service.js';
import type { RepositoryEntity } from '../entities/repository.entity.js';
import { CodeHosts } from '../hosts/code-hosts.js';
import { textAt, wordAt } from '../hosts/json-fields.js';
import { GroupAccess } from '../installations/group-access.service.js';
import type { LinkedInstallation } from '../installations/installation.guard.js';
import { vcsErrors } from '../vcs.errors.js';
import { REFRESH_REPOSITORIES } from './refresh-repositories.task.js';
import { RepositoriesStore } from './repositories.store.js';
import { type RepositorySetup, RepositorySync } from './repository-sync.service.js';

@Injectable()
export class RepositoriesService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly tasks: Tasks,
    private readonly hosts: CodeHosts,
    private readonly repositories: RepositoriesStore,
    private readonly repositorySync: RepositorySync,
    private readonly accounts: LinkedAccountsService,
    private readonly groupAccess: GroupAccess,
    private readonly audit: Audit,
  ) {}

  /** The task that is under way for the installation, else a new one. */
  async refresh(caller: Principal, installation: LinkedInstallation): Promise<{ id: string }> {
    const payload = { installation_core_id: installation.id };
    return this.work.run(async () => {
      const unfinished = await this.tasks.findUnfinished(REFRESH_REPOSITORIES, payload);
      if (unfinished) return { id: unfinished.id };
      const { tenantId } = installation;
      const id = await this.tasks.start({
        kind: REFRESH_REPOSITORIES,
        tenantId,
        createdBy: caller.userId,
        payload,
      });
      return { id };
    });
  }

  async findSetup(installation: LinkedInstallation, providerId: string): Promise<RepositorySetup> {
    return this.repositorySync.syncSetup(installation, await this.find(installation, providerId));
  }

  /** Whether the caller may is asked of the provider first, whether it is archived last. */
  async remove(caller: Principal, installation: LinkedInstallation, providerId: string): Promise<void> {
    await this.requireOwner(caller, installation);
    const repository = await this.find(installation, providerId);
    const found = await this.hosts.of(installation.provider).findRepository(installation, providerId);
    // What the provider has no more counts as archived.
    if (found && !found.isArchived) throw vcsErrors.REPO_NOT_ARCHIVED();
    await this.work.run(async () => {
      await this.repositories.remove(repository);
      await this.audit.record({
        actor: caller,
        action: 'repository.remove',
        objectType: 'repository',
        objectId: repository.id,
        tenantId: installation.tenantId,
        data: {
          provider: installation.provider,
          installation_id: installation.installationId,
          repo_id: providerId,
          name: repository.name,
        },
      });
    });
  }

  private async find(installation: LinkedInstallation, providerId: string): Promise<RepositoryEntity> {
    if (!/^\d{1,20}$/.test(providerId)) throw vcsErrors.INVALID_REPO_ID();
    const repository = await this.repositories.find(installation.id, providerId);
    if (!repository) throw vcsErrors.REPO_NOT_FOUND();
    return repository;
  }

  /** Administrators of the owning organization, the owning person, Maintainers of the owning group. */
  private async requireOwner(caller: Principal, installation: LinkedInstallation): Promise<void> {
    const { provider, installationId, targetType, name } = installation;
    if (provider === 'gitlab') return this.groupAccess.requireMaintainer(caller, installationId);
    if (targetType === 'user') {
      // Names at GitHub change hands: the one that was linked may be somebody else's by now.
      const { json } = (await this.accounts.ask(caller, 'github', { path: '/user' })).orRefused();
      if (wordAt(json, 'login')?.toLowerCase() !== name.toLowerCase()) throw httpErrors.FORBIDDEN();
      return;
    }
    const answer = await this.accounts.ask(caller, 'github', {
      path: `/user/memberships/orgs/${encodeURIComponent(name)}`,
      route: '/user/memberships/orgs/{org}',
    });
    const isRefused = answer.status === 403 || answer.status === 404;
    const role = isRefused ? undefined : answer.orRefused().json;
    // Somebody who was invited is `pending`.
    if (textAt(role, 'role') !== 'admin' || textAt(role, 'state') !== 'active')
      throw httpErrors.FORBIDDEN('you must be an administrator of the owning organization');
  }
}
