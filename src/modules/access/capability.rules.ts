import { CAPABILITIES, type Capability, type Grants, type Scope } from './grants.js';
import {
  actionsOn,
  canonicalScope,
  includesScope,
  intersectScopes,
  isUnscoped,
  nowhere,
  type TenantLookup,
  unionScopes,
} from './scope.rules.js';

/** What a use asks for; nothing but a capability means installation-wide. `action` defaults to the capability. */
export interface Requirement {
  capability: Capability;
  tenantId?: string;
  stateId?: string;
  action?: string;
}

/** `admin` covers these within its own scope, never `sudo` (contract-notes.md section 1). */
const IMPLIED_BY_ADMIN: readonly Capability[] = [
  'users-manage',
  'preview',
  'commit',
  'access-token-create',
  'access-token-refresh',
];

/** The scope in which a capability is held, counting what `admin` implies; undefined when it is held nowhere. */
export function scopeOf(held: Grants, capability: Capability): Scope | undefined {
  const implied = IMPLIED_BY_ADMIN.includes(capability) ? held.admin : undefined;
  return unionScopes(held[capability], implied);
}

/** Whether what is held allows what is required. Membership of the tenant is asked elsewhere. */
export function covers(held: Grants, required: Requirement): boolean {
  return (
    scopeCovers(held[required.capability], required) ||
    (IMPLIED_BY_ADMIN.includes(required.capability) && scopeCovers(held.admin, required))
  );
}

function scopeCovers(scope: Scope | undefined, required: Requirement): boolean {
  if (!scope) return false;
  if (isUnscoped(scope)) return true;
  if (required.tenantId !== undefined && scope.tenants?.includes(required.tenantId)) return true;
  if (required.stateId === undefined) return false;
  const actions = actionsOn(scope, required.stateId, required.tenantId);
  return actions.includes('*') || actions.includes(required.action ?? required.capability);
}

/** The requested grants cut down to what is held: a key never exceeds its creator (interface.md 4.4). */
export function mask(requested: Grants, held: Grants, tenantOf: TenantLookup = nowhere): Grants {
  return build((capability) => {
    const wanted = requested[capability];
    const owned = scopeOf(held, capability);
    return wanted && owned && intersectScopes(wanted, owned, tenantOf);
  });
}

/** Everything either side grants. */
export function union(a: Grants, b: Grants): Grants {
  return build((capability) => unionScopes(a[capability], b[capability]));
}

/** The same grants, each limited to one tenant or to several. */
export function within(
  grants: Grants,
  tenants: string | readonly string[],
  tenantOf: TenantLookup = nowhere,
): Grants {
  const limit = { tenants: typeof tenants === 'string' ? [tenants] : tenants };
  return build((capability) => {
    const scope = grants[capability];
    return scope && intersectScopes(scope, limit, tenantOf);
  });
}

/** Sorted and without empty grants, so that equal grants are deeply equal. */
export function canonical(grants: Grants): Grants {
  return build((capability) => {
    const scope = grants[capability];
    return scope && canonicalScope(scope);
  });
}

const AUTHORITY: readonly Capability[] = ['admin', 'users-manage', 'sudo'];

/**
 * Strictly more authority over people: everything the other holds, and something more (interface.md 4.3, rule 2). Only
 * what is held everywhere or in `tenantIds`, which the other belongs to, counts; of the caller, no grant on states.
 */
export function outranks(caller: Grants, target: Grants, tenantIds: readonly string[]): boolean {
  const inTenants = (scope: Scope | undefined) =>
    scope?.tenants ? { ...scope, tenants: scope.tenants.filter((id) => tenantIds.includes(id)) } : scope;
  const ofTarget = (name: Capability) => inTenants(scopeOf(target, name));
  const ofCaller = (name: Capability) => {
    const scope = inTenants(scopeOf(caller, name));
    return scope?.states ? { tenants: scope.tenants ?? [] } : scope;
  };
  return (
    AUTHORITY.every((name) => includesScope(ofCaller(name), ofTarget(name))) &&
    !AUTHORITY.every((name) => includesScope(ofTarget(name), ofCaller(name)))
  );
}

/** Whether a grant reaches every one of the tenants. Somebody in no tenant is reached by an unscoped grant only. */
export function reaches(scope: Scope | undefined, tenantIds: readonly string[]): boolean {
  if (!scope) return false;
  if (isUnscoped(scope)) return true;
  return tenantIds.length > 0 && tenantIds.every((id) => scope.tenants?.includes(id));
}

export function isInstallationAdmin(held: Grants): boolean {
  return isUnscoped(held.admin);
}

export type StateReading = 'all' | 'outputs' | 'none';

/**
 * Whether grants that are asked for tie a key to single states: all of them name states, and one of them names less
 * than everything on its state. Such a key reads nothing but those states, and goes on doing so when it loses grants.
 */
export function isStateBound(held: Grants): boolean {
  const scopes = Object.values(held);
  const lists = scopes.flatMap((scope) => Object.values(scope.states ?? {}));
  return (
    scopes.length > 0 &&
    scopes.every((scope) => scope.states !== undefined && !scope.tenants?.length) &&
    lists.some((actions) => !actions.includes('*'))
  );
}

/** What of a state a state-bound key may read: a scope of only `["outputs"]` shows outputs and no secrets. */
export function boundReadingOf(held: Grants, stateId: string): StateReading {
  const actions = Object.values(held).flatMap((scope) => actionsOn(scope, stateId, undefined));
  if (actions.length === 0) return 'none';
  return actions.every((action) => action === 'outputs') ? 'outputs' : 'all';
}

function build(scopeFor: (capability: Capability) => Scope | undefined): Grants {
  const grants: Partial<Record<Capability, Scope>> = {};
  for (const capability of CAPABILITIES) {
    const scope = scopeFor(capability);
    if (scope) grants[capability] = scope;
  }
  return grants;
}
