import { Injectable } from '@nestjs/common';
import {
  accessErrors,
  Administration,
  type Capability,
  covers,
  type Grants,
  type Principal,
  within,
} from '../access/index.js';
import { Audit } from '../audit/index.js';
import { CapabilityDefaults, UserGrants } from '../capabilities/index.js';
import { Memberships, TenantsService } from '../tenants/index.js';
import { UserDirectory } from '../users/index.js';
import { ApiKeysService } from './api-keys.service.js';

@Injectable()
export class ServiceAccountsService {
  constructor(
    private readonly administration: Administration,
    private readonly users: UserDirectory,
    private readonly tenants: TenantsService,
    private readonly memberships: Memberships,
    private readonly grants: UserGrants,
    private readonly defaults: CapabilityDefaults,
    private readonly keys: ApiKeysService,
    private readonly audit: Audit,
  ) {}

  /** An account of one tenant with a key, holding the installation's default capabilities limited to that tenant. */
  async create(
    caller: Principal,
    name: string,
    requestedTenant: string,
  ): Promise<{ userId: string; token: string }> {
    const tenantId = requestedTenant.toLowerCase();
    if (!covers(caller.capabilities, { capability: 'users-manage', tenantId })) {
      throw accessErrors.CAPABILITY_UNAUTHORIZED();
    }
    return this.administration.change(caller, async (current) => {
      if (!covers(current.capabilities, { capability: 'users-manage', tenantId }))
        throw accessErrors.CAPABILITY_UNAUTHORIZED();
      await this.tenants.find(tenantId);
      const user = await this.users.create({ type: 'api', name, homeTenantId: tenantId });
      await this.memberships.add(tenantId, user.id);
      const capabilities = await this.endow(user.id, tenantId);
      await this.audit.record({
        actor: current,
        action: 'user.create',
        objectType: 'user',
        objectId: user.id,
        tenantId,
        data: { name, type: 'api' },
      });
      const key = { ownerId: user.id, name, capabilities, stateBound: false, stateTenants: {}, ruleIds: [] };
      return { userId: user.id, token: await this.keys.issue(current, key, tenantId) };
    });
  }

  private async endow(userId: string, tenantId: string): Promise<Grants> {
    const granted: Partial<Record<Capability, { tenants: string[] }>> = {};
    for (const [name, scope] of Object.entries(within(await this.defaults.current(), tenantId))) {
      if (!scope.tenants) continue; // a default that holds on single states has no place in an account's own grants
      const capability = name as Capability;
      await this.grants.put(userId, capability, [tenantId]);
      granted[capability] = { tenants: [tenantId] };
    }
    return granted;
  }
}
