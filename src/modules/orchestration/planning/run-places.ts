import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { InstallationEntity, PullRequestEntity, RepositoryEntity } from '../../vcs/index.js';
import type { WorkManifestEntity } from '../entities/work-manifest.entity.js';
import type { RepositoryPlace } from './changes.js';

/** Where a run happens, read from the rows of code hosting. */
@Injectable()
export class RunPlaces {
  constructor(private readonly work: UnitOfWork) {}

  /** Undefined once the installation is linked to no tenant, or gone. */
  async of(
    run: Pick<WorkManifestEntity, 'installationId' | 'repositoryId'>,
  ): Promise<(RepositoryPlace & { tenantId: string }) | undefined> {
    const { manager } = this.work;
    const installation = await manager.findOneBy(InstallationEntity, { id: run.installationId });
    const repository = await manager.findOneBy(RepositoryEntity, { id: run.repositoryId });
    if (!installation?.tenantId || !repository) return undefined;
    return { installation, repository, tenantId: installation.tenantId };
  }

  /** Branch that a run starts on: the head's, the base's once merged, the default one for what has no pull request. */
  async refOf({ repository }: RepositoryPlace, run: WorkManifestEntity): Promise<string> {
    // What the head's own scripts do happens with the rights of the head's branch.
    if (run.pullNumber === null || run.runType === 'index') return repository.defaultBranch ?? run.baseBranch;
    const pullRequest = await this.pullRequest(run.repositoryId, run.pullNumber);
    return pullRequest?.state === 'merged' ? run.baseBranch : run.branch;
  }

  async pullRequest(repositoryId: string, number: number): Promise<PullRequestEntity | undefined> {
    return (await this.work.manager.findOneBy(PullRequestEntity, { repositoryId, number })) ?? undefined;
  }
}
