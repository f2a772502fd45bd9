import { Injectable } from '@nestjs/common';
import { Audit } from '../audit/index.js';
import { UserGrants } from '../capabilities/index.js';
import { Memberships, TenantsService } from '../tenants/index.js';
import { UserDirectory, type UserEntity } from '../users/index.js';
import { authErrors } from './auth.errors.js';
import type { SetupAdminBody } from './dto/auth.dto.js';

/** Creates the first user of an installation, its administrator, and the organization of that user. */
@Injectable()
export class FirstAdministrator {
  constructor(
    private readonly users: UserDirectory,
    private readonly tenants: TenantsService,
    private readonly memberships: Memberships,
    private readonly grants: UserGrants,
    private readonly audit: Audit,
  ) {}

  /** In the caller's transaction; 409 when there is a user. */
  async create({ name, email, organization }: SetupAdminBody, passwordHash: string): Promise<UserEntity> {
    await this.grants.lockAdministration();
    if (await this.users.anyExists()) throw authErrors.SETUP_ALREADY_DONE();
    const user = await this.users.create({ type: 'user', name, email, passwordHash, authOrigin: 'local' });
    const tenant = await this.tenants.getOrCreate(organization);
    await this.memberships.add(tenant.id, user.id);
    await this.memberships.add((await this.tenants.default()).id, user.id);
    await this.grants.put(user.id, 'admin', null);
    await this.audit.record({
      actor: { userId: user.id, userName: user.name, credentialId: 'setup' },
      action: 'setup.admin',
      objectType: 'user',
      objectId: user.id,
      tenantId: tenant.id,
      data: { email, organization },
    });
    return user;
  }
}
