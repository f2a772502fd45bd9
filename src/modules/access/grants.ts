import { isStorable } from '../../platform/database/storable-text.js';
import { isRecord } from '../../platform/json/is-record.js';
import { isUuid } from '../../platform/text/uuid.js';

/** What a person or a credential may do. Who may read is membership, not a capability (contract-notes.md section 1). */
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

/**
 * Where a grant holds: `{}` everywhere; otherwise in any of `tenants` **or** on any of `states` (state id to actions,
 * `*` = all). An empty list grants nothing; it never means everywhere.
 */
export interface Scope {
  readonly tenants?: readonly string[];
  readonly states?: Readonly<Record<string, readonly string[]>>;
}

/** At most one scope for each capability. */
export type Grants = { readonly [C in Capability]?: Scope };

/** Every one is looked up when they are granted, and compared when the credential is used. */
const MOST_NAMED = 1_000;
/** Why `parseGrants` does not read a value, to be said behind the name of the field it came in. */
export function grantsRefusal(value: unknown): string {
  if (!isRecord(value)) return 'must be an object of capabilities and their scopes';
  for (const [name, scope] of Object.entries(value)) {
    const shown = JSON.stringify(name.slice(0, 64));
    if (name === 'read')
      return 'must not name "read": every member of a tenant reads it, so no capability is needed';
    if (!CAPABILITIES.some((known) => known === name))
      return `must not name ${shown}: the capabilities are ${CAPABILITIES.join(', ')}`;
    if (!parseScope(scope))
      return `must have a scope for ${shown}: {} for everywhere, {"tenants": [id]} or {"states": {id: ["*"]}}`;
  }
  return `must not name more than ${MOST_NAMED} tenants and states`;
}

/** Reads a capabilities object as it comes over the wire; undefined when it is malformed in any way. */
export function parseGrants(value: unknown): Grants | undefined {
  if (!isRecord(value)) return undefined;
  const grants: Partial<Record<Capability, Scope>> = {};
  for (const [name, given] of Object.entries(value)) {
    const capability = CAPABILITIES.find((known) => known === name);
    const scope = parseScope(given);
    if (!capability || !scope) return undefined;
    grants[capability] = scope;
  }
  return namedIn(grants) > MOST_NAMED ? undefined : grants;
}

function namedIn(grants: Grants): number {
  return Object.values(grants)
    .map(({ tenants = [], states = {} }) => tenants.length + Object.keys(states).length)
    .reduce((sum, count) => sum + count, 0);
}

function parseScope(value: unknown): Scope | undefined {
  if (!isRecord(value)) return undefined;
  const { tenants, states, ...unknown } = value;
  if (Object.keys(unknown).length > 0) return undefined;
  if (tenants !== undefined && !(Array.isArray(tenants) && tenants.every(isUuid))) return undefined;
  if (states !== undefined && !isStateMap(states)) return undefined;
  return {
    ...(tenants === undefined ? {} : { tenants: tenants.map((id: string) => id.toLowerCase()) }),
    ...(states === undefined ? {} : { states: lowerKeys(states) }),
  };
}

function isStateMap(value: unknown): value is Record<string, string[]> {
  if (!isRecord(value)) return false;
  return Object.entries(value).every(
    ([id, actions]) =>
      isUuid(id) &&
      Array.isArray(actions) &&
      actions.every((action) => typeof action === 'string' && isStorable(action)),
  );
}

function lowerKeys(states: Record<string, string[]>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(states).map(([id, actions]) => [id.toLowerCase(), actions]));
}
