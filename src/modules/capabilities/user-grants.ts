import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { ADVISORY_LOCKS, UnitOfWork } from '../../platform/database/index.js';
import { Events } from '../../platform/events/index.js';
import { Administration, type Capability, type Grants, type Scope } from '../access/index.js';
import { UserGrantEntity } from './entities/user-grant.entity.js';
import { RightsReduced } from './rights-reduced.event.js';

/** The grants that belong to a user for good, as opposed to what defaults and group rules add. */
@Injectable()
export class UserGrants {
  constructor(
    private readonly work: UnitOfWork,
    private readonly administration: Administration,
    private readonly events: Events,
  ) {}

  /** Inside a unit of work, before asking who the last administrator is and acting on the answer. */
  async lockAdministration(): Promise<void> {
    await this.work.query('SELECT pg_advisory_xact_lock($1)', [ADVISORY_LOCKS.administration]);
  }

  async of(userId: string): Promise<Grants> {
    return (await this.ofMany([userId])).get(userId) ?? {};
  }

  async ofMany(userIds: readonly string[]): Promise<Map<string, Grants>> {
    const rows = await this.work.manager.findBy(UserGrantEntity, { userId: In([...userIds]) });
    const grants = new Map<string, Partial<Record<Capability, Scope>>>();
    for (const { userId, capability, tenants } of rows) {
      grants.set(userId, { ...grants.get(userId), [capability]: tenants === null ? {} : { tenants } });
    }
    return grants;
  }

  /** Replaces whatever the user had of this capability; `null` is unscoped. */
  async put(userId: string, capability: Capability, tenants: readonly string[] | null): Promise<void> {
    await this.work.query(
      `INSERT INTO user_grants (user_id, capability, tenants) VALUES ($1, $2, $3::uuid[])
       ON CONFLICT (user_id, capability) DO UPDATE SET tenants = excluded.tenants`,
      [userId, capability, tenants],
    );
  }

  /** Adds a tenant to the allow-list; an unscoped grant stays what it is. */
  async extend(userId: string, capability: Capability, tenantId: string): Promise<void> {
    await this.work.query(
      `INSERT INTO user_grants (user_id, capability, tenants) VALUES ($1, $2, ARRAY[$3::uuid])
       ON CONFLICT (user_id, capability) DO UPDATE SET tenants = user_grants.tenants || $3::uuid
        WHERE user_grants.tenants IS NOT NULL AND NOT $3::uuid = ANY (user_grants.tenants)`,
      [userId, capability, tenantId],
    );
  }

  /** Takes a tenant off the allow-lists of one capability, or of all; unscoped grants stay. */
  async withdraw(userId: string, tenantId: string, capability?: Capability): Promise<void> {
    const parameters = [userId, tenantId, capability ?? null];
    const reached = `user_id = $1 AND $2::uuid = ANY (tenants) AND ($3::text IS NULL OR capability = $3)`;
    await this.work.query(
      `DELETE FROM user_grants WHERE ${reached} AND tenants <@ ARRAY[$2::uuid]`,
      parameters,
    );
    await this.work.query(
      `UPDATE user_grants SET tenants = array_remove(tenants, $2::uuid) WHERE ${reached}`,
      parameters,
    );
    await this.announceLoss(userId);
  }

  /** False when there was no unscoped grant to remove. */
  async removeUnscoped(userId: string, capability: Capability): Promise<boolean> {
    const rows = await this.work.query<{ user_id: string }>(
      'DELETE FROM user_grants WHERE user_id = $1 AND capability = $2 AND tenants IS NULL RETURNING user_id',
      [userId, capability],
    );
    if (rows.length > 0) await this.announceLoss(userId);
    return rows.length > 0;
  }

  async removeAll(userId: string): Promise<void> {
    await this.work.manager.delete(UserGrantEntity, { userId });
    await this.announceLoss(userId);
  }

  /** Writes that were judged with the rights before commit first; then what depends on those rights ends. */
  private async announceLoss(userId: string): Promise<void> {
    await this.administration.waitForWritesOf(userId);
    await this.events.publish(new RightsReduced(userId));
  }

  /** Whether a person besides this user administers the installation. Service accounts cannot sign in and do not count. */
  async anotherInstallationAdmin(userId: string): Promise<boolean> {
    const rows = await this.work.query(
      `SELECT g.user_id FROM user_grants g JOIN users u ON u.id = g.user_id
        WHERE g.capability = 'admin' AND g.tenants IS NULL AND u.id <> $1 AND u.type = 'user' AND u.deleted_at IS NULL
        LIMIT 1`,
      [userId],
    );
    return rows.length > 0;
  }

  /** Whether a person besides this user administers the tenant and is its member, be it as installation admin. */
  async anotherTenantAdmin(tenantId: string, userId: string): Promise<boolean> {
    const rows = await this.work.query(
      `SELECT g.user_id FROM user_grants g JOIN users u ON u.id = g.user_id
         JOIN tenant_members m ON m.user_id = u.id AND m.tenant_id = $1
        WHERE g.capability = 'admin' AND (g.tenants IS NULL OR $1 = ANY (g.tenants))
          AND u.id <> $2 AND u.type = 'user' AND u.deleted_at IS NULL
        LIMIT 1`,
      [tenantId, userId],
    );
    return rows.length > 0;
  }
}
