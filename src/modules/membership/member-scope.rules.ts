import { canonical, type Capability, type Grants, isUnscoped, scopeOf } from '../access/index.js';

export type MemberScope = 'none' | 'tenant' | 'wider';

/** A grant seen from one tenant: exactly this tenant, or also others, or not at all. */
export function scopeSeenFrom(
  grants: Grants,
  capability: 'admin' | 'users-manage',
  tenantId: string,
): MemberScope {
  const scope = canonical(grants)[capability];
  if (!scope) return 'none';
  if (isUnscoped(scope)) return 'wider';
  if (!scope.tenants?.includes(tenantId)) return 'none';
  return scope.tenants.length === 1 ? 'tenant' : 'wider';
}

export function administers(grants: Grants, tenantId: string): boolean {
  const scope = scopeOf(grants, 'admin');
  return isUnscoped(scope) || (scope?.tenants?.includes(tenantId) ?? false);
}

/** Absent and null leave a right as it is. */
export interface RoleChange {
  tenant_admin?: boolean | null;
  can_manage_users?: boolean | null;
}

export type GrantStep = { capability: Capability; give: boolean };

/** What a role change does to the grants; a right that is as wanted already needs no step. */
export function stepsOf(change: RoleChange, grants: Grants, tenantId: string): GrantStep[] {
  const wanted = [
    ['admin', change.tenant_admin],
    ['users-manage', change.can_manage_users],
  ] as const;
  return wanted.flatMap(([capability, give]) => {
    if (!isGiven(give)) return [];
    const has = scopeSeenFrom(grants, capability, tenantId) !== 'none';
    return has === give ? [] : [{ capability, give: give === true }];
  });
}

/** Whether a change names a right that reaches beyond the tenant, which only an installation admin's tools may edit. */
export function editsWiderGrant(change: RoleChange, grants: Grants, tenantId: string): boolean {
  const admin = isGiven(change.tenant_admin) && scopeSeenFrom(grants, 'admin', tenantId) === 'wider';
  const manage =
    isGiven(change.can_manage_users) && scopeSeenFrom(grants, 'users-manage', tenantId) === 'wider';
  return admin || manage;
}

function isGiven(value: boolean | null | undefined): boolean {
  return value !== undefined && value !== null;
}
