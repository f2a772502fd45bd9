import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/index.js';
import { httpErrors } from '../../platform/errors/index.js';
import { parseTokenCapabilities, type TokenCapability } from '../tokens/index.js';
import type { CasBody, CommitBody, IterationQuery, PutBody } from './dto/kv.dto.js';
import { endOfPrefix } from './key-range.rules.js';
import { requireKey, visibleKeys } from './kv-access.rules.js';
import { DEFAULT_ITERATION_LIMIT, MAX_IDX, MAX_ITERATION_BYTES, MAX_ITERATION_LIMIT } from './kv-limits.js';
import { KvMetrics } from './kv-metrics.js';
import { type KvNamespace, KvNamespaces } from './kv-namespaces.js';
import { type KvRecord, KvRecordsStore, type KvWrite } from './kv-records.store.js';
import { kvErrors } from './kv.errors.js';
import { parseSelections, type Selection, selectFrom } from './select-path.rules.js';

export interface KvReadOptions {
  committed: boolean;
  idx: number | undefined;
}

/**
 * The rules of the key-value store (contract notes, section 8) between its routes and its statements. Where a statement
 * found nothing, `confirm` decides whether that may be said; after an error `KvRefusals` does.
 */
@Injectable()
export class KvService {
  constructor(
    private readonly namespaces: KvNamespaces,
    private readonly records: KvRecordsStore,
    private readonly config: Config,
    private readonly metrics: KvMetrics,
  ) {}

  async put(namespace: KvNamespace, key: string, body: PutBody): Promise<KvRecord> {
    requireKey(namespace.authority, key, ['write']);
    const written = await this.records.put(namespace, this.writeOf(key, body));
    if (!written) throw httpErrors.FORBIDDEN();
    return this.counted(namespace, written);
  }

  /** Compare and set; a body without `version` only inserts. */
  async cas(namespace: KvNamespace, key: string, body: CasBody): Promise<KvRecord> {
    requireKey(namespace.authority, key, ['read', 'write']);
    const write = this.writeOf(key, body);
    const written =
      body.version === undefined
        ? await this.records.insert(namespace, write)
        : await this.records.replace(namespace, write, body.version);
    if (written) return this.counted(namespace, written);
    await this.namespaces.confirm(namespace);
    if (await this.records.isWriteProtected(namespace, key, write.idx)) throw httpErrors.FORBIDDEN();
    this.metrics.countLostCas(namespace.provider);
    throw kvErrors.VERSION_MISMATCH();
  }

  async get(
    namespace: KvNamespace,
    key: string,
    options: KvReadOptions & { select: readonly string[] },
  ): Promise<KvRecord> {
    requireKey(namespace.authority, key, ['read']);
    const selections = parseSelections(options.select);
    const { committed, idx = 0 } = options;
    const record = await this.records.find(namespace, { key, idx, committed });
    if (!record) throw kvErrors.KEY_NOT_FOUND();
    return this.counted(namespace, selected(record, selections));
  }

  async remove(
    namespace: KvNamespace,
    key: string,
    narrowed: { idx: number | undefined; version: number | undefined },
  ): Promise<boolean> {
    requireKey(namespace.authority, key, ['read', 'write']);
    const { removed, refused } = await this.records.remove(namespace, { key, ...narrowed });
    if (refused) throw httpErrors.FORBIDDEN();
    if (removed === 0) await this.namespaces.confirm(namespace);
    return removed > 0;
  }

  async count(
    namespace: KvNamespace,
    key: string,
    { committed }: { committed: boolean },
  ): Promise<{ count: number; max_idx: number }> {
    requireKey(namespace.authority, key, ['read']);
    const { count, max_idx } = await this.records.measure(namespace, { key, idx: undefined, committed });
    if (count === 0) await this.namespaces.confirm(namespace);
    return { count, max_idx };
  }

  async size(namespace: KvNamespace, key: string, options: KvReadOptions): Promise<number> {
    requireKey(namespace.authority, key, ['read']);
    const { count, size } = await this.records.measure(namespace, { key, ...options });
    if (count === 0) throw kvErrors.KEY_NOT_FOUND();
    return size;
  }

  async iterate(
    namespace: KvNamespace,
    start: string,
    query: IterationQuery,
  ): Promise<{ records: KvRecord[]; has_more: boolean }> {
    requireKey(namespace.authority, start, ['read']);
    const visible = visibleKeys(namespace.authority);
    if (visible === 'none') throw httpErrors.FORBIDDEN();
    const includeData = query.include_data ?? true;
    const selections = parseSelections(query.select ?? []);
    const { records, hasMore } = await this.records.iterate(namespace, {
      start,
      // Exclusively and without an idx, everything after the key's last row.
      idx: query.idx ?? (query.inclusive === false ? MAX_IDX : 0),
      after: query.inclusive === false,
      end: query.prefix === true ? endOfPrefix(start) : undefined,
      visible,
      committed: query.committed ?? true,
      limit: Math.min(query.limit ?? DEFAULT_ITERATION_LIMIT, MAX_ITERATION_LIMIT),
      includeData,
    });
    if (records.length === 0) await this.namespaces.confirm(namespace);
    const shown = selections.length > 0 && includeData ? await selectedWithin(records, selections) : records;
    for (const record of shown) this.counted(namespace, record);
    return { records: shown, has_more: hasMore || shown.length < records.length };
  }

  async commit(namespace: KvNamespace, body: CommitBody): Promise<{ key: string; idx: number }[]> {
    for (const { key } of body.keys) requireKey(namespace.authority, key, ['write']);
    const { rows, refused } = await this.records.commit(
      namespace,
      body.keys.map(({ key, idx }) => ({ key, idx })),
    );
    if (refused) throw httpErrors.FORBIDDEN();
    if (rows.length === 0) await this.namespaces.confirm(namespace);
    return rows;
  }

  private writeOf(key: string, body: PutBody | CasBody): KvWrite {
    const limit = this.config.get('SERVICE_KV_MAX_DATA_SIZE');
    if (Buffer.byteLength(body.data, 'utf8') > limit)
      throw httpErrors.PAYLOAD_TOO_LARGE(`data must not exceed ${limit} bytes`);
    return {
      key,
      idx: body.idx ?? 0,
      data: body.data,
      committed: body.committed ?? true,
      readCaps: capabilityList('read_caps', body.read_caps),
      writeCaps: capabilityList('write_caps', body.write_caps),
    };
  }

  private counted(namespace: KvNamespace, record: KvRecord): KvRecord {
    this.metrics.countRecord(namespace.provider, record.data === undefined ? 0 : record.size);
    return record;
  }
}

function capabilityList(field: string, value: unknown): TokenCapability[] | undefined {
  if (value === undefined || value === null) return undefined;
  const list = parseTokenCapabilities(value);
  if (!list) throw httpErrors.INVALID_REQUEST(`${field} must be a list of token capabilities`);
  return list;
}

function selected(record: KvRecord, selections: readonly Selection[]): KvRecord {
  if (selections.length === 0 || record.data === undefined) return record;
  return { ...record, data: selectFrom(record.data, selections) };
}

/** Bytes of stored data that are parsed at a time: others get their turn in between. */
const PARSED_AT_ONCE = 64 * 1024;

/**
 * The records with what was selected, as many as have room in one answer: several paths may lead to the same value, so
 * that it may have more bytes than the stored data. At least one.
 */
async function selectedWithin(
  records: readonly KvRecord[],
  selections: readonly Selection[],
): Promise<KvRecord[]> {
  const shown: KvRecord[] = [];
  let [answered, parsed] = [0, 0];
  for (const record of records) {
    const next = selected(record, selections);
    answered += Buffer.byteLength(next.data ?? '');
    if (shown.length > 0 && answered > MAX_ITERATION_BYTES) break;
    shown.push(next);
    parsed += record.size;
    if (parsed < PARSED_AT_ONCE) continue;
    parsed = 0;
    await setImmediate();
  }
  return shown;
}
