import { Injectable } from '@nestjs/common';
import { httpErrors } from '../../platform/errors/index.js';
import { AccessDecisions, isInstallationAdmin, type Principal, Principals } from '../access/index.js';
import { isForProvider, tokenCapabilitiesOf } from '../tokens/index.js';
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
    const tenants = (await this.mayEnterAll(caller)) ? 'all' : this.access.memberTenants(caller);
    return { provider, installationId, authority, tenantIds: tenants === 'all' ? undefined : tenants };
  }

  /** Throws 403 unless the caller may enter: before anything is said that a statement did not decide. */
  async confirm({ provider, installationId, tenantIds }: KvNamespace): Promise<void> {
    if (tenantIds === undefined) return;
    const tenantId = await this.installations.findLinkedTenant(provider, installationId);
    if (tenantId === undefined || !tenantIds.includes(tenantId)) throw httpErrors.FORBIDDEN();
  }

  /** An access token carries no grants of its own; its owner may be an administrator all the same. */
  private async mayEnterAll(caller: Principal): Promise<boolean> {
    if (caller.kind !== 'access' || caller.tenantCeiling) return false;
    return isInstallationAdmin(await this.principals.heldBy(caller.userId));
  }
}
