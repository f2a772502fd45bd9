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

  async pullRequest(repositoryId: string, number: number): Promise<PullRequestEntity | undefined> {
    return (await this.work.manager.findOneBy(PullRequestEntity, { repositoryId, number })) ?? undefined;
  }
}
