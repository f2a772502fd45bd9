import { type Grants, isInstallationAdmin, isUnscoped, outranks, reaches, scopeOf } from '../access/index.js';

/** Somebody whom an administrative act is about. */
export interface Target {
  /** the most that any credential of the target allows at this moment: own grants, defaults and group rules */
  held: Grants;
  /** every tenant the target is a member of */
  tenantIds: readonly string[];
}

/** Interface.md 4.3 rule 3: the target belongs only to tenants that the grant reaches. */
export function maySee(caller: Grants, target: Target): boolean {
  return reaches(scopeOf(caller, 'users-manage'), target.tenantIds);
}

/** Rule 2: reach, and strictly more authority; installation admins are exempt from the comparison. */
export function mayChange(caller: Grants, target: Target): boolean {
  if (isInstallationAdmin(caller)) return true;
  return maySee(caller, target) && outranks(caller, target.held);
}

/** Rule 4: a `users-manage` holder deletes neither an admin nor another `users-manage` holder. */
export function mayDelete(caller: Grants, target: Target): boolean {
  if (!mayChange(caller, target)) return false;
  return caller.admin !== undefined || scopeOf(target.held, 'users-manage') === undefined;
}

/** The tenants a new user joins: those of the caller that the grant reaches. */
export function tenantsToJoin(caller: Grants, tenantIds: readonly string[]): string[] {
  const scope = scopeOf(caller, 'users-manage');
  if (isUnscoped(scope)) return [...tenantIds];
  return tenantIds.filter((id) => scope?.tenants?.includes(id));
}
