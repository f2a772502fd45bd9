import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../platform/database/index.js';
import type { TokenCapability } from '../tokens/index.js';
import { MAX_ITERATION_BYTES } from './kv-limits.js';
import type { KvNamespace } from './kv-namespaces.js';
import * as sql from './kv-statements.js';

export interface KvRecord {
  key: string;
  idx: number;
  /** undefined where it was not asked for */
  data?: string;
  version: number;
  committed: boolean;
  created_at: Date;
  size: number;
  read_caps: TokenCapability[] | null;
  write_caps: TokenCapability[] | null;
}

export interface KvWrite {
  key: string;
  idx: number;
  data: string;
  committed: boolean;
  readCaps: readonly TokenCapability[] | undefined;
  writeCaps: readonly TokenCapability[] | undefined;
}

type Row = Omit<KvRecord, 'version' | 'data'> & { version: string; data?: string };

/** Every call is one statement, in which access to the namespace and to single records is decided as well. */
@Injectable()
export class KvRecordsStore {
  constructor(private readonly work: UnitOfWork) {}

  /** Undefined when the row is there and may not be replaced by the caller. */
  async put(namespace: KvNamespace, write: KvWrite): Promise<KvRecord | undefined> {
    return this.one(sql.PUT, [...keysOf(namespace), ...valuesOf(write)], write.data);
  }

  /** Undefined when there is a row already, seen or not. */
  async insert(namespace: KvNamespace, write: KvWrite): Promise<KvRecord | undefined> {
    return this.one(sql.INSERT, [...keysOf(namespace), ...valuesOf(write)], write.data);
  }

  /** Undefined when no row that the caller may read and write has this version. */
  async replace(namespace: KvNamespace, write: KvWrite, version: number): Promise<KvRecord | undefined> {
    return this.one(sql.REPLACE, [...keysOf(namespace), ...valuesOf(write), version], write.data);
  }

  /** Whether a row stands there that the caller sees and must not write. */
  async isWriteProtected(namespace: KvNamespace, key: string, idx: number): Promise<boolean> {
    const [row] = await this.work.prepared<{ writable: boolean }>(sql.WRITABLE, [
      ...keysOf(namespace),
      key,
      idx,
    ]);
    return row?.writable === false;
  }

  async find(
    namespace: KvNamespace,
    place: { key: string; idx: number; committed: boolean },
  ): Promise<KvRecord | undefined> {
    return this.one(sql.FIND, [...keysOf(namespace), place.key, place.idx, place.committed]);
  }

  /** How many rows went; `refused` when one of them may not be written by the caller, and then none went. */
  async remove(
    namespace: KvNamespace,
    place: { key: string; idx: number | undefined; version: number | undefined },
  ): Promise<{ removed: number; refused: boolean }> {
    const [row] = await this.work.prepared<{ removed: number; refused: boolean }>(sql.REMOVE, [
      ...keysOf(namespace),
      place.key,
      place.idx ?? null,
      place.version ?? null,
    ]);
    return row ?? { removed: 0, refused: false };
  }

  /** Rows, highest idx and bytes of exactly one key; `idx` narrows to one row. */
  async measure(
    namespace: KvNamespace,
    place: { key: string; idx: number | undefined; committed: boolean },
  ): Promise<{ count: number; max_idx: number; size: number }> {
    const [row] = await this.work.prepared<{ count: number; max_idx: number; size: string }>(sql.MEASURE, [
      ...keysOf(namespace),
      place.key,
      place.idx ?? null,
      place.committed,
    ]);
    return { count: row?.count ?? 0, max_idx: row?.max_idx ?? 0, size: Number(row?.size ?? 0) };
  }

  async iterate(
    namespace: KvNamespace,
    iteration: sql.KvIteration,
  ): Promise<{ records: KvRecord[]; hasMore: boolean }> {
    const { statement, parameters } = sql.iteration(iteration);
    const rows = await this.work.prepared<Row & { found: number }>(statement, [
      ...keysOf(namespace),
      iteration.start,
      iteration.idx,
      iteration.committed,
      iteration.limit + 1,
      ...(iteration.includeData ? [MAX_ITERATION_BYTES] : []),
      ...parameters,
    ]);
    const records = rows.slice(0, iteration.limit).map(toRecord);
    return { records, hasMore: (rows[0]?.found ?? 0) > records.length };
  }

  /** The rows that were not committed before, by (key, idx); `refused` when one may not be written: then none changed. */
  async commit(
    namespace: KvNamespace,
    places: readonly { key: string; idx: number | undefined }[],
  ): Promise<{ rows: { key: string; idx: number }[]; refused: boolean }> {
    const whole = new Set(places.filter(({ idx }) => idx === undefined).map(({ key }) => key));
    const single = places.filter(({ key, idx }) => idx !== undefined && !whole.has(key));
    const rows = await this.work.prepared<{ key: string | null; idx: number; refused: boolean }>(sql.COMMIT, [
      ...keysOf(namespace),
      [...whole],
      single.map(({ key }) => key),
      single.map(({ idx }) => idx),
    ]);
    return {
      rows: rows.flatMap(({ key, idx }) => (key === null ? [] : [{ key, idx }])),
      refused: rows.some(({ refused }) => refused),
    };
  }

  /** Deletes the records of an installation that is deleted. */
  async removeNamespace(provider: string, installationId: string): Promise<void> {
    await this.work.query(sql.REMOVE_NAMESPACE, [provider, installationId]);
  }

  private async one(
    statement: sql.Statement,
    parameters: readonly unknown[],
    data?: string,
  ): Promise<KvRecord | undefined> {
    const [row] = await this.work.prepared<Row>(statement, parameters);
    return row && toRecord(data === undefined ? row : { ...row, data });
  }
}

function keysOf({ provider, installationId, authority, tenantIds }: KvNamespace): unknown[] {
  return [provider, installationId, authority.capabilities, tenantIds ?? null];
}

function valuesOf(write: KvWrite): unknown[] {
  const { key, idx, data, committed, readCaps, writeCaps } = write;
  return [key, idx, data, committed, jsonOrNull(readCaps), jsonOrNull(writeCaps)];
}

function jsonOrNull(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

function toRecord({ version, ...row }: Row): KvRecord {
  return { ...row, version: Number(version) };
}
