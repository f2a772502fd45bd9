import { serverVersion, type StateView } from '@infrastate/sdk';
import type { Configuration, NodeEntry } from '../configuration/configuration.js';
import type { Context } from '../context/context.js';
import { ServiceFailure } from '../failure.js';
import { answer } from '../service/api-client.js';
import { Calls, insistently } from './calls.js';
import { type Deletion, deletionOf } from './deletion.rules.js';
import { logBatches } from './log-batches.rules.js';

/** Nodes of one call. */
const MOST_NODES = 50_000;

export interface TransactionOptions {
  /** plan everything, whatever changed */
  full: boolean;
  skipRefresh: boolean;
}

/** True when the state was last planned with exactly this configuration. */
export async function isUnchanged(
  calls: Calls,
  state: StateView,
  configuration: Configuration,
): Promise<boolean> {
  try {
    const { hash } = await calls.post<{ hash: string }>(`/api/v1/states/${state.id}/revision/hash`);
    return hash === configuration.hash;
  } catch (error) {
    if (error instanceof ServiceFailure && error.status === 404) return false;
    throw error;
  }
}

/** Begins a transaction; answers its id. */
export async function begin(
  context: Context,
  calls: Calls,
  { skipRefresh }: TransactionOptions,
): Promise<string> {
  const [{ id: tenantId }, { state_schema_version }] = await Promise.all([
    context.tenant(),
    answer(serverVersion({ client: context.api() })),
  ]);
  const { id } = await calls.post<{ id: string }>(`/api/v1/tenants/${tenantId}/tx/create`, {
    state_schema_version,
    params: skipRefresh ? { skip_refresh: true } : {},
    tags: context.settings.tags,
  });
  return id;
}

/** Tells the transaction what of the configuration is new, changed or gone. */
export async function upload(
  calls: Calls,
  txId: string,
  state: StateView,
  configuration: Configuration,
  { full }: TransactionOptions,
): Promise<void> {
  const { nodes } = configuration;
  for (let from = 0; from < nodes.length || from === 0; from += MOST_NODES) {
    const some = nodes.slice(from, from + MOST_NODES).map(({ key, hash }) => ({ key, hash }));
    await insistently(() => calls.post(`/api/v1/states/${state.id}/revision`, { tx_id: txId, nodes: some }));
  }
  const { node_ids: changed, removed } = await calls.post<{ node_ids: string[]; removed?: string[] }>(
    `/api/v1/states/${state.id}/revision/compare`,
    { tx_id: txId },
  );
  const isChanged = new Set(changed);
  const entries: (NodeEntry | Deletion | { action: 'refresh'; object_type: 'refresh'; data: object })[] = [
    ...nodes.filter(({ key }) => full || isChanged.has(key)).map(({ entry }) => entry),
    ...configuration.unhashed,
    ...(removed ?? []).map(deletionOf),
    ...(full ? [{ action: 'refresh' as const, object_type: 'refresh' as const, data: {} }] : []),
  ];
  for (const body of logBatches(entries.map((entry) => ({ ...entry, state_id: state.id })))) {
    await calls.text('POST', `/api/v1/tx/${txId}/logs/append`, body);
  }
}
