import { Injectable } from '@nestjs/common';
import {
  accessErrors,
  Administration,
  type Grants,
  isInstallationAdmin,
  type Principal,
} from '../access/index.js';
import { Audit } from '../audit/index.js';
import { UserGrants } from '../capabilities/index.js';
import { Memberships } from '../tenants/index.js';
import { mayChange, mayChangeEmail, mayDelete, maySee, tenantsToJoin } from './authority.rules.js';
import type { CreateUserBody, UpdateUserBody } from './dto/users.dto.js';
import type { UserEntity } from './entities/user.entity.js';
import { Passwords } from './passwords.js';
import { UserAdministration } from './user-administration.js';
import { UserDirectory } from './user-directory.js';
import { UserTargets } from './user-targets.js';
import { userErrors } from './user.errors.js';

export interface UserWithGrants {
  user: UserEntity;
  grants: Grants;
}

/** Shows, creates, changes and deletes users. */
@Injectable()
export class UsersService {
  constructor(
    private readonly administration: Administration,
    private readonly directory: UserDirectory,
    private readonly targets: UserTargets,
    private readonly grants: UserGrants,
    private readonly memberships: Memberships,
    private readonly instanceAdmins: UserAdministration,
    private readonly passwords: Passwords,
    private readonly audit: Audit,
  ) {}

  async detail(caller: Principal, userId: string | undefined): Promise<UserWithGrants> {
    const user = await this.directory.find(userId);
    const target = await this.targets.find(user);
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
      await this.targets.recordAudit(current, 'user.create', {
        user,
        data: { name, email, tenant_ids: tenantIds },
      });
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
      const target = await this.targets.find(user);
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
      await this.targets.recordAudit(current, 'user.update', {
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
      const target = await this.targets.find(user);
      if (!mayDelete(current.capabilities, target)) throw accessErrors.CAPABILITY_UNAUTHORIZED();
      if (await this.instanceAdmins.isLast(user.id, target.grants))
        throw userErrors.CANNOT_DELETE_LAST_ADMIN();
      if (user.id === current.userId) throw userErrors.CANNOT_DELETE_OWN_ACCOUNT();
      await this.directory.remove(user);
      await this.grants.removeAll(user.id);
      await this.targets.recordAudit(current, 'user.delete', {
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
}

/** Refuses where the caller's grant reaches none of their tenants, or would promote beyond what they hold. */
function tenantsForNewUser({ capabilities, tenantIds }: Principal, body: CreateUserBody): string[] {
  const joined = tenantsToJoin(capabilities, tenantIds);
  const promotes = body.is_instance_admin === true && !isInstallationAdmin(capabilities);
  if (joined.length === 0 || promotes) throw accessErrors.CAPABILITY_UNAUTHORIZED();
  return joined;
}
