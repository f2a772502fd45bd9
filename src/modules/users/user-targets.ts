import { Injectable } from '@nestjs/common';
import { type Grants, type Principal, Principals } from '../access/index.js';
import { Audit } from '../audit/index.js';
import { UserGrants } from '../capabilities/index.js';
import { Memberships } from '../tenants/index.js';
import type { Target } from './authority.rules.js';
import type { UserEntity } from './entities/user.entity.js';

interface UserRecord {
  user: UserEntity;
  data: Record<string, unknown>;
  /** the tenants of the user */
  tenantIds?: readonly string[];
}

/** Users that somebody administers: what the rules of authority need to know, and the audit trail. */
@Injectable()
export class UserTargets {
  constructor(
    private readonly grants: UserGrants,
    private readonly principals: Principals,
    private readonly memberships: Memberships,
    private readonly audit: Audit,
  ) {}

  async find(user: UserEntity): Promise<Target & { grants: Grants }> {
    const { homeTenantId } = user;
    return {
      grants: await this.grants.of(user.id),
      held: await this.principals.rankOf(user.id),
      tenantIds: await this.memberships.tenantsOf(user.id),
      homeTenantIds: homeTenantId === null ? await this.memberships.homesOf(user.id) : [homeTenantId],
    };
  }

  /** The entry also appears in the tenant's trail when the user belongs to exactly one tenant. */
  async recordAudit(
    caller: Principal,
    action: string,
    { user, data, tenantIds = [] }: UserRecord,
  ): Promise<void> {
    const [tenantId, ...more] = tenantIds;
    const place = tenantId === undefined || more.length > 0 ? {} : { tenantId };
    await this.audit.record({
      actor: caller,
      action,
      objectType: 'user',
      objectId: user.id,
      ...place,
      data,
    });
  }
}
