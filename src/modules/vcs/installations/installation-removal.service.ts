import { Injectable } from '@nestjs/common';
import { Events } from '../../../platform/events/index.js';
import { Administration, isUuid, type Principal } from '../../access/index.js';
import { Audit } from '../../audit/index.js';
import { type InstallationEntity, PROVIDERS } from '../entities/installation.entity.js';
import { InstallationDeleted } from '../installation-deleted.event.js';
import { vcsErrors } from '../vcs.errors.js';
import { InstallationsStore } from './installations.store.js';

/**
 * Deletes installations for good. Unlinking and uninstalling keep the row; only an administrator of the whole service
 * removes it, and only while no tenant has it.
 */
@Injectable()
export class InstallationRemoval {
  constructor(
    private readonly administration: Administration,
    private readonly installations: InstallationsStore,
    private readonly events: Events,
    private readonly audit: Audit,
  ) {}

  /** 404 for an unknown one, 409 while it is linked. Whatever is keyed by it goes in the same transaction. */
  async remove(caller: Principal, provider: string, id: string): Promise<void> {
    const remove = async (current: Principal): Promise<void> => {
      const installation = await this.lock(provider, id);
      if (installation.tenantId !== null)
        throw vcsErrors.INSTALLATION_LINKED('the installation is linked to a tenant; unlink it first');
      await this.installations.delete(installation);
      await this.events.publish(new InstallationDeleted(installation.provider, installation.installationId));
      await this.recordAudit(current, installation);
    };
    await this.administration.change(caller, remove, { capability: 'admin' });
  }

  private async lock(name: string, id: string): Promise<InstallationEntity> {
    const provider = PROVIDERS.find((known) => known === name);
    const installation = provider && isUuid(id) ? await this.installations.lock(id.toLowerCase()) : null;
    if (!installation || installation.provider !== provider) throw vcsErrors.INSTALLATION_NOT_FOUND();
    return installation;
  }

  private async recordAudit(
    actor: Principal,
    { id, provider, installationId, name }: InstallationEntity,
  ): Promise<void> {
    await this.audit.record({
      actor,
      action: 'installation.delete',
      objectType: 'installation',
      objectId: id,
      data: { provider, installation_id: installationId, name },
    });
  }
}
