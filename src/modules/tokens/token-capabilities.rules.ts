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

function isInstallationId(id: unknown): id is string {
  return typeof id === 'string' && id !== '' && id.length <= 255 && isStorable(id);
}

/**
 * What a credential may pass on or use. Sessions and keys hold create-token, kv read and kv write; the system part of
 * the key-value store is the installation administrators'; an access token holds what its refresh token was given.
 */
export function tokenCapabilitiesOf(principal: Principal): TokenCapability[] {
  if (principal.kind === 'access') return parseTokenCapabilities(principal.claims['capabilities']) ?? [];
  const held: TokenCapability[] = ['kv_store_read', 'kv_store_write'];
  if (covers(principal.capabilities, { capability: 'access-token-create' })) held.push('access_token_create');
  if (covers(principal.capabilities, { capability: 'access-token-refresh' }))
    held.push('access_token_refresh');
  if (isInstallationAdmin(principal.capabilities)) held.push('kv_store_system_read', 'kv_store_system_write');
  return held;
}

/** Named ones only if the creator holds them; limits are kept, and those of the creator are handed down. */
export function grantable(
  requested: readonly TokenCapability[],
  held: readonly TokenCapability[],
): TokenCapability[] {
  const named = requested.filter((entry) => typeof entry === 'string' && held.includes(entry));
  const inherited = held.filter((entry) => typeof entry !== 'string');
  const own = requested.filter(
    (entry) => typeof entry !== 'string' && !inherited.some((limit) => same(limit, entry)),
  );
  return [...new Set(named), ...own, ...inherited];
}

function same(a: TokenCapability, b: TokenCapability): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
