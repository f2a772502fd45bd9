import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { decodeTimeAndId, encodePageToken } from '../../../platform/http/index.js';
import { InstallationEntity, type Provider } from '../entities/installation.entity.js';

const LINKED_TENANT = {
  name: 'vcs_linked_tenant',
  text: 'SELECT tenant_id FROM installations WHERE provider = $1 AND installation_id = $2',
};

@Injectable()
export class InstallationQueries {
  constructor(private readonly work: UnitOfWork) {}

  /** The tenant that an installation is linked to at this moment; undefined for an unknown or unlinked one. */
  async findLinkedTenant(provider: Provider, installationId: string): Promise<string | undefined> {
    const [row] = await this.work.prepared<{ tenant_id: string | null }>(LINKED_TENANT, [
      provider,
      installationId,
    ]);
    return row?.tenant_id ?? undefined;
  }

  async find(id: string): Promise<InstallationEntity | null> {
    return this.work.manager.findOneBy(InstallationEntity, { id });
  }

  async findByProviderId(provider: Provider, installationId: string): Promise<InstallationEntity | null> {
    return this.work.manager.findOneBy(InstallationEntity, { provider, installationId });
  }

  async listOfTenant(tenantId: string): Promise<InstallationEntity[]> {
    return this.work.manager.find(InstallationEntity, {
      where: { tenantId },
      order: { provider: 'ASC', name: 'ASC', id: 'ASC' },
    });
  }

  /** Those that are still installed. */
  async listOfTenants(provider: Provider, tenantIds: readonly string[]): Promise<InstallationEntity[]> {
    return this.work.manager
      .createQueryBuilder(InstallationEntity, 'i')
      .where('i.provider = :provider AND i.tenant_id = ANY (:tenantIds)', { provider, tenantIds })
      .andWhere("i.state <> 'uninstalled'")
      .orderBy('i.name')
      .addOrderBy('i.id')
      .getMany();
  }

  /** Installations of the app that are linked to no tenant, oldest first. */
  async listUnclaimed(
    limit: number,
    cursor: string | undefined,
  ): Promise<{ rows: InstallationEntity[]; next: string | null }> {
    const after = cursor === undefined ? undefined : decodeTimeAndId(cursor, 'cursor');
    const list = this.work.manager
      .createQueryBuilder(InstallationEntity, 'i')
      .addSelect('i.created_at::text', 'exact_time')
      .where("i.tenant_id IS NULL AND i.provider = 'github' AND i.state <> 'uninstalled'");
    if (after) list.andWhere('(i.created_at, i.id) > (:time::timestamptz, :id::uuid)', after);
    const { entities, raw } = await list
      .orderBy('i.created_at')
      .addOrderBy('i.id')
      .limit(limit + 1)
      .getRawAndEntities<{ exact_time: string }>();
    const rows = entities.slice(0, limit);
    const last = rows.at(-1);
    const time = raw[rows.length - 1]?.exact_time;
    const next =
      entities.length > limit && last && time !== undefined ? encodePageToken([time, last.id]) : null;
    return { rows, next };
  }

  async listByProviderIds(installationIds: readonly string[]): Promise<InstallationEntity[]> {
    return this.work.manager
      .createQueryBuilder(InstallationEntity, 'i')
      .where("i.provider = 'github' AND i.installation_id = ANY (:installationIds)", { installationIds })
      .orderBy('i.name')
      .addOrderBy('i.id')
      .getMany();
  }
}
