import type { StateView } from '@infrastate/sdk';
import { revisionHash } from '../configuration/canonical-json.js';
import { ServiceFailure } from '../failure.js';
import { collect, rowsOf } from '../service/pages.js';
import type { Calls } from './calls.js';
import type { NodeHash } from './revision-cache.js';

const PAGE_SIZE = 50_000;

/**
 * Hashes of the applied configuration by node id, from the service. Undefined when they are not the ones that `hash` is
 * made of (somebody applied meanwhile), and when the service is too old to list them.
 */
export async function fetchStoredNodes(
  calls: Calls,
  { id }: StateView,
  hash: string,
): Promise<Map<string, string> | undefined> {
  const page = (token = ''): Promise<{ results: NodeHash[]; next_page?: string }> =>
    calls.get(
      `/api/v1/states/${id}/revision/nodes?limit=${PAGE_SIZE}${token && `&page=${encodeURIComponent(token)}`}`,
    );
  try {
    const nodes = await collect(rowsOf(page));
    return revisionHash(nodes) === hash ? new Map(nodes.map((node) => [node.key, node.hash])) : undefined;
  } catch (error) {
    if (error instanceof ServiceFailure && error.status === 404) return undefined;
    throw error;
  }
}
