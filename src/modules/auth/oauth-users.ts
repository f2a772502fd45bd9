import { Injectable } from '@nestjs/common';
import { Audit } from '../audit/index.js';
import { UserGrants } from '../capabilities/index.js';
import { Memberships, TenantsService } from '../tenants/index.js';
import { LinkedAccounts } from '../tokens/index.js';
import { UserDirectory, type UserEntity } from '../users/index.js';
import type { Identity } from './identity.rules.js';
import { authErrors } from './auth.errors.js';

/** Finds or makes the user behind an identity at the provider. */
@Injectable()
export class OAuthUsers {
  constructor(
    private readonly users: UserDirectory,
    private readonly tenants: TenantsService,
    private readonly memberships: Memberships,
    private readonly grants: UserGrants,
    private readonly linked: LinkedAccounts,
    private readonly audit: Audit,
  ) {}

  /** Inside a unit of work. */
  async resolve(provider: string, identity: Identity): Promise<UserEntity> {
    const known = await this.users.findBySubject(provider, identity.subject);
    if (known) return known;
    // First sign-ins take turns: two of the same person make one user, and there is one first user.
    await this.grants.lockAdministration();
    const meanwhile = await this.users.findBySubject(provider, identity.subject);
    if (meanwhile) return meanwhile;
    const namesake = await this.users.findByEmail(identity.email);
    return namesake
      ? this.link(await this.users.lock(namesake.id), provider, identity)
      : this.create(provider, identity);
  }

  /**
   * An account from before single sign-on is the same person's only when the provider vouches for the address. Whoever
   * made the account may have known its password: its sessions end, and its keys reach nothing more than they do now.
   */
  private async link(user: UserEntity, provider: string, identity: Identity): Promise<UserEntity> {
    if (!identity.emailVerified || user.type !== 'user' || user.authSubject !== null)
      throw authErrors.LOGIN_FAILED();
    user.authOrigin = provider;
    user.authSubject = identity.subject;
    user.sessionEpoch += 1;
    await this.users.store(user);
    await this.linked.limitCredentials(user.id);
    await this.record('user.link', user, provider);
    return user;
  }

  private async create(provider: string, identity: Identity): Promise<UserEntity> {
    const isFirst = !(await this.users.anyExists());
    const { name, email, subject, avatarUrl } = identity;
    const user = await this.users.create({
      type: 'user',
      name,
      email,
      authOrigin: provider,
      authSubject: subject,
      ...(avatarUrl === undefined ? {} : { avatarUrl }),
    });
    const { id: tenantId } = await this.tenants.default();
    await this.memberships.add(tenantId, user.id);
    await this.record('user.create', user, provider, tenantId);
    if (isFirst) {
      // Local setup is closed in this mode, so that the first person to sign in administers the installation.
      await this.grants.put(user.id, 'admin', null);
      await this.record('setup.admin', user, provider);
    }
    return user;
  }

  private async record(action: string, user: UserEntity, provider: string, tenantId?: string): Promise<void> {
    await this.audit.record({
      actor: { userId: user.id, userName: user.name, credentialId: `oauth:${provider}` },
      action,
      objectType: 'user',
      objectId: user.id,
      ...(tenantId === undefined ? {} : { tenantId }),
      data: { auth_origin: provider },
    });
  }
}
