import { Injectable } from '@nestjs/common';
import { MAX_PAGE_BYTES, UnitOfWork } from '../../../platform/database/index.js';
import { httpErrors } from '../../../platform/errors/index.js';
import {
  decodePageToken,
  decodePosition,
  encodePageToken,
  LARGEST_INTEGER,
} from '../../../platform/http/index.js';
import { TextThreads } from '../../../platform/threads/index.js';
import { Configurations, sensitiveVariablesIn } from '../../configurations/index.js';
import { SHOW_ENTRIES } from './shown-entry.rules.js';
import { TransactionQueries } from '../transactions.queries.js';
import type { OutputFragmentView, OutputView, PlanOperationView } from '../dto/transaction.dto.js';
import { isUuid } from '../../../platform/text/uuid.js';

const NIL_UUID = '00000000-0000-0000-0000-000000000000';

interface LogRow {
  seq: string;
  id: string;
  action: string;
  object_type: string;
  created_at: Date;
  state_id: string | null;
  /** null: the page ends before this row */
  data: string | null;
}

interface OperationRow {
  address: string;
  /** null: the page ends before this row */
  data: PlanOperationView['operation'] | null;
  key: string;
  state_id: string;
}

/** A page of a list, and the tokens of those on either side. */
interface ContentPage<T> {
  results: T[];
  next: string | undefined;
  prev?: string | undefined;
}

/** Names of variables that the log itself marks. */
const MARKED = `SELECT DISTINCT ${sensitiveVariablesIn("data -> 'data'")} AS name
  FROM transaction_logs WHERE tx_id = $1 AND object_type = 'hcl'`;

/** Comes before every operation. */
const BEFORE_ALL: [address: string, stateId: string, key: string] = ['', NIL_UUID, NIL_UUID];

/** What a transaction holds: its log, its planned operations, its output; each a page at a time. */
@Injectable()
export class TransactionContents {
  constructor(
    private readonly work: UnitOfWork,
    private readonly transactions: TransactionQueries,
    private readonly configurations: Configurations,
    private readonly threads: TextThreads,
  ) {}

  /** In the order the entries were appended, each as JSON text without what is sensitive. `left`: nobody waits any more. */
  async logs(
    { id: txId, tenantId }: { id: string; tenantId: string },
    limit: number,
    page: string | undefined,
    left: AbortSignal,
  ): Promise<ContentPage<string>> {
    const after = page === undefined ? 0 : decodePosition(page, Number.MAX_SAFE_INTEGER);
    const rows = await this.work.query<LogRow>(
      `SELECT seq, id, action, object_type, created_at, state_id, ${withinPage('size', 'seq', 'data::text')} AS data
       FROM (SELECT * FROM transaction_logs WHERE tx_id = $1 AND seq > $2 ORDER BY seq LIMIT $3) l ORDER BY seq`,
      [txId, after, limit + 1],
    );
    const { shown, next } = pageOf(rows, limit, (row) => [Number(row.seq)]);
    const entries = shown.map((row) => ({ objectType: row.object_type, data: row.data ?? '' }));
    const data = await this.threads.run(SHOW_ENTRIES, {
      input: { entries, sensitiveVariables: [...(await this.sensitiveVariables(txId, rows))] },
      bytes: entries.reduce((sum, entry) => sum + entry.data.length, 0),
      group: tenantId,
      left,
    });
    return { results: shown.map((row, index) => toLogEntry(row, data[index] ?? 'null')), next };
  }

  /** Marked in the log, or in what was applied to the states before. */
  private async sensitiveVariables(txId: string, rows: readonly LogRow[]): Promise<Set<string>> {
    if (!rows.some((row) => row.object_type === 'tfvar')) return new Set();
    const marked = await this.work.query<{ name: string }>(MARKED, [txId]);
    const states = await this.transactions.stateIds(txId);
    const applied = await this.configurations.sensitiveVariables(states);
    return new Set([...marked.map(({ name }) => name), ...applied]);
  }

  /** By address. */
  async operations(
    txId: string,
    limit: number,
    page: string | undefined,
  ): Promise<ContentPage<PlanOperationView>> {
    const after = page === undefined ? BEFORE_ALL : positionOf(page);
    const rows = await this.work.query<OperationRow>(
      `SELECT address, ${withinPage('octet_length(address)', 'address, state_id, key', 'operation')} AS data, state_id, key
       FROM (SELECT * FROM transaction_plan_operations
             WHERE tx_id = $1 AND (address, state_id, key) > ($2::text COLLATE "C", $3::uuid, $4::uuid)
             ORDER BY address, state_id, key LIMIT $5) o ORDER BY address, state_id, key`,
      [txId, ...after, limit + 1],
    );
    const { shown, next } = pageOf(rows, limit, (row) => [row.address, row.state_id, row.key]);
    return {
      results: shown.flatMap(({ address, data }) => (data === null ? [] : [{ address, operation: data }])),
      next,
      prev: await this.operationsBefore(txId, limit, after),
    };
  }

  /** The page that ends where one that comes after `position` begins. */
  private async operationsBefore(
    txId: string,
    limit: number,
    position: readonly [address: string, stateId: string, key: string],
  ): Promise<string | undefined> {
    if (position[0] === '') return undefined;
    const rows = await this.work.query<OperationRow>(
      `SELECT address, state_id, key FROM transaction_plan_operations
       WHERE tx_id = $1 AND (address, state_id, key) <= ($2::text COLLATE "C", $3::uuid, $4::uuid)
       ORDER BY address DESC, state_id DESC, key DESC OFFSET $5 LIMIT 1`,
      [txId, ...position, limit],
    );
    const [last] = rows;
    return encodePageToken(last ? [last.address, last.state_id, last.key] : [...BEFORE_ALL]);
  }

  /** Fragments of the output's JSON text, to be put together in the order of `idx`. */
  async output(
    txId: string,
    limit: number,
    page: string | undefined,
  ): Promise<ContentPage<OutputFragmentView> & Pick<OutputView, 'payload'>> {
    const after = page === undefined ? -1 : decodePosition(page, LARGEST_INTEGER);
    const rows = await this.work.query<{ idx: number; data: string | null }>(
      `SELECT idx, ${withinPage('octet_length(data)', 'idx', 'data')} AS data
       FROM (SELECT * FROM transaction_output WHERE tx_id = $1 AND idx > $2 ORDER BY idx LIMIT $3) o ORDER BY idx`,
      [txId, after, limit + 1],
    );
    const [tx] = await this.work.query<{ output_kind: OutputView['payload'] | null }>(
      'SELECT output_kind FROM transactions WHERE id = $1',
      [txId],
    );
    const { shown, next } = pageOf(rows, limit, (row) => [row.idx]);
    const results = shown.map(({ idx, data }) => ({ idx, data: Buffer.from(data ?? '').toString('base64') }));
    const payload = tx?.output_kind;
    return {
      ...(payload ? { payload } : {}),
      results,
      next,
      // Fragments are counted without gaps.
      prev: after < 0 ? undefined : encodePageToken([Math.max(-1, after - limit)]),
    };
  }
}

/** SQL: a row's `value` as long as the rows up to it fit into a page, null from the first one that does not. */
function withinPage(size: string, order: string, value: string): string {
  return `CASE WHEN sum(${size}) OVER (ORDER BY ${order}) <= ${MAX_PAGE_BYTES}
    OR row_number() OVER (ORDER BY ${order}) = 1 THEN ${value} END`;
}

function pageOf<T extends { data: string | null }>(
  rows: readonly T[],
  limit: number,
  keys: (row: T) => (string | number)[],
): { shown: T[]; next: string | undefined } {
  const end = rows.findIndex((row) => row.data === null);
  const shown = rows.slice(0, end === -1 ? limit : Math.min(end, limit));
  const last = shown.at(-1);
  const isMore = last !== undefined && rows.length > shown.length;
  return { shown, next: isMore ? encodePageToken(keys(last)) : undefined };
}

function toLogEntry({ id, action, object_type, created_at, state_id }: LogRow, data: string): string {
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
