export const CAPABILITIES = [
  'admin',
  'commit',
  'preview',
  'sudo',
  'users-manage',
  'access-token-create',
  'access-token-refresh',
] as const;
export type Capability = (typeof CAPABILITIES)[number];

/** Where a grant holds: `{}` everywhere; otherwise in any of `tenants` or on any of `states`. */
export interface Scope {
  tenants?: string[];
  states?: Record<string, string[]>;
}
export type Grants = Partial<Record<Capability, Scope>>;

/** What a page or a control asks for; nothing but a capability means installation-wide. */
export interface Need {
  capability: Capability;
  tenantId?: string;
  stateId?: string;
  /** true when a grant of any scope is enough */
  anywhere?: boolean;
}

const IMPLIED_BY_ADMIN: readonly Capability[] = CAPABILITIES.filter(
  (name) => name !== 'admin' && name !== 'sudo',
);

/** Whether grants allow what is needed. The service decides again; this only hides what would be refused. */
export function allows(held: Grants, need: Need): boolean {
  const scopes = [held[need.capability], IMPLIED_BY_ADMIN.includes(need.capability) ? held.admin : undefined];
  return scopes.some((scope) => scope !== undefined && scopeAllows(scope, need));
}

function scopeAllows(scope: Scope, need: Need): boolean {
  if (isUnscoped(scope) || need.anywhere) return true;
  if (need.tenantId !== undefined && scope.tenants?.includes(need.tenantId)) return true;
  const actions = need.stateId === undefined ? undefined : scope.states?.[need.stateId];
  return actions !== undefined && (actions.includes('*') || actions.includes(need.capability));
}

export function isUnscoped(scope: Scope): boolean {
  return scope.tenants === undefined && scope.states === undefined;
}
