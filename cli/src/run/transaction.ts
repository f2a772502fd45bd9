import { serverVersion, type StateView } from '@infrastate/sdk';
import type { Configuration, NodeEntry } from '../configuration/configuration.js';
import type { Context } from '../context/context.js';
import { ServiceFailure } from '../failure.js';
import { answer } from '../service/api-client.js';
import { type Calls, insistently } from './calls.js';
import { type Deletion, deletionOf } from './deletion.rules.js';
import { logBatches } from './log-batches.rules.js';
import type { NodeHash } from './revision-cache.js';

/** Nodes of one call. */
const MOST_NODES = 50_000;

export interface TransactionOptions {
  /** plan everything, whatever changed */
  full: boolean;
  skipRefresh: boolean;
}

/** The hash over the configuration that was last applied to the state; undefined when none was. */
export async function storedRevision(calls: Calls, stateId: string): Promise<string | undefined> {
  try {
    const url = `/api/v1/states/${stateId}/revision/hash`;
    return (await insistently(() => calls.post<{ hash: string }>(url))).hash;
  } catch (error) {
    if (error instanceof ServiceFailure && error.status === 404) return undefined;
    throw error;
  }
}

/** The version of state documents the service speaks, which a transaction begins with. */
export async function schemaVersion(context: Context, signal: AbortSignal): Promise<number> {
  return (await answer(serverVersion({ client: context.api(), signal }))).state_schema_version;
}

/** Begins a transaction; answers its id. One whose answer is lost stays empty, and ends by itself. */
export async function begin(
  context: Context,
  calls: Calls,
  { skipRefresh, schemaVersion }: TransactionOptions & { schemaVersion: number },
): Promise<string> {
  const tenantId = await context.tenantId();
  const { id } = await insistently(() =>
    calls.post<{ id: string }>(`/api/v1/tenants/${tenantId}/tx/create`, {
      state_schema_version: schemaVersion,
      params: skipRefresh ? { skip_refresh: true } : {},
      tags: context.settings.tags,
    }),
  );
  return id;
}

interface Upload {
  configuration: Configuration;
  full: boolean;
  /** hashes of the stored nodes; undefined when they are not known */
  known: ReadonlyMap<string, string> | undefined;
}

/** Logs the nodes of the configuration that are new, changed or removed. */
export async function upload(
  calls: Calls,
  txId: string,
  state: StateView,
  { configuration, full, known }: Upload,
): Promise<void> {
  const { nodes, unhashed } = configuration;
  const target = { calls, txId, stateId: state.id };
  const append = async ({ changed, removed }: Difference): Promise<void> => {
    const entries: (NodeEntry | Deletion | { action: 'refresh'; object_type: 'refresh'; data: object })[] = [
      ...nodes.filter(({ key }) => full || changed.has(key)).map(({ entry }) => entry),
      ...unhashed,
      ...removed.map(deletionOf),
      ...(full ? [{ action: 'refresh' as const, object_type: 'refresh' as const, data: {} }] : []),
    ];
    for (const body of logBatches(entries.map((entry) => ({ ...entry, state_id: state.id }))))
      await calls.once(`/api/v1/tx/${txId}/logs/append`, body);
  };
  if (known === undefined) return append(await recordAll(target, nodes));
  // Only what differs is told.
  const differing = nodes.filter(({ key, hash }) => known.get(key) !== hash);
  const present = new Set(nodes.map(({ key }) => key));
  const changed = new Set(differing.map(({ key }) => key));
  const removed = [...known.keys()].filter((key) => !present.has(key));
  await Promise.all([record(target, differing), append({ changed, removed })]);
}

interface Target {
  calls: Calls;
  txId: string;
  stateId: string;
}

interface Difference {
  changed: Set<string>;
  removed: string[];
}

async function recordAll(target: Target, nodes: readonly NodeHash[]): Promise<Difference> {
  await record(target, nodes);
  const { node_ids: changed, removed } = await insistently(() =>
    target.calls.post<{ node_ids: string[]; removed?: string[] }>(
      `/api/v1/states/${target.stateId}/revision/compare`,
      { tx_id: target.txId },
    ),
  );
  return { changed: new Set(changed), removed: removed ?? [] };
}

/** Also when there is nothing to tell: it is what ties the state to the transaction. */
async function record({ calls, txId, stateId }: Target, nodes: readonly NodeHash[]): Promise<void> {
  for (let from = 0; from < nodes.length || from === 0; from += MOST_NODES) {
    const some = nodes.slice(from, from + MOST_NODES).map(({ key, hash }) => ({ key, hash }));
    await insistently(() => calls.post(`/api/v1/states/${stateId}/revision`, { tx_id: txId, nodes: some }));
  }
}
