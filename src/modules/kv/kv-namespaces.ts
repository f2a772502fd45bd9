import { Injectable } from '@nestjs/common';
import { httpErrors } from '../../platform/errors/index.js';
import {
  AccessDecisions,
  Administration,
  isInstallationAdmin,
  type Principal,
  Principals,
} from '../access/index.js';
import { isForProvider, tokenCapabilitiesOf } from '../tokens/index.js';
import { InstallationQueries, type Provider } from '../vcs/index.js';
import { authorityIn, type KvAuthority } from './kv-access.rules.js';

/** A namespace and what may be done in it: all that its statements need. */
export interface KvPlace {
  provider: Provider;
  installationId: string;
  authority: KvAuthority;
}

/** A namespace that was opened for a caller. */
export interface KvNamespace extends KvPlace {
  caller: Principal;
}

/**
 * Opens namespaces. The link of an installation is read with every call, so that unlinking takes effect on every replica
 * at once. Unknown, unlinked and foreign namespaces all answer 403.
 */
@Injectable()
export class KvNamespaces {
  constructor(
    private readonly installations: InstallationQueries,
    private readonly access: AccessDecisions,
    private readonly principals: Principals,
    private readonly administration: Administration,
  ) {}

  async open(caller: Principal, provider: Provider, installationId: string): Promise<KvNamespace> {
    if (!isForProvider(caller, provider)) throw httpErrors.FORBIDDEN();
    // A key that is bound to single states holds no capability of the store.
    const held = caller.stateBound ? [] : tokenCapabilitiesOf(caller);
    const authority = authorityIn(provider, installationId, held);
    if (!authority || authority.holds.size === 0) throw httpErrors.FORBIDDEN();
    if (!(await this.mayEnter(caller, provider, installationId))) throw httpErrors.FORBIDDEN();
    return { provider, installationId, authority, caller };
  }

  /** Inside the transaction of a write: the same namespace for the caller as the credential and the link stand now. */
  async reopen({ caller, provider, installationId }: KvNamespace): Promise<KvNamespace> {
    return this.open(await this.administration.confirm(caller), provider, installationId);
  }

  private async mayEnter(caller: Principal, provider: Provider, installationId: string): Promise<boolean> {
    if (this.access.isInstallationAdmin(caller)) return true;
    const tenantId = await this.installations.findLinkedTenant(provider, installationId);
    if (tenantId !== undefined && this.access.isMember(caller, tenantId)) return true;
    // An access token carries no grants of its own; its owner may be an administrator all the same.
    if (caller.kind !== 'access' || caller.tenantCeiling) return false;
    return isInstallationAdmin(await this.principals.heldBy(caller.userId));
  }
}
