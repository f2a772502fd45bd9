import type { Client } from './generated/client/index.js';
import {
  githubKvCas,
  githubKvGet,
  githubKvIterate,
  gitlabKvCas,
  gitlabKvGet,
  gitlabKvIterate,
} from './generated/sdk.gen.js';
import type { CasBody, KvRecordView } from './generated/types.gen.js';

/** A namespace of the key-value store: one installation of a code-hosting provider. */
export interface KeyValueNamespace {
  client: Client;
  vcs: 'github' | 'gitlab';
  /** the provider's own id of the installation or group */
  installationId: string;
}

export interface UpdateOptions {
  /** which of the key's records; 0 when absent */
  idx?: number;
  /** how often another writer may come first before the call gives up (default 50) */
  maxAttempts?: number;
}

export interface RecordsOptions {
  /** only keys that begin with the start */
  prefix?: boolean;
  /** false: uncommitted records too (default true) */
  committed?: boolean;
  /** false leaves `data` out (default true) */
  includeData?: boolean;
  /** records of one request, at most 1,000 (default 100) */
  pageSize?: number;
}

const MAX_BACKOFF_MS = 250;

/**
 * Changes a record by compare and set until no other writer came in between. `change` gets the data that is stored,
 * committed or not, or undefined when there is no record, and answers the data to store; it may run several times. An
 * uncommitted record stays uncommitted, and a record keeps its capability lists.
 * Throws the service's error body `{id, data}` when it refuses, with id VERSION_MISMATCH after the last attempt.
 */
export async function updateRecord(
  namespace: KeyValueNamespace,
  key: string,
  change: (data: string | undefined) => string | Promise<string>,
  { idx = 0, maxAttempts = 50 }: UpdateOptions = {},
): Promise<KvRecordView> {
  const { client, vcs, installationId } = namespace;
  const [get, cas] = vcs === 'github' ? [githubKvGet, githubKvCas] : [gitlabKvGet, gitlabKvCas];
  const path = { installationId, key };
  for (let attempt = 1; ; attempt++) {
    const stored = await get({ client, path, query: { idx, committed: false }, throwOnError: false });
    if (stored.data === undefined && idOf(stored.error) !== 'KEY_NOT_FOUND') throw stored.error;
    const data = await change(stored.data?.data);
    const body = { data, idx, ...keptOf(stored.data) };
    const written = await cas({ client, path, body, throwOnError: false });
    if (written.data !== undefined) return written.data;
    if (idOf(written.error) !== 'VERSION_MISMATCH' || attempt >= maxAttempts) throw written.error;
    await pause(Math.random() * Math.min(MAX_BACKOFF_MS, 5 * 2 ** attempt));
  }
}

/** What a write replaces too: without these it would commit the record and lift its protection. */
function keptOf(record: KvRecordView | undefined): Omit<CasBody, 'data' | 'idx'> {
  if (record === undefined) return {};
  const { version, committed, read_caps, write_caps } = record;
  return {
    version,
    committed,
    ...(read_caps === undefined ? {} : { read_caps }),
    ...(write_caps === undefined ? {} : { write_caps }),
  };
}

/** Every record from a start key on, in byte order of the keys, page by page. */
export async function* records(
  namespace: KeyValueNamespace,
  start: string,
  options: RecordsOptions = {},
): AsyncGenerator<KvRecordView, void> {
  const { client, vcs, installationId } = namespace;
  const iterate = vcs === 'github' ? githubKvIterate : gitlabKvIterate;
  const { prefix = false, committed = true, includeData = true, pageSize = 100 } = options;
  let position: { key: string; idx?: number } = { key: start };
  for (;;) {
    const { data, error } = await iterate({
      client,
      path: { installationId, key: position.key },
      query: {
        limit: pageSize,
        committed,
        include_data: includeData,
        inclusive: position.idx === undefined,
        ...(position.idx === undefined ? {} : { idx: position.idx }),
      },
      throwOnError: false,
    });
    if (data === undefined) throw error;
    for (const record of data.records) {
      // The prefix is that of the start, not of the key that a later page begins behind.
      if (prefix && !record.key.startsWith(start)) return;
      yield record;
    }
    const last = data.records.at(-1);
    if (!data.has_more || !last) return;
    position = { key: last.key, idx: last.idx };
  }
}

function idOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'id' in error ? error.id : undefined;
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
