import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../platform/database/index.js';
import type { Provider } from './entities/installation.entity.js';

const LINKED_TENANT = {
  name: 'vcs_linked_tenant',
  text: 'SELECT tenant_id FROM installations WHERE provider = $1 AND installation_id = $2',
};

const LINKED = {
  name: 'vcs_linked',
  text: `SELECT id, tenant_id AS "tenantId" FROM installations
          WHERE provider = $1 AND installation_id = $2 AND tenant_id IS NOT NULL`,
};

/** An installation, by our id, and the tenant that it is linked to at this moment. */
export interface LinkedInstallation {
  id: string;
  tenantId: string;
}

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

  /** Undefined for an unknown or unlinked installation. */
  async findLinked(provider: Provider, installationId: string): Promise<LinkedInstallation | undefined> {
    const [row] = await this.work.prepared<LinkedInstallation>(LINKED, [provider, installationId]);
    return row;
  }
}
