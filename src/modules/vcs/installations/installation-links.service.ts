import { Injectable } from '@nestjs/common';
import { AppError } from '../../../platform/errors/index.js';
import { Events, HandlesEvent } from '../../../platform/events/index.js';
import { type Principal } from '../../access/index.js';
import { Audit } from '../../audit/index.js';
import { Memberships } from '../../tenants/index.js';
import { UserDeleted, UserDirectory } from '../../users/index.js';
import type { InstallationEntity, Provider } from '../entities/installation.entity.js';
import { GroupCredentials } from '../hosts/group-credentials.store.js';
import { InstallationUnlinked } from '../installation-unlinked.event.js';
import { RepositoriesFound } from '../repositories-found.event.js';
import { vcsErrors } from '../vcs.errors.js';
import { InstallationsStore } from './installations.store.js';
import { isUuid } from '../../../platform/text/uuid.js';

/** Ties installations to tenants. With the link comes a user that runs act as; it ends with the link. */
@Injectable()
export class InstallationLinks {
  constructor(
    private readonly installations: InstallationsStore,
    private readonly credentials: GroupCredentials,
    private readonly users: UserDirectory,
    private readonly memberships: Memberships,
    private readonly events: Events,
    private readonly audit: Audit,
  ) {}

  /**
   * Inside a unit of work. 404 for an unknown one, 409 when another tenant has it, nothing when the tenant has it already.
   */
  async link(
    actor: Principal,
    tenantId: string,
    target: { provider: Provider; id: string },
    action: 'installation.link' | 'installation.claim' | 'installation.provision',
  ): Promise<InstallationEntity> {
    const installation = isUuid(target.id) ? await this.installations.lock(target.id.toLowerCase()) : null;
    if (!installation || installation.provider !== target.provider) throw vcsErrors.INSTALLATION_NOT_FOUND();
    if (installation.tenantId === tenantId) return installation;
    if (installation.tenantId !== null) throw vcsErrors.INSTALLATION_LINKED();
    const user = await this.users.create({ type: 'system', name: installation.name, homeTenantId: tenantId });
    await this.memberships.add(tenantId, user.id);
    await this.installations.setLink(installation, { tenantId, systemUserId: user.id });
    await this.events.publish(new RepositoriesFound(installation.id));
    await this.record(actor, action, tenantId, installation);
    return installation;
  }

  /**
   * Inside a unit of work. The records stay, the secrets of a group do not: whoever links it next must not act with them.
   * What is queued ends with `InstallationUnlinked`.
   */
  async unlink(
    actor: Principal,
    tenantId: string,
    target: { provider: Provider; id: string },
  ): Promise<void> {
    const installation = isUuid(target.id) ? await this.installations.lock(target.id.toLowerCase()) : null;
    if (!installation || installation.provider !== target.provider || installation.tenantId !== tenantId)
      throw vcsErrors.INSTALLATION_NOT_FOUND();
    const { systemUserId } = installation;
    await this.events.publish(new InstallationUnlinked(installation.id, tenantId));
    await this.installations.setLink(installation, null);
    if (installation.provider === 'gitlab') {
      await this.credentials.forget(installation.id);
      await this.installations.awaitWebhook(installation);
    }
    if (systemUserId !== null) await this.endSystemUser(tenantId, systemUserId);
    await this.record(actor, 'installation.unlink', tenantId, installation);
  }

  /** A deleted user would leave runs without access to their states. */
  @HandlesEvent(UserDeleted)
  async keepSystemUser({ userId }: UserDeleted): Promise<void> {
    if (await this.installations.isSystemUser(userId)) throw vcsErrors.SYSTEM_USER_IN_USE();
  }

  private async endSystemUser(tenantId: string, userId: string): Promise<void> {
    await this.memberships.remove(tenantId, userId);
    // An administrator may have deleted the user before.
    const user = await this.users.lock(userId).catch((error: unknown) => {
      if (error instanceof AppError) return undefined;
      throw error;
    });
    if (user) await this.users.remove(user);
  }

  private async record(
    actor: Principal,
    action: string,
    tenantId: string,
    { id, provider, installationId, name }: InstallationEntity,
  ): Promise<void> {
    await this.audit.record({
      actor,
      action,
      objectType: 'installation',
      objectId: id,
      tenantId,
      data: { provider, installation_id: installationId, name },
    });
  }
}
