import { isStorable } from '../../platform/database/storable-text.js';
import { covers, isInstallationAdmin, type Principal } from '../access/index.js';

/** What an access token may be good for (interface.md section 2, refresh token). */
export const TOKEN_CAPABILITIES = [
  'access_token_refresh',
  'access_token_create',
  'kv_store_read',
  'kv_store_write',
  'kv_store_system_read',
  'kv_store_system_write',
] as const;
export type NamedTokenCapability = (typeof TOKEN_CAPABILITIES)[number];

/** A name, or a limit to one installation or one code-hosting provider. */
export type TokenCapability =
  | NamedTokenCapability
  | { name: 'installation_id'; id: string }
  | { name: 'vcs'; vcs: 'github' | 'gitlab' };

const PROVIDERS: Readonly<Record<string, 'github' | 'gitlab'>> = {
  github: 'github',
  vcs_a: 'github',
  gitlab: 'gitlab',
  vcs_b: 'gitlab',
};

/** Characters of a list: a token carries it, and no header has room for more than 8,192. */
const LONGEST = 5_000;

/** Reads a list as it comes over the wire; undefined when it is malformed. */
export function parseTokenCapabilities(value: unknown): TokenCapability[] | undefined {
  if (!Array.isArray(value) || value.length > 100) return undefined;
  const parsed = value.map(parseOne);
  const valid = parsed.filter((entry) => entry !== undefined);
  if (JSON.stringify(valid).length > LONGEST) return undefined;
  return valid.length === parsed.length ? valid : undefined;
}

function parseOne(value: unknown): TokenCapability | undefined {
  if (typeof value === 'string') return TOKEN_CAPABILITIES.find((name) => name === value);
  if (typeof value !== 'object' || value === null || !('name' in value)) return undefined;
  if (value.name === 'installation_id' && 'id' in value && isInstallationId(value.id)) {
    return { name: 'installation_id', id: value.id };
  }
  if (value.name !== 'vcs' || !('vcs' in value) || typeof value.vcs !== 'string') return undefined;
  const vcs = Object.hasOwn(PROVIDERS, value.vcs) ? PROVIDERS[value.vcs] : undefined;
  return vcs && { name: 'vcs', vcs };
}

/** The id of an installation or group as its provider writes it. */
export function isInstallationId(id: unknown): id is string {
  return typeof id === 'string' && id !== '' && id.length <= 255 && isStorable(id);
}

/**
 * What a credential may pass on or use. Sessions and keys hold create-token, kv read and kv write, but for keys bound to
 * single states, which hold no kv; the system part of the key-value store is the installation administrators'. An access
 * token holds what its resolver left of its refresh token's.
 */
export function tokenCapabilitiesOf(principal: Principal): TokenCapability[] {
  if (principal.kind === 'access') return parseTokenCapabilities(principal.claims['capabilities']) ?? [];
  const held: TokenCapability[] = principal.stateBound ? [] : ['kv_store_read', 'kv_store_write'];
  if (covers(principal.capabilities, { capability: 'access-token-create' })) held.push('access_token_create');
  if (covers(principal.capabilities, { capability: 'access-token-refresh' }))
    held.push('access_token_refresh');
  if (isInstallationAdmin(principal.capabilities)) held.push('kv_store_system_read', 'kv_store_system_write');
  return held;
}

/** What is left of a token's capabilities once its owner holds only `held`; its limits stay. */
export function cutDown(
  capabilities: readonly TokenCapability[],
  held: readonly TokenCapability[],
): TokenCapability[] {
  return capabilities.filter((entry) => typeof entry !== 'string' || held.includes(entry));
}

/**
 * What a creator who holds `held` may hand down of what is requested. Names: those the creator holds. Limits of a kind
 * (any of them holds): those of the creator's that are asked for, or all of the creator's when none is asked for.
 * Undefined when the creator is limited and none of their limits of that kind is asked for.
 */
export function grantable(
  requested: readonly TokenCapability[],
  held: readonly TokenCapability[],
): TokenCapability[] | undefined {
  const names = requested.filter((entry) => typeof entry === 'string' && held.includes(entry));
  const limits: TokenCapability[] = [];
  for (const kind of ['installation_id', 'vcs'] as const) {
    const wanted = limitsOf(requested, kind);
    const own = limitsOf(held, kind);
    const left = own.length === 0 || wanted.length === 0 ? [...own, ...wanted] : common(wanted, own);
    if (own.length > 0 && left.length === 0) return undefined;
    limits.push(...left);
  }
  return [...new Set(names), ...limits];
}

/**
 * Whether a credential may be used for a provider. An access token belongs to the provider under whose path its refresh
 * token was made, whatever its limits name; sessions and keys belong to none.
 */
export function isForProvider(principal: Principal, vcs: 'github' | 'gitlab'): boolean {
  if (principal.kind !== 'access') return true;
  return principal.claims['vcs'] === vcs && reachesProvider(tokenCapabilitiesOf(principal), vcs);
}

/** Whether limits, if there are any, include the code-hosting provider. */
export function reachesProvider(held: readonly TokenCapability[], vcs: 'github' | 'gitlab'): boolean {
  const limits = limitsOf(held, 'vcs');
  return limits.length === 0 || common([{ name: 'vcs', vcs }], limits).length > 0;
}

function limitsOf(list: readonly TokenCapability[], kind: 'installation_id' | 'vcs'): TokenCapability[] {
  const limits = list.filter((entry) => typeof entry !== 'string' && entry.name === kind);
  return limits.filter((limit, index) => limits.findIndex((other) => same(other, limit)) === index);
}

function common(a: readonly TokenCapability[], b: readonly TokenCapability[]): TokenCapability[] {
  return a.filter((entry) => b.some((other) => same(entry, other)));
}

function same(a: TokenCapability, b: TokenCapability): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
