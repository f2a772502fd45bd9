import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { httpErrors } from '../../../platform/errors/index.js';
import { Administration, type Principal } from '../../access/index.js';
import { Audit } from '../../audit/index.js';
import type { ChangeGroupBody, ProvisionGroupBody } from '../dto/installations.dto.js';
import type { InstallationEntity } from '../entities/installation.entity.js';
import { GroupCredentials } from '../hosts/group-credentials.store.js';
import { VcsSettings } from '../hosts/vcs-settings.js';
import { vcsErrors } from '../vcs.errors.js';
import { GroupAccess } from './group-access.service.js';
import { GroupRecords } from './group-records.js';
import { InstallationLinks } from './installation-links.service.js';

export interface GroupSecret {
  installation: InstallationEntity;
  /** only when it was made by this request */
  secret?: string;
}

/** GitLab groups of tenants: connecting one, and its two secrets. Tokens are tried before anything is stored. */
@Injectable()
export class GroupsService {
  constructor(
    private readonly settings: VcsSettings,
    private readonly work: UnitOfWork,
    private readonly administration: Administration,
    private readonly records: GroupRecords,
    private readonly links: InstallationLinks,
    private readonly credentials: GroupCredentials,
    private readonly groupAccess: GroupAccess,
    private readonly audit: Audit,
  ) {}

  get webhookUrl(): string {
    return this.settings.apiAddress('/gitlab/events');
  }

  async provision(
    caller: Principal,
    tenantId: string,
    body: ProvisionGroupBody,
  ): Promise<Required<GroupSecret>> {
    if (!this.settings.isProvisioningEnabled) throw vcsErrors.PROVISIONING_DISABLED();
    const groupId = String(body.group_id);
    if (await this.records.find(groupId)) throw vcsErrors.GROUP_EXISTS();
    await this.groupAccess.checkToken(groupId, body.access_token);
    const own = tenantId.toLowerCase();
    const provision = async (current: Principal): Promise<Required<GroupSecret>> => {
      const created = await this.records.create(groupId, { name: body.name, token: body.access_token });
      if (!created) throw vcsErrors.GROUP_EXISTS();
      const target = { provider: 'gitlab', id: created.installation.id } as const;
      const installation = await this.links.link(current, own, target, 'installation.provision');
      return { installation, secret: created.secret };
    };
    return this.administration.change(caller, provision, { capability: 'admin', tenantId: own });
  }

  /** A new token, a new webhook secret, or both. 404 for a group that is not linked to the tenant. */
  async change(
    caller: Principal,
    tenantId: string,
    groupId: string,
    { access_token: token, regenerate_webhook_secret: regenerates }: ChangeGroupBody,
  ): Promise<GroupSecret> {
    if (token === undefined && regenerates !== true)
      throw httpErrors.INVALID_REQUEST('access_token or regenerate_webhook_secret must be given');
    const own = tenantId.toLowerCase();
    const find = async (): Promise<InstallationEntity> => {
      const installation = await this.records.find(groupId);
      if (installation?.tenantId !== own) throw vcsErrors.INSTALLATION_NOT_FOUND();
      return installation;
    };
    await find();
    if (token !== undefined) await this.groupAccess.checkToken(groupId, token);
    const change = async (current: Principal): Promise<GroupSecret> => {
      const installation = await this.records.lock(await find());
      if (installation?.tenantId !== own) throw vcsErrors.INSTALLATION_NOT_FOUND();
      if (token !== undefined) await this.credentials.replaceToken(installation.id, token);
      const secret = regenerates === true ? await this.credentials.replaceSecret(installation.id) : undefined;
      const data = { access_token: token !== undefined, webhook_secret: secret !== undefined };
      await this.record(current, 'installation.rotate', installation, data);
      return { installation, ...(secret === undefined ? {} : { secret }) };
    };
    return this.administration.change(caller, change, { capability: 'admin', tenantId: own });
  }

  /** For Maintainers of the group at the provider: registers it without a tenant when nobody did before. */
  async showWebhook(caller: Principal, groupId: string): Promise<Required<GroupSecret>> {
    await this.groupAccess.requireMaintainer(caller, groupId);
    return this.work.run(async () => {
      const created = await this.records.create(groupId, { name: groupId });
      if (created) await this.record(caller, 'installation.register', created.installation, {});
      const installation = created?.installation ?? (await this.records.find(groupId));
      const secret = installation && (await this.credentials.findSecret(installation.id));
      if (!installation || secret === undefined || secret === null) throw vcsErrors.INSTALLATION_NOT_FOUND();
      return { installation, secret };
    });
  }

  /** For Maintainers of the group at the provider. */
  async replaceToken(caller: Principal, groupId: string, token: string): Promise<void> {
    await this.groupAccess.requireMaintainer(caller, groupId);
    const installation = await this.records.find(groupId);
    if (!installation) throw httpErrors.FORBIDDEN();
    await this.groupAccess.checkToken(groupId, token);
    await this.work.run(async () => {
      await this.credentials.replaceToken(installation.id, token);
      await this.record(caller, 'installation.rotate', installation, { access_token: true });
    });
  }

  async listMaintained(caller: Principal): Promise<{ id: number; name: string }[]> {
    return this.settings.isEnabled ? this.groupAccess.listMaintained(caller) : [];
  }

  private async record(
    actor: Principal,
    action: string,
    { id, installationId, name, tenantId }: InstallationEntity,
    data: Record<string, boolean>,
  ): Promise<void> {
    await this.audit.record({
      actor,
      action,
      objectType: 'installation',
      objectId: id,
      ...(tenantId === null ? {} : { tenantId }),
      data: { provider: 'gitlab', installation_id: installationId, name, ...data },
    });
  }
}
