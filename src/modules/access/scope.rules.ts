import type { Scope } from './grants.js';

/** The tenant of a state, as far as the caller of a rule knows; an unknown state has none and is granted nothing. */
export type TenantLookup = (stateId: string) => string | undefined;

export const nowhere: TenantLookup = () => undefined;

export function isUnscoped(scope: Scope | undefined): boolean {
  return scope !== undefined && scope.tenants === undefined && scope.states === undefined;
}

/** Sorted, without duplicates and empty entries; undefined when nothing is left, so that `[]` never becomes `{}`. */
export function canonicalScope(scope: Scope): Scope | undefined {
  if (isUnscoped(scope)) return {};
  const tenants = [...new Set(scope.tenants ?? [])].sort();
  const states = Object.entries(scope.states ?? {})
    .map(([id, actions]) => [id, canonicalActions(actions)] as const)
    .filter(([, actions]) => actions.length > 0)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  if (tenants.length === 0 && states.length === 0) return undefined;
  return {
    ...(tenants.length > 0 ? { tenants } : {}),
    ...(states.length > 0 ? { states: Object.fromEntries(states) } : {}),
  };
}

export function unionScopes(a: Scope | undefined, b: Scope | undefined): Scope | undefined {
  if (!a || !b) return canonicalOrNothing(a ?? b);
  if (isUnscoped(a) || isUnscoped(b)) return {};
  const states: Record<string, readonly string[]> = { ...a.states };
  for (const [id, actions] of Object.entries(b.states ?? {})) {
    states[id] = [...(Object.hasOwn(states, id) ? (states[id] ?? []) : []), ...actions];
  }
  return canonicalScope({ tenants: [...(a.tenants ?? []), ...(b.tenants ?? [])], states });
}

/** What both scopes allow. A state listed on one side and its tenant on the other meet through `tenantOf`. */
export function intersectScopes(a: Scope, b: Scope, tenantOf: TenantLookup): Scope | undefined {
  if (isUnscoped(a)) return canonicalScope(b);
  if (isUnscoped(b)) return canonicalScope(a);
  const tenants = (a.tenants ?? []).filter((id) => b.tenants?.includes(id));
  const states: Record<string, readonly string[]> = {};
  for (const id of new Set([...Object.keys(a.states ?? {}), ...Object.keys(b.states ?? {})])) {
    const tenantId = tenantOf(id);
    if (tenantId !== undefined && tenants.includes(tenantId)) continue;
    states[id] = commonActions(actionsOn(a, id, tenantId), actionsOn(b, id, tenantId));
  }
  return canonicalScope({ tenants, states });
}

/** Whether everything `b` reaches is reached by `a`, without knowing which state lies in which tenant. */
export function includesScope(a: Scope | undefined, b: Scope | undefined): boolean {
  const inner = canonicalOrNothing(b);
  if (!inner) return true;
  if (!a) return false;
  if (isUnscoped(a)) return true;
  if (isUnscoped(inner)) return false;
  return (
    (inner.tenants ?? []).every((id) => a.tenants?.includes(id)) &&
    Object.entries(inner.states ?? {}).every(([id, actions]) => {
      const held = actionsOn(a, id, undefined);
      return held.includes('*') || actions.every((action) => held.includes(action));
    })
  );
}

/** The actions a scope allows on one state: `*` when its tenant is listed. */
export function actionsOn(scope: Scope, stateId: string, tenantId: string | undefined): readonly string[] {
  if (isUnscoped(scope) || (tenantId !== undefined && scope.tenants?.includes(tenantId))) return ['*'];
  return scope.states && Object.hasOwn(scope.states, stateId) ? (scope.states[stateId] ?? []) : [];
}

function canonicalOrNothing(scope: Scope | undefined): Scope | undefined {
  return scope && canonicalScope(scope);
}

function canonicalActions(actions: readonly string[]): string[] {
  return actions.includes('*') ? ['*'] : [...new Set(actions)].sort();
}

function commonActions(a: readonly string[], b: readonly string[]): readonly string[] {
  if (a.includes('*')) return b;
  if (b.includes('*')) return a;
  return a.filter((action) => b.includes(action));
}
