import { Injectable } from '@nestjs/common';
import { boundReadingOf, covers, isInstallationAdmin, type StateReading } from './capability.rules.js';
import type { Capability } from './grants.js';
import type { Principal } from './principal.js';

export interface Place {
  tenantId: string;
  stateId?: string;
  action?: string;
}

/** The questions other modules ask about a principal where a decorator cannot. Pure; asks no database. */
@Injectable()
export class AccessDecisions {
  /** A member of the tenant, or an administrator over it: may read what is in it. */
  isMember(principal: Principal, tenantId: string): boolean {
    if (covers(principal.capabilities, { capability: 'admin', tenantId })) return true;
    return principal.tenantIds.includes(tenantId) && !principal.stateBound;
  }

  /** The tenants of `isMember`. */
  memberTenants(principal: Principal): 'all' | string[] {
    if (this.isInstallationAdmin(principal)) return 'all';
    const own = principal.stateBound ? [] : principal.tenantIds;
    return [...new Set([...own, ...(principal.capabilities.admin?.tenants ?? [])])];
  }

  /** What of one state the principal may read. */
  reading(principal: Principal, tenantId: string, stateId: string): StateReading {
    if (this.isMember(principal, tenantId)) return 'all';
    return principal.tenantIds.includes(tenantId) ? boundReadingOf(principal.capabilities, stateId) : 'none';
  }

  /** Whether the place is visible and the capability held there. */
  may(principal: Principal, capability: Capability, place: Place): boolean {
    const visible =
      place.stateId === undefined
        ? this.isMember(principal, place.tenantId)
        : this.reading(principal, place.tenantId, place.stateId) !== 'none';
    return visible && covers(principal.capabilities, { capability, ...place });
  }

  isInstallationAdmin(principal: Principal): boolean {
    return isInstallationAdmin(principal.capabilities);
  }

  /**
   * The tenants that are read when none is named. A tenant that only a group rule makes the principal an administrator
   * of is left out: a rule of one tenant must not change what people of another one see.
   */
  readableTenants(principal: Principal): 'all' | string[] {
    if (this.isInstallationAdmin(principal)) return 'all';
    const administered = (principal.capabilities.admin?.tenants ?? []).filter(
      (id) => !principal.ruleAdminTenantIds.includes(id),
    );
    return [...new Set([...principal.tenantIds, ...administered])].filter((id) =>
      this.isMember(principal, id),
    );
  }

  /**
   * Where something new belongs when nobody names a tenant: the only membership in which the capability is held, else
   * the only one of the principal's own, else the only tenant administered. Undefined when that is not one tenant.
   */
  tenantForNew(principal: Principal, capability: Capability): string | undefined {
    const usable = (ids: readonly string[]) =>
      ids.filter((tenantId) => this.may(principal, capability, { tenantId }));
    const memberships = usable(principal.tenantIds);
    const homes = usable(principal.homeTenantIds);
    if (memberships.length > 0) return onlyOne(memberships) ?? onlyOne(homes);
    const reached = this.tenantsWhere(principal, capability);
    return reached === 'all' ? undefined : onlyOne(reached);
  }

  /** The tenants in which the principal may use a capability on anything. */
  tenantsWhere(principal: Principal, capability: Capability): 'all' | string[] {
    const readable = this.readableTenants(principal);
    if (readable !== 'all')
      return readable.filter((tenantId) => this.may(principal, capability, { tenantId }));
    if (covers(principal.capabilities, { capability })) return 'all';
    return [...(principal.capabilities[capability]?.tenants ?? [])];
  }
}

function onlyOne(ids: readonly string[]): string | undefined {
  return ids.length === 1 ? ids[0] : undefined;
}
