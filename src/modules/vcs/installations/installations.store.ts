import { Injectable } from '@nestjs/common';
import { IsNull, Not } from 'typeorm';
import { Secrets } from '../../../platform/crypto/secrets.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { Clock } from '../../../platform/time/clock.js';
import { InstallationEntity, type Provider } from '../entities/installation.entity.js';
import type { AppInstallation } from '../hosts/github-app.js';

/** Writes installations. The row of one (provider, id) is made once and stays. */
@Injectable()
export class InstallationsStore {
  constructor(
    private readonly work: UnitOfWork,
    private readonly secrets: Secrets,
    private readonly clock: Clock,
  ) {}

  /** What GitHub says of an installation; nothing is written where nothing differs. */
  async recordApp(installations: readonly AppInstallation[]): Promise<void> {
    await this.work.query(
      `INSERT INTO installations (id, provider, installation_id, name, target_type, state, created_at, updated_at)
       SELECT DISTINCT ON (r.id) gen_random_uuid(), 'github', r.id, r.name, r.target_type, r.state, $5, $5
         FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS r (id, name, target_type, state)
       ON CONFLICT (provider, installation_id) DO UPDATE
          SET name = excluded.name, target_type = excluded.target_type, state = excluded.state, updated_at = $5
        WHERE (installations.name, installations.target_type, installations.state)
              IS DISTINCT FROM (excluded.name, excluded.target_type, excluded.state)`,
      [
        installations.map(({ installationId }) => installationId),
        installations.map(({ name }) => name),
        installations.map(({ targetType }) => targetType),
        installations.map(({ state }) => state),
        this.clock.now(),
      ],
    );
  }

  async markUninstalled(provider: Provider, installationId: string): Promise<void> {
    await this.work.manager.update(
      InstallationEntity,
      { provider, installationId },
      { state: 'uninstalled', updatedAt: this.clock.now() },
    );
  }

  /** Undefined when the group has an installation already, also one that another request makes at this moment. */
  async createGroup(groupId: string, name: string): Promise<InstallationEntity | undefined> {
    const id = this.secrets.uuid();
    const rows = await this.work.query(
      `INSERT INTO installations (id, provider, installation_id, name, target_type, state, created_at, updated_at)
       VALUES ($1, 'gitlab', $2, $3, 'group', 'pending', $4, $4) ON CONFLICT DO NOTHING RETURNING id`,
      [id, groupId, name, this.clock.now()],
    );
    if (rows.length === 0) return undefined;
    return (await this.lock(id)) ?? undefined;
  }

  /** Inside a unit of work: nobody else links or unlinks it until that ends. */
  async lock(id: string): Promise<InstallationEntity | null> {
    return this.work.manager.findOne(InstallationEntity, {
      where: { id },
      lock: { mode: 'pessimistic_write' },
    });
  }

  async setLink(
    installation: InstallationEntity,
    link: { tenantId: string; systemUserId: string } | null,
  ): Promise<void> {
    const now = this.clock.now();
    installation.tenantId = link?.tenantId ?? null;
    installation.systemUserId = link?.systemUserId ?? null;
    installation.linkedAt = link ? now : null;
    installation.updatedAt = now;
    await this.work.manager.save(installation);
  }

  /** The webhook of a group has a new secret: the next delivery shows that it works. */
  async awaitWebhook(installation: InstallationEntity): Promise<void> {
    installation.state = 'pending';
    await this.work.manager.save(installation);
  }

  /** Whether runs of a linked installation act as this user. */
  async isSystemUser(systemUserId: string): Promise<boolean> {
    return this.work.manager.existsBy(InstallationEntity, { systemUserId, tenantId: Not(IsNull()) });
  }

  /** With everything that the database ties to it: repositories, pull requests, runs, deliveries, credentials. */
  async delete({ id }: InstallationEntity): Promise<void> {
    await this.work.manager.delete(InstallationEntity, { id });
  }
}
