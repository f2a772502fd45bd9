import { Injectable } from '@nestjs/common';
import { Secrets } from '../../../platform/crypto/secrets.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { storableText } from '../../../platform/database/storable-text.js';
import { httpErrors } from '../../../platform/errors/index.js';
import { TextThreads } from '../../../platform/threads/index.js';
import type { Principal } from '../../access/index.js';
import { stateErrors } from '../../states/index.js';
import { callerKey } from '../caller-key.rules.js';
import { TransactionAppendEntity } from '../entities/transaction-log.entity.js';
import { type LogEntry, PARSE_ENTRIES } from './log-entries.rules.js';
import { TransactionRights } from '../transaction-rights.service.js';
import { isActive } from '../transaction-states.machine.js';
import { transactionErrors } from '../transactions.errors.js';
import { TransactionsService } from '../transactions.service.js';

const MAX_LOG_BYTES = 128 * 1024 * 1024;

export interface TransactionPlace {
  id: string;
  tenantId: string;
}

/** Appends what clients say a transaction consists of. */
@Injectable()
export class TransactionLogs {
  constructor(
    private readonly work: UnitOfWork,
    private readonly secrets: Secrets,
    private readonly transactions: TransactionsService,
    private readonly rights: TransactionRights,
    private readonly threads: TextThreads,
  ) {}

  /**
   * Conflicts are looked for when a commit begins: nothing may be added that they were not looked for with. Nor may
   * configuration be added while a runner plans: it has its bundle, and what it does not know would count as applied.
   * @param body JSON text, as it came; all entries are appended in order, or none
   * @param key of the caller: entries that come again with it were stored before
   */
  async append(
    caller: Principal,
    { id: txId, tenantId: group }: TransactionPlace,
    body: Buffer,
    key?: string,
  ): Promise<number> {
    const entries = await this.threads.run(PARSE_ENTRIES, { input: body, bytes: body.length, group });
    if (typeof entries === 'string') throw httpErrors.INVALID_REQUEST(entries);
    return this.work.run(async () => {
      const tx = await this.transactions.lock(txId);
      const { state, kind, tenantId } = tx;
      await this.rights.requireAppend(caller, tx, entries);
      const ownKey = callerKey(caller, key);
      const before = ownKey === null ? undefined : await this.findAppend(txId, ownKey);
      if (before !== undefined) return before;
      if (!isActive(state)) throw transactionErrors.TX_NOT_ACTIVE();
      // Its commit would not look at it, and what was accepted would be lost.
      const hasContent = entries.some(({ action }) => action !== 'refresh');
      if (kind === 'session' && hasContent) throw transactionErrors.TX_IS_SESSION();
      const isPlanned = entries.some(({ action }) => !action.startsWith('state_'));
      if (state === 'committing' || (state === 'previewing' && isPlanned)) throw transactionErrors.TX_BUSY();
      await this.requireRoom(txId, entries);
      await this.insert(txId, tenantId, caller.userId, entries);
      if (ownKey !== null) await this.recordAppend(txId, ownKey, entries.length);
      if (state === 'previewed' && isPlanned) await this.transactions.outdatePlan(txId);
      return entries.length;
    });
  }

  /** How many entries were stored with the key; undefined: none yet. */
  private async findAppend(txId: string, key: string): Promise<number | undefined> {
    const found = await this.work.manager.findOneBy(TransactionAppendEntity, { txId, key });
    return found?.appended;
  }

  private async recordAppend(txId: string, key: string, appended: number): Promise<void> {
    await this.work.manager.insert(TransactionAppendEntity, { txId, key, appended });
  }

  /** All of a transaction's log is read at once when it is applied. */
  private async requireRoom(txId: string, entries: readonly LogEntry[]): Promise<void> {
    const [row] = await this.work.query<{ size: string }>(
      'SELECT coalesce(sum(size), 0) AS size FROM transaction_logs WHERE tx_id = $1',
      [txId],
    );
    const added = entries.reduce((sum, { data }) => sum + data.length, 0);
    if (Number(row?.size ?? 0) + added > MAX_LOG_BYTES)
      throw httpErrors.PAYLOAD_TOO_LARGE('the log of a transaction must not exceed 128 MiB');
  }

  private async insert(
    txId: string,
    tenantId: string,
    userId: string,
    entries: readonly LogEntry[],
  ): Promise<void> {
    const states = [...new Set(entries.flatMap((entry) => entry.stateId ?? []))];
    const known = await this.work.query<{ id: string }>(
      'SELECT id FROM states WHERE tenant_id = $1 AND id = ANY($2::uuid[])',
      [tenantId, states],
    );
    if (known.length < states.length) throw stateErrors.STATE_NOT_FOUND();
    await this.work.query(
      `INSERT INTO transaction_states (tx_id, state_id) SELECT $1, s FROM unnest($2::uuid[]) s ON CONFLICT DO NOTHING`,
      [txId, states],
    );
    await this.work.query(
      `INSERT INTO transaction_logs (tx_id, user_id, id, action, object_type, state_id, node_id, data)
       SELECT $1, $2, id, action, object_type, state_id, node_id, data::jsonb
       FROM unnest($3::uuid[], $4::text[], $5::text[], $6::uuid[], $7::text[], $8::text[])
         WITH ORDINALITY AS r (id, action, object_type, state_id, node_id, data, n) ORDER BY n`,
      [
        txId,
        userId,
        entries.map(() => this.secrets.uuid()),
        entries.map((entry) => entry.action),
        entries.map((entry) => entry.objectType),
        entries.map((entry) => entry.stateId ?? null),
        entries.map((entry) => (entry.nodeId === undefined ? null : storableText(entry.nodeId))),
        entries.map((entry) => entry.data),
      ],
    );
  }
}
