import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { Secrets } from '../../platform/crypto/secrets.js';
import { UnitOfWork } from '../../platform/database/index.js';
import { TransactionBundleEntity, TransactionBundleEntryEntity } from './entities/bundle.entities.js';
import type { BundleEntry } from './bundle-entries.rules.js';

export interface StoredBundle {
  id: string;
  head: string;
}

export interface NewBundle {
  head: string;
  txId: string;
  stateId: string;
  baseVersion: number;
}

const BATCH = 1_000;
const BATCH_BYTES = 4 * 1024 * 1024;

/** The bundles of transactions that have not ended. */
@Injectable()
export class BundleStore {
  constructor(
    private readonly work: UnitOfWork,
    private readonly secrets: Secrets,
  ) {}

  /** Replaces an earlier one; in the caller's transaction. Answers how many entries there are. */
  async replace(
    { txId, stateId, baseVersion, head }: NewBundle,
    entries: Iterable<BundleEntry>,
  ): Promise<number> {
    await this.remove([txId]);
    const id = this.secrets.uuid();
    await this.work.manager.insert(TransactionBundleEntity, { txId, id, stateId, baseVersion, head });
    let ordinal = 0;
    let batch: (BundleEntry & { size: number })[] = [];
    let bytes = 0;
    const flush = async () => {
      await this.insert(txId, ordinal, batch);
      ordinal += batch.length;
      batch = [];
      bytes = 0;
    };
    for (const entry of entries) {
      const size = Buffer.byteLength(entry.data);
      batch.push({ ...entry, size });
      bytes += size;
      if (batch.length >= BATCH || bytes >= BATCH_BYTES) await flush();
    }
    await flush();
    return ordinal;
  }

  async remove(txIds: readonly string[]): Promise<void> {
    await this.work.manager.delete(TransactionBundleEntity, { txId: In([...txIds]) });
  }

  async findBundle(txId: string): Promise<StoredBundle | undefined> {
    const select = { id: true, head: true };
    return (
      (await this.work.manager.findOne(TransactionBundleEntity, { select, where: { txId } })) ?? undefined
    );
  }

  async count(txId: string): Promise<number> {
    return this.work.manager.countBy(TransactionBundleEntryEntity, { txId });
  }

  /** Sizes of entries in bytes, in their order. */
  async sizes(txId: string, from = 0, most?: number): Promise<number[]> {
    const rows = await this.work.query<{ size: number }>(
      'SELECT size FROM transaction_bundle_entries WHERE tx_id = $1 AND ordinal >= $2 ORDER BY ordinal LIMIT $3',
      [txId, from, most ?? null],
    );
    return rows.map((row) => row.size);
  }

  async entries(txId: string, from: number, count: number): Promise<Pick<BundleEntry, 'kind' | 'data'>[]> {
    return this.work.query(
      `SELECT kind, data FROM transaction_bundle_entries WHERE tx_id = $1 AND ordinal >= $2 AND ordinal < $3 ORDER BY ordinal`,
      [txId, from, from + count],
    );
  }

  private async insert(
    txId: string,
    first: number,
    entries: readonly (BundleEntry & { size: number })[],
  ): Promise<void> {
    await this.work.query(
      `INSERT INTO transaction_bundle_entries (tx_id, ordinal, kind, is_context, size, data)
       SELECT $1, $2 + n - 1, k, c, s, d FROM unnest($3::text[], $4::bool[], $5::int[], $6::text[]) WITH ORDINALITY AS r (k, c, s, d, n)`,
      [
        txId,
        first,
        entries.map((entry) => entry.kind),
        entries.map((entry) => entry.isContext),
        entries.map((entry) => entry.size),
        entries.map((entry) => entry.data),
      ],
    );
  }
}
