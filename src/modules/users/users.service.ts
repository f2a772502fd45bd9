import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { httpErrors } from '../../platform/errors/index.js';
import {
  accessErrors,
  Administration,
  type Grants,
  isInstallationAdmin,
  isUuid,
  type Principal,
  Principals,
  RateLimits,
  scopeOf,
} from '../access/index.js';
import { Audit } from '../audit/index.js';
import { UserGrants } from '../capabilities/index.js';
import { Memberships } from '../tenants/index.js';
import {
  mayChange,
  mayChangeEmail,
  mayDelete,
  maySee,
  type Target,
  tenantsToJoin,
} from './authority.rules.js';
import type { ChangePasswordBody, CreateUserBody, UpdateUserBody } from './dto/users.dto.js';
import type { UserEntity } from './entities/user.entity.js';
import { Passwords } from './passwords.js';
import { UserAdministration } from './user-administration.js';
import { UserDirectory } from './user-directory.js';
import { userErrors } from './user.errors.js';

export interface UserWithGrants {
  user: UserEntity;
  grants: Grants;
}

interface UserRecord {
  user: UserEntity;
  data: Record<string, unknown>;
  /** the tenants of the user */
  tenantIds?: readonly string[];
}

@Injectable()
export class UsersService {
  constructor(
    private readonly config: Config,
    private readonly administration: Administration,
    private readonly limits: RateLimits,
    private readonly principals: Principals,
    private readonly directory: UserDirectory,
    private readonly grants: UserGrants,
    private readonly memberships: Memberships,
    private readonly instanceAdmins: UserAdministration,
    private readonly passwords: Passwords,
    private readonly audit: Audit,
  ) {}

  async detail(caller: Principal, userId: string | undefined): Promise<UserWithGrants> {
    const user = await this.directory.find(userId);
    const target = await this.targetOf(user);
    if (!maySee(caller.capabilities, target)) throw accessErrors.CAPABILITY_UNAUTHORIZED();
    return { user, grants: target.grants };
  }

  /**
   * The new user joins the caller's tenants that the grant reaches; a grant that reaches none is 403.
   * @param left aborted when the client goes away before the password is hashed
   */
  async create(caller: Principal, body: CreateUserBody, left?: AbortSignal): Promise<UserWithGrants> {
    tenantsForNewUser(caller, body);
    const passwordHash = await this.passwords.hash(body.password, caller.userId, left);
    return this.administration.change(caller, async (current) => {
      const tenantIds = tenantsForNewUser(current, body);
      const { name, email } = body;
      const user = await this.directory.create({
        type: 'user',
        name,
        ...(email === undefined ? {} : { email }),
        passwordHash,
        authOrigin: 'local',
      });
      await this.record(current, 'user.create', { user, data: { name, email, tenant_ids: tenantIds } });
      for (const tenantId of tenantIds) {
        await this.memberships.add(tenantId, user.id);
        const member = { objectType: 'member', objectId: user.id, tenantId };
        await this.audit.record({ actor: current, action: 'member.add', ...member });
      }
      if (!body.is_instance_admin) return { user, grants: {} };
      return { user, grants: await this.instanceAdmins.set(current, user.id, { value: true }) };
    });
  }

  /** All or nothing: a refusal of the admin flag discards name, email and avatar too. */
  async update(caller: Principal, userId: string | undefined, body: UpdateUserBody): Promise<UserWithGrants> {
    // Null is how some clients write that a field stays as it is.
    const isAdmin = body.is_instance_admin ?? undefined;
    const email = body.email ?? undefined;
    const lacksAdmin = email !== undefined && caller.capabilities.admin === undefined;
    const lacksInstallation = isAdmin !== undefined && !isInstallationAdmin(caller.capabilities);
    if (lacksAdmin || lacksInstallation) throw accessErrors.CAPABILITY_UNAUTHORIZED();
    return this.administration.change(caller, async (current) => {
      const user = await this.directory.lock(userId);
      const target = await this.targetOf(user);
      const allowed = email === undefined ? mayChange : mayChangeEmail;
      if (!allowed(current.capabilities, target)) throw accessErrors.CAPABILITY_UNAUTHORIZED();
      const grants =
        isAdmin === undefined
          ? target.grants
          : await this.instanceAdmins.set(current, user.id, { value: isAdmin });
      user.name = body.name ?? user.name;
      user.email = email ?? user.email;
      user.avatarUrl = body.avatar_url ?? user.avatarUrl;
      await this.directory.store(user);
      const { name, avatar_url } = body;
      await this.record(current, 'user.update', {
        user,
        data: { name, email, avatar_url },
        tenantIds: target.tenantIds,
      });
      return { user, grants };
    });
  }

  async delete(caller: Principal, userId: string | undefined): Promise<UserEntity> {
    return this.administration.change(caller, async (current) => {
      const user = await this.directory.lock(userId);
      const target = await this.targetOf(user);
      if (!mayDelete(current.capabilities, target)) throw accessErrors.CAPABILITY_UNAUTHORIZED();
      if (await this.instanceAdmins.isLast(user.id, target.grants))
        throw userErrors.CANNOT_DELETE_LAST_ADMIN();
      if (user.id === current.userId) throw userErrors.CANNOT_DELETE_OWN_ACCOUNT();
      await this.directory.remove(user);
      await this.grants.removeAll(user.id);
      await this.record(current, 'user.delete', {
        user,
        data: { name: user.name },
        tenantIds: target.tenantIds,
      });
      return user;
    });
  }

  async setInstanceAdmin(
    caller: Principal,
    userId: string | undefined,
    { value }: { value: boolean },
  ): Promise<Grants> {
    if (!isInstallationAdmin(caller.capabilities)) throw accessErrors.CAPABILITY_UNAUTHORIZED();
    return this.administration.change(caller, async (current) => {
      const user = await this.directory.lock(userId);
      return this.instanceAdmins.set(current, user.id, { value });
    });
  }

  /** One's own needs the current password, anybody else's needs authority. Either ends the user's sessions. */
  async changePassword(
    caller: Principal,
    userId: string | undefined,
    body: ChangePasswordBody,
    left?: AbortSignal,
  ): Promise<UserEntity> {
    const own = isUuid(userId) && userId.toLowerCase() === caller.userId;
    if (!own && !scopeOf(caller.capabilities, 'users-manage')) throw accessErrors.CAPABILITY_UNAUTHORIZED();
    const before = await this.directory.find(userId);
    if (own) await this.checkCurrent(before, body.current_password ?? undefined);
    else await this.checkAuthority(caller, before);
    if (before.type !== 'user') throw httpErrors.INVALID_REQUEST('a service account has no password');
    const passwordHash = await this.passwords.hash(body.new_password, caller.userId, left);
    return this.administration.change(caller, async (current) => {
      const user = await this.directory.lock(userId);
      // Hashing takes its time: what was checked before it has to hold still.
      if (!own) await this.checkAuthority(current, user);
      else if (user.passwordHash !== before.passwordHash) throw userErrors.WRONG_CURRENT_PASSWORD();
      user.passwordHash = passwordHash;
      user.sessionEpoch += 1;
      await this.directory.store(user);
      const tenantIds = await this.memberships.tenantsOf(user.id);
      await this.record(current, 'user.change-password', { user, data: { own }, tenantIds });
      return user;
    });
  }

  private async checkAuthority(caller: Principal, user: UserEntity): Promise<void> {
    if (!mayChange(caller.capabilities, await this.targetOf(user)))
      throw accessErrors.CAPABILITY_UNAUTHORIZED();
  }

  /** Limited like a login: whoever has got hold of a session must not find out the password with it. */
  private async checkCurrent(user: UserEntity, current: string | undefined): Promise<void> {
    if (current === undefined)
      throw httpErrors.INVALID_REQUEST('current_password is needed for your own password');
    const limit = this.config.get('SERVICE_LOGIN_RATE_PER_ACCOUNT');
    await this.limits.hit({ name: 'password:account', subject: user.id, limit, windowSeconds: 60 });
    if (!(await this.passwords.matches(current, user.passwordHash)))
      throw userErrors.WRONG_CURRENT_PASSWORD();
  }

  private async targetOf(user: UserEntity): Promise<Target & { grants: Grants }> {
    const { homeTenantId } = user;
    return {
      grants: await this.grants.of(user.id),
      held: await this.principals.rankOf(user.id),
      tenantIds: await this.memberships.tenantsOf(user.id),
      homeTenantIds: homeTenantId === null ? await this.memberships.homesOf(user.id) : [homeTenantId],
    };
  }

  /** Stands in the trail of the tenant, too, when the user belongs to exactly one. */
  private async record(
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

/** Refuses where the caller's grant reaches none of their tenants, or would promote beyond what they hold. */
function tenantsForNewUser({ capabilities, tenantIds }: Principal, body: CreateUserBody): string[] {
  const joined = tenantsToJoin(capabilities, tenantIds);
  const promotes = body.is_instance_admin === true && !isInstallationAdmin(capabilities);
  if (joined.length === 0 || promotes) throw accessErrors.CAPABILITY_UNAUTHORIZED();
  return joined;
}
