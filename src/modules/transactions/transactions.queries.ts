import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { rowsOfPage, type SizedRow, sizedRows, UnitOfWork } from '../../platform/database/index.js';
import { consoleAddress, decodeTimeAndId, encodePageToken } from '../../platform/http/index.js';
import { isUuid } from '../../platform/text/uuid.js';
import type { TransactionParams, TransactionView } from './dto/transaction.dto.js';
import { TransactionEntity } from './entities/transaction.entity.js';
import { TransactionStateEntity } from './entities/transaction-state.entity.js';
import type { TransactionState } from './transaction-states.machine.js';
import { transactionErrors } from './transactions.errors.js';

/** Which transactions of a tenant are listed; null means all. */
export interface TransactionFilter {
  from: string | null;
  to: string | null;
  states: readonly TransactionState[] | null;
  stateId: string | null;
  createdBy: string | null;
}

interface TransactionRow extends SizedRow {
  id: string;
  tenant_id: string;
  state: TransactionState;
  params: TransactionParams;
  tags: Record<string, unknown>;
  created_at: Date;
  created_key: string;
  created_by: string | null;
  created_by_name: string | null;
  completed_at: Date | null;
  completed_by: string | null;
  state_names: string[] | null;
  add: number;
  change: number;
  destroy: number;
}

export interface UnfinishedTransaction {
  id: string;
  kind: 'plan' | 'session';
  tags: Record<string, unknown>;
}

/** Names and sums are worked out for the page that is shown, by the same statement. */
const SHOWN = `SELECT t.id, t.tenant_id, t.state, t.params, t.tags, t.created_at, t.created_at::text AS created_key, t.created_by,
    u.name AS created_by_name, t.completed_at, t.completed_by, n.names AS state_names, o.add, o.change, o.destroy
  FROM t LEFT JOIN users u ON u.id = t.created_by
    LEFT JOIN LATERAL (SELECT array_agg(s.name ORDER BY s.name, s.id) AS names
      FROM transaction_states ts JOIN states s ON s.id = ts.state_id WHERE ts.tx_id = t.id) n ON true
    LEFT JOIN LATERAL (SELECT count(*) FILTER (WHERE operation IN ('create', 'replace'))::int AS add,
      count(*) FILTER (WHERE operation = 'update')::int AS change,
      count(*) FILTER (WHERE operation IN ('destroy', 'replace'))::int AS destroy
      FROM transaction_plan_operations p WHERE p.tx_id = t.id) o ON true
  ORDER BY t.created_at DESC, t.id DESC`;

export interface Page<T> {
  rows: T[];
  next: string | undefined;
}

/** Transactions as they are shown. */
@Injectable()
export class TransactionQueries {
  constructor(
    private readonly work: UnitOfWork,
    private readonly config: Config,
  ) {}

  async one(txId: string): Promise<TransactionView> {
    const [row] = await this.work.query<Omit<TransactionRow, keyof SizedRow>>(
      `WITH t AS (SELECT * FROM transactions WHERE id = $1) ${SHOWN}`,
      [txId],
    );
    if (!row) throw transactionErrors.TX_NOT_FOUND();
    return toView(row);
  }

  /** What was begun with these credentials, is being written into, and has not ended. */
  async listUnfinished(credentials: readonly string[]): Promise<UnfinishedTransaction[]> {
    return this.work.query(
      `SELECT id, kind, tags FROM transactions WHERE made_with = ANY ($1) AND kind = 'session' AND state = 'open'
       UNION ALL
       SELECT id, kind, tags FROM transactions WHERE made_with = ANY ($1) AND kind = 'plan' AND state = 'committing'
       ORDER BY id`,
      [credentials],
    );
  }

  /** Whether the id, which a runner has reported, is that of a transaction of this tenant. */
  async isOfTenant(txId: string, tenantId: string): Promise<boolean> {
    return isUuid(txId) && this.work.manager.existsBy(TransactionEntity, { id: txId, tenantId });
  }

  /** Newest first; `from` and `to` are inclusive. Times are shown in milliseconds: `to` ends with the one it lies in. */
  async ofTenant(
    tenantId: string,
    filter: TransactionFilter,
    limit: number,
    page: string | undefined,
  ): Promise<Page<TransactionView>> {
    const { time: at, id } = page === undefined ? { time: null, id: null } : decodeTimeAndId(page);
    const rows = await this.work.query<TransactionRow>(
      sizedRows(
        `WITH t AS (SELECT * FROM transactions WHERE tenant_id = $1
          AND ($2::timestamptz IS NULL OR created_at >= $2)
          AND ($3::timestamptz IS NULL OR created_at < date_trunc('milliseconds', $3::timestamptz) + interval '1 ms')
          AND ($4::timestamptz IS NULL OR (created_at, id) < ($4::timestamptz, $5::uuid))
          AND ($6::text[] IS NULL OR state = ANY($6)) AND ($8::uuid IS NULL OR created_by = $8)
          AND ($7::uuid IS NULL OR EXISTS (SELECT FROM transaction_states ts WHERE ts.tx_id = transactions.id AND ts.state_id = $7))
        ORDER BY created_at DESC, id DESC LIMIT $9) ${SHOWN}`,
        'created_at DESC, id DESC',
      ),
      [tenantId, filter.from, filter.to, at, id, filter.states, filter.stateId, filter.createdBy, limit + 1],
    );
    const kept = rowsOfPage(rows, limit);
    const last = kept.at(-1);
    return {
      rows: kept.map(toView),
      next: rows.length > kept.length && last ? encodePageToken([last.created_key, last.id]) : undefined,
    };
  }

  async stateIds(txId: string): Promise<string[]> {
    const rows = await this.work.manager.find(TransactionStateEntity, {
      select: { stateId: true },
      where: { txId },
      order: { stateId: 'ASC' },
    });
    return rows.map(({ stateId }) => stateId);
  }

  /** The console's page of a transaction. */
  shareUrl(txId: string): string {
    return consoleAddress(this.config.get('SERVICE_UI_BASE'), `transactions/${txId}`);
  }
}

function toView(row: Omit<TransactionRow, keyof SizedRow>): TransactionView {
  const { add, change, destroy } = row;
  return {
    id: row.id,
    tenant_id: row.tenant_id,
    created_at: row.created_at.toISOString(),
    ...(row.created_by === null ? {} : { created_by: row.created_by }),
    ...(row.created_by_name === null ? {} : { created_by_name: row.created_by_name }),
    ...(row.completed_at === null ? {} : { completed_at: row.completed_at.toISOString() }),
    ...(row.completed_by === null ? {} : { completed_by: row.completed_by }),
    state: row.state,
    params: row.params,
    tags: row.tags,
    plan_summary: { add, change, destroy },
    state_names: row.state_names ?? [],
  };
}
