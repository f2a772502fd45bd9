import { Injectable } from '@nestjs/common';
import { httpErrors } from '../../platform/errors/index.js';
import { AccessDecisions, isInstallationAdmin, type Principal, Principals } from '../access/index.js';
import { isForProvider, isInstallationId, tokenCapabilitiesOf } from '../tokens/index.js';
import { InstallationQueries, type Provider } from '../vcs/index.js';
import { authorityIn, type KvAuthority } from './kv-access.rules.js';

/** A namespace and what the caller may do in it. */
export interface KvNamespace {
  provider: Provider;
  installationId: string;
  authority: KvAuthority;
  /** The installation must be linked to one of these: every statement checks it. Undefined: the caller may enter. */
  tenantIds: readonly string[] | undefined;
}

/**
 * Opens namespaces. The link of an installation is read by every statement, so that unlinking takes effect on every
 * replica at once. Unknown, unlinked and foreign namespaces all answer 403.
 */
@Injectable()
export class KvNamespaces {
  constructor(
    private readonly installations: InstallationQueries,
    private readonly access: AccessDecisions,
    private readonly principals: Principals,
  ) {}

  async open(caller: Principal, provider: Provider, installationId: string): Promise<KvNamespace> {
    if (!isForProvider(caller, provider)) throw httpErrors.FORBIDDEN();
    // A key that is bound to single states holds no capability of the store.
    const held = caller.stateBound ? [] : tokenCapabilitiesOf(caller);
    const authority = authorityIn(provider, installationId, held);
    if (!authority || authority.holds.size === 0) throw httpErrors.FORBIDDEN();
    const tenants = await this.tenantsOf(caller);
    if (!isInstallationId(installationId))
      throw tenants === 'all'
        ? httpErrors.INVALID_REQUEST('installation_id must have 1 to 255 characters and no NUL character')
        : httpErrors.FORBIDDEN();
    return { provider, installationId, authority, tenantIds: tenants === 'all' ? undefined : tenants };
  }

  /** Throws 403 unless the caller may enter: before anything is said that a statement did not decide. */
  async confirm({ provider, installationId, tenantIds }: KvNamespace): Promise<void> {
    if (tenantIds === undefined) return;
    const tenantId = await this.installations.findLinkedTenant(provider, installationId);
    if (tenantId === undefined || !tenantIds.includes(tenantId)) throw httpErrors.FORBIDDEN();
  }

  /** An access token carries no grants of its own; its owner may administer tenants, or all of them, all the same. */
  private async tenantsOf(caller: Principal): Promise<'all' | string[]> {
    const entered = this.access.memberTenants(caller);
    if (entered === 'all' || caller.kind !== 'access' || caller.tenantCeiling) return entered;
    const held = await this.principals.heldBy(caller.userId);
    return isInstallationAdmin(held) ? 'all' : [...entered, ...(held.admin?.tenants ?? [])];
  }
}
