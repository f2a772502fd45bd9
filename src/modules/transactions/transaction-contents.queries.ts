import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../platform/database/index.js';
import { httpErrors } from '../../platform/errors/index.js';
import {
  decodePageToken,
  decodePosition,
  encodePageToken,
  LARGEST_INTEGER,
} from '../../platform/http/index.js';
import { isUuid } from '../access/index.js';
import type { OutputView, PlanOperationListView, PlanOperationView } from './dto/transaction.dto.js';

interface LogRow {
  seq: string;
  id: string;
  action: string;
  object_type: string;
  created_at: Date;
  state_id: string | null;
  data: string;
}

interface OperationRow extends PlanOperationView {
  key: string;
  state_id: string;
}

/** What a transaction holds: its log, its planned operations, its output; each a page at a time. */
@Injectable()
export class TransactionContents {
  constructor(private readonly work: UnitOfWork) {}

  /** In the order the entries were appended, each as JSON text. */
  async logs(
    txId: string,
    limit: number,
    page: string | undefined,
  ): Promise<{ results: string[]; next_page?: string }> {
    const after = page === undefined ? 0 : decodePosition(page, Number.MAX_SAFE_INTEGER);
    const rows = await this.work.query<LogRow>(
      `SELECT seq, id, action, object_type, created_at, state_id, data::text FROM transaction_logs
       WHERE tx_id = $1 AND seq > $2 ORDER BY seq LIMIT $3`,
      [txId, after, limit + 1],
    );
    const results = rows.slice(0, limit).map(toLogEntry);
    return { results, ...nextPage(rows, limit, (row) => [Number(row.seq)]) };
  }

  /** By address. */
  async operations(txId: string, limit: number, page: string | undefined): Promise<PlanOperationListView> {
    const [address, stateId, key] = page === undefined ? [null, null, null] : positionOf(page);
    const rows = await this.work.query<OperationRow>(
      `SELECT address, operation, state_id, key FROM transaction_plan_operations WHERE tx_id = $1
         AND ($2::text IS NULL OR (address, state_id, key) > ($2::text COLLATE "C", $3::uuid, $4::uuid))
       ORDER BY address, state_id, key LIMIT $5`,
      [txId, address, stateId, key, limit + 1],
    );
    const results = rows
      .slice(0, limit)
      .map(({ address: shown, operation }) => ({ address: shown, operation }));
    return { results, ...nextPage(rows, limit, (row) => [row.address, row.state_id, row.key]) };
  }

  /** Fragments of the output's JSON text, to be put together in the order of `idx`. */
  async output(txId: string, limit: number, page: string | undefined): Promise<OutputView> {
    const after = page === undefined ? -1 : decodePosition(page, LARGEST_INTEGER);
    const rows = await this.work.query<{ idx: number; data: string }>(
      'SELECT idx, data FROM transaction_output WHERE tx_id = $1 AND idx > $2 ORDER BY idx LIMIT $3',
      [txId, after, limit + 1],
    );
    const [tx] = await this.work.query<{ output_kind: OutputView['payload'] | null }>(
      'SELECT output_kind FROM transactions WHERE id = $1',
      [txId],
    );
    const results = rows
      .slice(0, limit)
      .map(({ idx, data }) => ({ idx, data: Buffer.from(data).toString('base64') }));
    const payload = tx?.output_kind;
    return { ...(payload ? { payload } : {}), results, ...nextPage(rows, limit, (row) => [row.idx]) };
  }
}

function nextPage<T>(rows: readonly T[], limit: number, keys: (row: T) => (string | number)[]) {
  const last = rows[limit - 1];
  return rows.length > limit && last !== undefined ? { next_page: encodePageToken(keys(last)) } : {};
}

function toLogEntry({ id, action, object_type, created_at, state_id, data }: LogRow): string {
  const head = JSON.stringify({
    id,
    action,
    object_type,
    created_at: created_at.toISOString(),
    ...(state_id === null ? {} : { state_id }),
  });
  return `${head.slice(0, -1)},"data":${data}}`;
}

function positionOf(page: string): [address: string, stateId: string, key: string] {
  const [address, stateId, key] = decodePageToken(page, 3);
  if (typeof address !== 'string' || address.includes('\0')) throw notOfThisList();
  if (typeof stateId !== 'string' || typeof key !== 'string' || !isUuid(stateId) || !isUuid(key))
    throw notOfThisList();
  return [address, stateId, key];
}

function notOfThisList(): Error {
  return httpErrors.INVALID_REQUEST('page is not a page token of this list');
}
