import { Injectable } from '@nestjs/common';
import type { Principal } from '../../access/index.js';
import type { InstallationEntity } from '../entities/installation.entity.js';
import type { AppInstallation } from '../hosts/github-app.js';
import { vcsErrors } from '../vcs.errors.js';
import { InstallationLinks } from './installation-links.service.js';
import { InstallationQueries } from './installations.queries.js';
import { InstallationsStore } from './installations.store.js';

/** The rows behind claims. */
@Injectable()
export class ClaimRecords {
  constructor(
    private readonly installations: InstallationsStore,
    private readonly queries: InstallationQueries,
    private readonly links: InstallationLinks,
  ) {}

  async record(proved: readonly AppInstallation[]): Promise<void> {
    await this.installations.recordApp(proved);
  }

  async list(installationIds: readonly string[]): Promise<InstallationEntity[]> {
    return this.queries.listByProviderIds(installationIds);
  }

  /** Inside a unit of work: 404 for an unknown one, 403 for one that was not proved, 409 for another tenant's. */
  async claim(
    caller: Principal,
    { tenantId, id, proved }: { tenantId: string; id: string; proved: readonly string[] },
  ): Promise<InstallationEntity> {
    const installation = await this.queries.find(id.toLowerCase());
    if (!installation || installation.provider !== 'github') throw vcsErrors.INSTALLATION_NOT_FOUND();
    if (!proved.includes(installation.installationId)) throw vcsErrors.CLAIM_NOT_PROVED();
    return this.links.link(
      caller,
      tenantId,
      { provider: 'github', id: installation.id },
      'installation.claim',
    );
  }
}
