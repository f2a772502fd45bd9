import { Injectable } from '@nestjs/common';
import { httpErrors } from '../../../platform/errors/index.js';
import { AccessDecisions, Administration, type Principal } from '../../access/index.js';
import { tenantErrors, TenantsService } from '../../tenants/index.js';
import type {
  ChangeGroupBody,
  GroupView,
  NewGroupView,
  ProvisionGroupBody,
} from '../dto/installations.dto.js';
import { type InstallationEntity, type Provider, PROVIDERS } from '../entities/installation.entity.js';
import { VcsSettings } from '../hosts/vcs-settings.js';
import { vcsErrors } from '../vcs.errors.js';
import { type GroupSecret, GroupsService } from './groups.service.js';
import { InstallationLinks } from './installation-links.service.js';
import { InstallationQueries } from './installations.queries.js';
import { isUuid } from '../../../platform/text/uuid.js';

/** The installations of a tenant, as its administrators and those of the whole service change them. */
@Injectable()
export class TenantInstallationsService {
  constructor(
    private readonly settings: VcsSettings,
    private readonly access: AccessDecisions,
    private readonly administration: Administration,
    private readonly tenants: TenantsService,
    private readonly queries: InstallationQueries,
    private readonly links: InstallationLinks,
    private readonly groups: GroupsService,
  ) {}

  async list(tenantId: string): Promise<InstallationEntity[]> {
    return this.settings.isEnabled ? this.queries.listOfTenant(tenantId.toLowerCase()) : [];
  }

  async provision(caller: Principal, tenantId: string, body: ProvisionGroupBody): Promise<NewGroupView> {
    const { installation, secret } = await this.groups.provision(caller, tenantId, body);
    return { ...this.groupView({ installation }), webhook_secret: secret };
  }

  /** A whole number is a group whose secrets change; a UUID is an installation to be linked. */
  async changeOrLinkGroup(
    caller: Principal,
    tenantId: string,
    id: string,
    body: ChangeGroupBody,
  ): Promise<GroupView> {
    if (/^\d{1,15}$/.test(id)) return this.groupView(await this.groups.change(caller, tenantId, id, body));
    if (!isUuid(id))
      throw httpErrors.INVALID_REQUEST(
        'the path must end with the numeric id of a group or an installation_core_id',
      );
    if (!this.access.isInstallationAdmin(caller)) throw httpErrors.FORBIDDEN();
    return this.groupView({ installation: await this.link(caller, tenantId, { provider: 'gitlab', id }) });
  }

  async link(
    caller: Principal,
    tenantId: string,
    target: { provider: Provider; id: string },
  ): Promise<InstallationEntity> {
    if (!isUuid(tenantId)) throw tenantErrors.TENANT_NOT_FOUND();
    const link = async (current: Principal): Promise<InstallationEntity> => {
      const tenant = await this.tenants.find(tenantId);
      return this.links.link(current, tenant.id, target, 'installation.link');
    };
    return this.administration.change(caller, link, { capability: 'admin' });
  }

  async unlink(
    caller: Principal,
    tenantId: string,
    { provider: name, id }: { provider: string; id: string },
  ): Promise<void> {
    const provider = PROVIDERS.find((known) => known === name);
    if (!provider) throw vcsErrors.INSTALLATION_NOT_FOUND();
    const own = tenantId.toLowerCase();
    await this.administration.change(caller, (current) => this.links.unlink(current, own, { provider, id }), {
      capability: 'admin',
      tenantId: own,
    });
  }

  private groupView({ installation, secret }: GroupSecret): GroupView {
    return {
      group_id: Number(installation.installationId),
      name: installation.name,
      state: installation.state,
      installation_core_id: installation.id,
      webhook_url: this.groups.webhookUrl,
      ...(secret === undefined ? {} : { webhook_secret: secret }),
    };
  }
}
