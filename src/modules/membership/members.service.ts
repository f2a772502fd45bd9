import { Injectable } from '@nestjs/common';
import {
  accessErrors,
  Administration,
  covers,
  type Grants,
  isUnscoped,
  type Principal,
  Principals,
  reaches,
  scopeOf,
} from '../access/index.js';
import { Audit } from '../audit/index.js';
import { GroupRules, UserGrants } from '../capabilities/index.js';
import { Memberships } from '../tenants/index.js';
import { UserDirectory, userErrors } from '../users/index.js';
import type { MemberView, SetRoleBody } from './dto/members.dto.js';
import { administers, editsWiderGrant, scopeSeenFrom, stepsOf } from './member-scope.rules.js';
import { MemberQueries } from './members.queries.js';
import { cannotActOnSelf, membershipErrors } from './membership.errors.js';

@Injectable()
export class MembersService {
  constructor(
    private readonly administration: Administration,
    private readonly principals: Principals,
    private readonly users: UserDirectory,
    private readonly memberships: Memberships,
    private readonly grants: UserGrants,
    private readonly rules: GroupRules,
    private readonly queries: MemberQueries,
    private readonly audit: Audit,
  ) {}

  /**
   * A plain member; somebody who is one already is answered unchanged. A service account belongs to its tenant alone and
   * is not found elsewhere. A person whose account the caller's grant does not reach becomes a guest.
   */
  async add(
    caller: Principal,
    givenTenant: string,
    userId: string,
  ): Promise<{ member: MemberView; created: boolean }> {
    const tenantId = givenTenant.toLowerCase();
    return this.change(caller, tenantId, async (current) => {
      const user = await this.users.find(userId);
      if (user.type !== 'user' && user.homeTenantId !== tenantId) throw userErrors.USER_NOT_FOUND();
      const scope = scopeOf(current.capabilities, 'users-manage');
      const homes = await this.memberships.homesOf(user.id);
      const isReached = homes.length === 0 || isUnscoped(scope) || reaches(scope, homes);
      const isMember = await this.memberships.has(tenantId, user.id);
      if (!isMember) {
        await this.memberships.add(tenantId, user.id, isReached ? 'member' : 'guest');
        await this.record(current, 'member.add', { tenantId, objectId: user.id, data: {} });
      }
      return { member: await this.queries.one(tenantId, user.id), created: !isMember };
    });
  }

  async setRole(
    caller: Principal,
    givenTenant: string,
    userId: string | undefined,
    change: SetRoleBody,
  ): Promise<MemberView> {
    const tenantId = givenTenant.toLowerCase();
    return this.change(caller, tenantId, async (current) => {
      const isAdmin = covers(current.capabilities, { capability: 'admin', tenantId });
      if (change.tenant_admin === true && !isAdmin) throw accessErrors.CAPABILITY_UNAUTHORIZED();
      const member = await this.queries.one(tenantId, userId);
      const grants = await this.grants.of(member.user_id);
      const steps = stepsOf(change, grants, tenantId);
      const taken = steps.filter(({ give }) => !give);
      if (taken.some(({ capability }) => capability === 'admin')) {
        if (!isAdmin) throw accessErrors.CAPABILITY_UNAUTHORIZED();
        await this.checkNotLast(tenantId, member.user_id, grants);
      }
      if (taken.length > 0 && member.user_id === current.userId) throw cannotActOnSelf();
      if (editsWiderGrant(change, grants, tenantId)) throw membershipErrors.GRANT_WIDER_THAN_TENANT();
      for (const { capability, give } of steps) {
        if (give) await this.grants.extend(member.user_id, capability, tenantId);
        else await this.grants.withdraw(member.user_id, tenantId, capability);
      }
      const { tenant_admin, can_manage_users } = change;
      if (steps.length > 0) {
        await this.record(current, 'member.set-role', {
          tenantId,
          objectId: member.user_id,
          data: {
            tenant_admin,
            can_manage_users,
          },
        });
      }
      return this.queries.one(tenantId, member.user_id);
    });
  }

  /** Takes the grants on this tenant along, in the same transaction. */
  async remove(caller: Principal, givenTenant: string, userId: string | undefined): Promise<string> {
    const tenantId = givenTenant.toLowerCase();
    return this.change(caller, tenantId, async (current) => {
      const member = await this.queries.one(tenantId, userId);
      const grants = await this.grants.of(member.user_id);
      const isAdmin = covers(current.capabilities, { capability: 'admin', tenantId });
      // What a group rule gives counts here too: a user manager does not remove an administrator.
      const held = await this.principals.heldBy(member.user_id);
      if (administers(held, tenantId) && !isAdmin) throw accessErrors.CAPABILITY_UNAUTHORIZED();
      if (administers(grants, tenantId)) await this.checkNotLast(tenantId, member.user_id, grants);
      if (member.user_id === current.userId) throw cannotActOnSelf();
      const isWider = (['admin', 'users-manage'] as const).some(
        (capability) => scopeSeenFrom(grants, capability, tenantId) === 'wider',
      );
      if (isWider) throw membershipErrors.GRANT_WIDER_THAN_TENANT();
      await this.memberships.remove(tenantId, member.user_id);
      await this.rules.withdraw(member.user_id, tenantId);
      await this.grants.withdraw(member.user_id, tenantId);
      await this.record(current, 'member.remove', { tenantId, objectId: member.user_id, data: {} });
      return member.user_id;
    });
  }

  private change<T>(
    caller: Principal,
    tenantId: string,
    task: (current: Principal) => Promise<T>,
  ): Promise<T> {
    return this.administration.change(caller, task, { capability: 'users-manage', tenantId });
  }

  private async checkNotLast(tenantId: string, userId: string, grants: Grants): Promise<void> {
    if (administers(grants, tenantId) && !(await this.grants.anotherTenantAdmin(tenantId, userId))) {
      throw membershipErrors.LAST_TENANT_ADMIN();
    }
  }

  private async record(
    actor: Principal,
    action: string,
    { tenantId, objectId, data }: { tenantId: string; objectId: string; data: Record<string, unknown> },
  ): Promise<void> {
    await this.audit.record({ actor, action, objectType: 'member', objectId, tenantId, data });
  }
}
