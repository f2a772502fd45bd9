import { canonical, type Capability, type Grants, isUnscoped, type TenantLookup } from '../access/index.js';

/** Capabilities that a tenant cannot hand out at all (interface.md 4.4). */
const INSTALLATION_LEVEL: readonly Capability[] = ['sudo', 'access-token-create', 'access-token-refresh'];

/** `malformed`: it grants nothing. `beyond`: it reaches further than the one tenant that wants to make the rule. */
export function judgeGroupGrant(
  grant: Grants,
  tenantId: string,
  tenantOf: TenantLookup,
): 'fine' | 'malformed' | 'beyond' {
  const granted = canonical(grant);
  const names = Object.keys(granted) as Capability[];
  if (names.length === 0 || names.length < Object.keys(grant).length) return 'malformed';
  const inside = names.every((name) => {
    const scope = granted[name];
    if (!scope || isUnscoped(scope) || INSTALLATION_LEVEL.includes(name)) return false;
    const tenants = scope.tenants ?? [];
    const states = Object.keys(scope.states ?? {});
    return tenants.every((id) => id === tenantId) && states.every((id) => tenantOf(id) === tenantId);
  });
  return inside ? 'fine' : 'beyond';
}
