import { type Grants, isInstallationAdmin, isUnscoped, outranks, reaches, scopeOf } from '../access/index.js';

/** Somebody whom an administrative act is about. */
export interface Target {
  /** the most that any credential of the target allows at this moment: own grants, defaults and group rules */
  held: Grants;
  /** every tenant the target is a member of */
  tenantIds: readonly string[];
  /** those that the account belongs to, which decide who may see and change it */
  homeTenantIds: readonly string[];
}

/** Interface.md 4.3 rule 3: the target belongs only to tenants that the grant reaches. */
export function maySee(caller: Grants, target: Target): boolean {
  return reaches(scopeOf(caller, 'users-manage'), target.homeTenantIds);
}

/** Rule 2: reach, and strictly more authority; installation admins are exempt from the comparison. */
export function mayChange(caller: Grants, target: Target): boolean {
  if (isInstallationAdmin(caller)) return true;
  return maySee(caller, target) && outranks(caller, target.held, target.tenantIds);
}

/** Rule 4: a `users-manage` holder deletes neither an admin nor another `users-manage` holder. */
export function mayDelete(caller: Grants, target: Target): boolean {
  if (!mayChange(caller, target)) return false;
  return administersAll(caller, target) || !managesUsers(target);
}

/** Emails are changed by administrators of every tenant the target belongs to, not by those of another one. */
export function mayChangeEmail(caller: Grants, target: Target): boolean {
  return mayChange(caller, target) && administersAll(caller, target);
}

/** The tenants a new user joins: those of the caller that the grant reaches. */
export function tenantsToJoin(caller: Grants, tenantIds: readonly string[]): string[] {
  const scope = scopeOf(caller, 'users-manage');
  if (isUnscoped(scope)) return [...tenantIds];
  return tenantIds.filter((id) => scope?.tenants?.includes(id));
}

function administersAll(caller: Grants, target: Target): boolean {
  return reaches(caller.admin, target.homeTenantIds);
}

function managesUsers({ held, tenantIds }: Target): boolean {
  const scope = scopeOf(held, 'users-manage');
  return isUnscoped(scope) || tenantIds.some((id) => scope?.tenants?.includes(id));
}
