import { httpErrors } from '../../platform/errors/index.js';
import type { TokenCapability } from '../tokens/index.js';
import type { Provider } from '../vcs/index.js';

export type KvAction = 'read' | 'write';
export type Visibility = 'all' | 'system' | 'plain' | 'none';

const SYSTEM_PREFIX = 'system/';

/** What a caller may do in one namespace, and the capabilities that a record's own lists are compared with. */
export interface KvAuthority {
  /** JSON text of the caller's list, the provider and the limits of a token included */
  capabilities: string;
  holds: ReadonlySet<string>;
}

/**
 * Reads a caller's token capabilities for a namespace. Several limits of one kind mean any of them; limits of both kinds
 * must both match. Undefined when the limits do not reach the namespace.
 */
export function authorityIn(
  provider: Provider,
  installationId: string,
  held: readonly TokenCapability[],
): KvAuthority | undefined {
  const installations: string[] = [];
  const providers: string[] = [];
  const holds = new Set<string>();
  for (const capability of held) {
    if (typeof capability === 'string') holds.add(capability);
    else if (capability.name === 'vcs') providers.push(capability.vcs);
    else installations.push(capability.id);
  }
  if (installations.length > 0 && !installations.includes(installationId)) return undefined;
  if (providers.length > 0 && !providers.includes(provider)) return undefined;
  const own: TokenCapability = { name: 'vcs', vcs: provider };
  return { capabilities: JSON.stringify([...held, own]), holds };
}

/** Throws 403 unless the caller may use this key: keys below `system/` need the system capabilities instead. */
export function requireKey(authority: KvAuthority, key: string, actions: readonly KvAction[]): void {
  const kind = key.startsWith(SYSTEM_PREFIX) ? 'kv_store_system_' : 'kv_store_';
  if (!actions.every((action) => authority.holds.has(`${kind}${action}`))) throw httpErrors.FORBIDDEN();
}

/** The keys that an iteration shows to the caller. */
export function visibleKeys(authority: KvAuthority): Visibility {
  const plain = authority.holds.has('kv_store_read');
  const system = authority.holds.has('kv_store_system_read');
  if (plain && system) return 'all';
  if (plain) return 'plain';
  return system ? 'system' : 'none';
}
