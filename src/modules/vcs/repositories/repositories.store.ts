import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { Clock } from '../../../platform/time/clock.js';
import { CodeEventHandlers } from '../code-events.js';
import type { InstallationEntity } from '../entities/installation.entity.js';
import { RepositoryEntity } from '../entities/repository.entity.js';
import type { HostRepository } from '../hosts/code-host.js';

const COLUMNS = 'owner, name, default_branch, clone_url, web_url, is_archived';

/** Only what is new or differs is written. */
const RECORD = `
  WITH incoming AS (
    SELECT DISTINCT ON (provider_id) *
      FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::boolean[])
        AS r (provider_id, ${COLUMNS})
  )
  INSERT INTO repositories (installation_id, provider_id, ${COLUMNS}, created_at, updated_at)
  SELECT $1, i.provider_id, i.owner, i.name, i.default_branch, i.clone_url, i.web_url, i.is_archived, $9, $9
    FROM incoming i
    LEFT JOIN repositories r ON r.installation_id = $1 AND r.provider_id = i.provider_id
   WHERE (r.owner, r.name, r.default_branch, r.clone_url, r.web_url, r.is_archived)
         IS DISTINCT FROM (i.owner, i.name, i.default_branch, i.clone_url, i.web_url, i.is_archived)
  ON CONFLICT (installation_id, provider_id) DO UPDATE
     SET (${COLUMNS}) = (excluded.owner, excluded.name, excluded.default_branch, excluded.clone_url,
                         excluded.web_url, excluded.is_archived),
         updated_at = excluded.updated_at
  RETURNING id`;

@Injectable()
export class RepositoriesStore {
  constructor(
    private readonly work: UnitOfWork,
    private readonly handlers: CodeEventHandlers,
    private readonly clock: Clock,
  ) {}

  async find(installationId: string, providerId: string): Promise<RepositoryEntity | null> {
    return this.work.manager.findOneBy(RepositoryEntity, { installationId, providerId });
  }

  /** Answers how many rows were written. */
  async record(installationId: string, repositories: readonly HostRepository[]): Promise<number> {
    const rows = await this.work.query<{ id: string }>(RECORD, [
      installationId,
      repositories.map(({ providerId }) => providerId),
      repositories.map(({ owner }) => owner),
      repositories.map(({ name }) => name),
      repositories.map(({ defaultBranch }) => defaultBranch),
      repositories.map(({ cloneUrl }) => cloneUrl),
      repositories.map(({ webUrl }) => webUrl),
      repositories.map(({ isArchived }) => isArchived),
      this.clock.now(),
    ]);
    return rows.length;
  }

  /**
   * A repository that was transferred keeps its records when both installations are linked to the same tenant. Records of
   * another tenant stay where they are: they are no business of the new owner's.
   */
  async adopt({ id, provider, tenantId }: InstallationEntity, providerId: string): Promise<void> {
    if (tenantId === null) return;
    await this.work.query(
      `UPDATE repositories r SET installation_id = $1, updated_at = $5
         FROM installations former
        WHERE former.id = r.installation_id AND former.provider = $2 AND former.tenant_id = $3
          AND r.provider_id = $4 AND r.installation_id <> $1
          AND NOT EXISTS (SELECT FROM repositories own WHERE own.installation_id = $1 AND own.provider_id = $4)`,
      [id, provider, tenantId, providerId, this.clock.now()],
    );
  }

  async setSetup(id: string, setup: { hasWorkflow: boolean; hasConfiguration: boolean }): Promise<void> {
    await this.work.query(
      `UPDATE repositories SET has_workflow = $2, has_configuration = $3, updated_at = $4
        WHERE id = $1 AND (has_workflow, has_configuration) IS DISTINCT FROM ($2, $3)`,
      [id, setup.hasWorkflow, setup.hasConfiguration, this.clock.now()],
    );
  }

  /** Ids of those that were not seen. */
  async listUnseen(installationId: string, providerIds: readonly string[]): Promise<RepositoryEntity[]> {
    return this.work.manager
      .createQueryBuilder(RepositoryEntity, 'r')
      .where('r.installation_id = :installationId AND r.provider_id <> ALL (:providerIds)', {
        installationId,
        providerIds,
      })
      .getMany();
  }

  /** With everything that belongs to it: pull requests by cascade, the rest by those who hear of it. */
  async remove(repository: RepositoryEntity): Promise<void> {
    await this.work.run(async () => {
      await this.handlers.dispatch('repository-removed', { repository });
      await this.work.manager.delete(RepositoryEntity, { id: repository.id });
    });
  }
}
