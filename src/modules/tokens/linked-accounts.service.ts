import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { UnitOfWork } from '../../platform/database/index.js';
import { isInstallationAdmin, Principals, within } from '../access/index.js';
import { ApiKeyEntity } from './entities/api-key.entity.js';
import { RefreshTokenEntity } from './entities/refresh-token.entity.js';
import { cutDown, tokenCapabilitiesOf } from './token-capabilities.rules.js';

/**
 * What happens to keys and refresh tokens when an account turns out to be a person's. Somebody else may have made them:
 * they keep what the account reaches at that moment, and get nothing of what the person gets later.
 */
@Injectable()
export class LinkedAccounts {
  constructor(
    private readonly work: UnitOfWork,
    private readonly principals: Principals,
  ) {}

  /** Inside the unit of work that links the account, before the person gets anything more. */
  async limitCredentials(userId: string): Promise<void> {
    const tenants = await this.reachedTenants(userId);
    for (const key of await this.work.manager.findBy(ApiKeyEntity, { ownerId: userId, revokedAt: IsNull() }))
      await this.limitKey(key, tenants);
    const owner = await this.principals.ofUser(userId, { kind: 'session', credentialId: 'link' });
    const tokens = await this.work.manager.findBy(RefreshTokenEntity, {
      ownerId: userId,
      revokedAt: IsNull(),
    });
    for (const { id, capabilities } of tokens)
      await this.work.manager.update(
        RefreshTokenEntity,
        { id },
        {
          tenantCeiling: tenants,
          capabilities: owner ? cutDown(capabilities, tokenCapabilitiesOf(owner)) : [],
        },
      );
  }

  private async limitKey({ id, stateTenants }: ApiKeyEntity, tenants: string[]): Promise<void> {
    const held = (await this.principals.ofKeyId(id))?.capabilities ?? {};
    const capabilities = isInstallationAdmin(held)
      ? held
      : within(held, tenants, (stateId) => stateTenants[stateId]);
    await this.work.manager.update(ApiKeyEntity, { id }, { capabilities, tenantCeiling: tenants });
  }

  private async reachedTenants(userId: string): Promise<string[]> {
    const held = await this.principals.heldBy(userId);
    const rows = await this.work.query<{ id: string }>(
      `SELECT t.id FROM tenants t
        WHERE $2 OR t.id = ANY ($3::uuid[])
           OR EXISTS (SELECT FROM tenant_members m WHERE m.tenant_id = t.id AND m.user_id = $1)
        ORDER BY t.id`,
      [userId, isInstallationAdmin(held), held.admin?.tenants ?? []],
    );
    return rows.map((row) => row.id);
  }
}
