import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { storableText } from '../../../platform/database/storable-text.js';
import { decodeText, encodePageToken } from '../../../platform/http/index.js';
import type { Principal } from '../../access/index.js';
import { StateRevisionEntity, StateRevisionHashEntity } from '../entities/revision.entities.js';
import { TransactionStateEntity } from '../entities/transaction-state.entity.js';
import { TransactionEntity } from '../entities/transaction.entity.js';
import { TransactionRights } from '../transaction-rights.service.js';
import { transactionErrors } from '../transactions.errors.js';
import { isActive } from '../transaction-states.machine.js';
import { TransactionsService } from '../transactions.service.js';

export interface NodeHash {
  key: string;
  hash: string;
}

const MOST_ROWS = 50_000;

/** Hashes of configuration blocks, by which an unchanged configuration is known without a plan. */
@Injectable()
export class RevisionsService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly transactions: TransactionsService,
    private readonly rights: TransactionRights,
  ) {}

  /** Keeps the hashes with the transaction; recorded again they replace those before. Not beside a runner, as with logs. */
  async record(
    caller: Principal,
    { id: stateId, tenantId }: { id: string; tenantId: string },
    txId: string,
    nodes: readonly NodeHash[],
  ): Promise<void> {
    const last = new Map(
      nodes.slice(0, MOST_ROWS).map(({ key, hash }) => [storableText(key), storableText(hash)]),
    );
    await this.work.run(async () => {
      const tx = await this.transactions.lock(txId);
      if (tx.tenantId !== tenantId) throw transactionErrors.TX_NOT_FOUND();
      await this.rights.requireAppend(caller, tx, [{ action: 'revision', stateId }]);
      if (!isActive(tx.state)) throw transactionErrors.TX_NOT_ACTIVE();
      if (tx.kind === 'session') throw transactionErrors.TX_IS_SESSION();
      if (tx.state === 'committing' || tx.state === 'previewing') throw transactionErrors.TX_BUSY();
      await this.work.query(
        `INSERT INTO transaction_revisions (tx_id, state_id, node, hash, base_hash)
         SELECT $1, $2, r.n, r.h, s.hash FROM unnest($3::text[], $4::text[]) AS r (n, h)
           LEFT JOIN state_revisions s ON s.state_id = $2 AND s.node = r.n
         ON CONFLICT (tx_id, state_id, node) DO UPDATE SET hash = EXCLUDED.hash, base_hash = EXCLUDED.base_hash`,
        [txId, stateId, [...last.keys()], [...last.values()]],
      );
      await this.work.manager
        .createQueryBuilder()
        .insert()
        .into(TransactionStateEntity)
        .values({ txId, stateId })
        .orIgnore()
        .execute();
      if (tx.state === 'previewed') await this.transactions.outdatePlan(txId);
    });
  }

  /** Keys whose hash in the transaction differs from the stored one, or has none; and stored keys that it does not name. */
  async compare(
    stateId: string,
    tenantId: string,
    txId: string,
  ): Promise<{ changed: string[]; removed: string[] }> {
    const { manager } = this.work;
    if (!(await manager.existsBy(TransactionEntity, { id: txId, tenantId })))
      throw transactionErrors.TX_NOT_FOUND();
    const rows = await this.work.query<{ node: string; is_removed: boolean }>(
      `SELECT coalesce(t.node, s.node) AS node, t.node IS NULL AS is_removed
       FROM (SELECT node, hash FROM transaction_revisions WHERE tx_id = $1 AND state_id = $2) t
         FULL JOIN (SELECT node, hash FROM state_revisions WHERE state_id = $2) s ON s.node = t.node
       WHERE s.hash IS DISTINCT FROM t.hash ORDER BY 1`,
      [txId, stateId],
    );
    const nodes = (isRemoved: boolean) =>
      rows.filter((row) => row.is_removed === isRemoved).map((row) => row.node);
    return { changed: nodes(false), removed: nodes(true) };
  }

  /**
   * What the transaction recorded becomes what is stored. What it found stored already is not its change: another
   * transaction may have replaced it since. `removed` nodes go; `all`: nothing of what was stored stays.
   */
  async apply(
    txId: string,
    stateId: string,
    removed: readonly string[],
    { all }: { all: boolean },
  ): Promise<void> {
    await this.work.manager.delete(StateRevisionHashEntity, { stateId });
    await this.work.query(
      'DELETE FROM state_revisions WHERE state_id = $1 AND ($3 OR node = ANY($2::text[]))',
      [stateId, removed, all],
    );
    await this.work.query(
      `INSERT INTO state_revisions (state_id, node, hash)
       SELECT state_id, node, hash FROM transaction_revisions
       WHERE tx_id = $1 AND state_id = $2 AND ($3 OR hash IS DISTINCT FROM base_hash)
       ON CONFLICT (state_id, node) DO UPDATE SET hash = EXCLUDED.hash`,
      [txId, stateId, all],
    );
  }

  /** Nothing counts as applied any more. */
  async clear(stateId: string): Promise<void> {
    await this.work.manager.delete(StateRevisionHashEntity, { stateId });
    await this.work.manager.delete(StateRevisionEntity, { stateId });
  }

  /** Whatever hash a client records of the nodes, it differs. */
  async doubt(stateId: string, nodes: readonly string[]): Promise<void> {
    await this.work.manager.delete(StateRevisionHashEntity, { stateId });
    await this.work.query(
      "UPDATE state_revisions SET hash = '' WHERE state_id = $1 AND node = ANY($2::text[])",
      [stateId, nodes],
    );
  }

  /** Those of the transactions that recorded anything with the state. */
  async recordedBy(txIds: readonly string[], stateId: string): Promise<string[]> {
    const rows = await this.work.query<{ tx_id: string }>(
      `SELECT t AS tx_id FROM unnest($1::uuid[]) t
       WHERE EXISTS (SELECT FROM transaction_revisions r WHERE r.tx_id = t AND r.state_id = $2)`,
      [txIds, stateId],
    );
    return rows.map((row) => row.tx_id);
  }

  /** One hash over all stored ones, or undefined when none was ever applied. Kept until a transaction is applied. */
  async hash(stateId: string): Promise<string | undefined> {
    const stored = await this.work.manager.findOneBy(StateRevisionHashEntity, { stateId });
    return stored?.hash ?? this.work.run(() => this.hashAnew(stateId));
  }

  /** What was applied, in the order of the node ids. */
  async nodes(
    stateId: string,
    limit: number,
    page: string | undefined,
  ): Promise<{ results: NodeHash[]; next: string | undefined }> {
    const rows = await this.work.query<NodeHash>(
      'SELECT node AS key, hash FROM state_revisions WHERE state_id = $1 AND node > $2 ORDER BY node LIMIT $3',
      [stateId, page === undefined ? '' : decodeText(page), limit + 1],
    );
    const results = rows.slice(0, limit);
    return { results, next: rows.length > limit ? encodePageToken([results.at(-1)?.key ?? '']) : undefined };
  }

  /** Nobody waits for it: whoever asks next finds it, or makes it. */
  prepareHash(stateId: string): void {
    this.hash(stateId).catch(() => undefined);
  }

  private async hashAnew(stateId: string): Promise<string | undefined> {
    // Whoever applies a transaction holds the row too: what is kept is never older than what is stored.
    await this.work.query('SELECT FROM states WHERE id = $1 FOR SHARE', [stateId]);
    // As clients do it: JSON without white space, whose strings PostgreSQL escapes as JavaScript does.
    const [row] = await this.work.query<{ hash: string | null }>(
      `SELECT encode(sha256(convert_to(string_agg('[' || to_json(node) || ',' || to_json(hash) || ']', '' ORDER BY node), 'UTF8')), 'hex') AS hash
       FROM state_revisions WHERE state_id = $1`,
      [stateId],
    );
    if (!row || row.hash === null) return undefined;
    await this.work.query(
      'INSERT INTO state_revision_hashes (state_id, hash) VALUES ($1, $2) ON CONFLICT (state_id) DO NOTHING',
      [stateId, row.hash],
    );
    return row.hash;
  }
}
