import { Injectable } from '@nestjs/common';
import { AccessDecisions, type Principal } from '../../access/index.js';
import type { UnclaimedQuery } from '../dto/installations.dto.js';
import type { InstallationEntity, Provider } from '../entities/installation.entity.js';
import { VcsSettings } from '../hosts/vcs-settings.js';
import { InstallationQueries } from './installations.queries.js';

const DEFAULT_LIMIT = 100;

/** Lists of installations; all of them are empty while orchestration is off. */
@Injectable()
export class InstallationLists {
  constructor(
    private readonly settings: VcsSettings,
    private readonly access: AccessDecisions,
    private readonly queries: InstallationQueries,
  ) {}

  /** Those of the caller's tenants. */
  async listOfCaller(caller: Principal, provider: Provider): Promise<InstallationEntity[]> {
    if (!this.settings.isEnabled) return [];
    const tenantIds = caller.tenantIds.filter((tenantId) => this.access.isMember(caller, tenantId));
    return this.queries.listOfTenants(provider, tenantIds);
  }

  async listUnclaimed({
    limit = DEFAULT_LIMIT,
    cursor,
  }: UnclaimedQuery): Promise<{ rows: InstallationEntity[]; limit: number; next: string | null }> {
    if (!this.settings.isEnabled) return { rows: [], limit, next: null };
    return { ...(await this.queries.listUnclaimed(limit, cursor)), limit };
  }
}
