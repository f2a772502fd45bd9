import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Pool, type PoolClient, type QueryResult } from 'pg';
import QueryStream from 'pg-query-stream';
import { DataSource } from 'typeorm';
import { Config } from '../../../platform/config/config.js';
import { connectionOf } from '../../../platform/database/index.js';
import { ClientLeft } from '../../../platform/http/index.js';
import { mqlErrors } from '../mql.errors.js';
import { QueryPage, type QueryRow } from './query-page.js';

export interface QueryRequest {
  /** ids of the tenants whose rows the query may read, or all of them */
  tenants: 'all' | readonly string[];
  timeZone: string;
  /** values of `mql.contained_1` and following */
  containments: readonly string[];
  sql: string;
  /** some aggregate gathers many rows into one value */
  collects: boolean;
  /** rows of a page; the query asks for one more */
  limit: number;
}

export interface QueryTerms {
  /** keeps the query counted as running until the promise settles */
  hold: (until: Promise<unknown>) => void;
  /** aborted when nobody waits for the answer any more */
  left?: AbortSignal | undefined;
}

/** Memory of one sort or hash, and disk of one session where the server lets the service limit it. */
const WORK_MEM = '32MB';
const TEMP_FILES = '1GB';
const APPLICATION_NAME = 'infrastructure-state-service queries';
const TERMINATION_POLL_MS = 200;
/** How long after its timeout a query that PostgreSQL does not stop is waited for. */
const GRACE_MS = 2000;
/** Rows that are in this process at once: a page of fewer comes in one round trip, a longer one through a cursor. */
const BATCH = 50;

/** How the transaction of a query begins: it reads only, and not for long. One statement sets everything. */
export function beginningOf(timeoutSeconds: number, more: readonly string[] = []): string {
  const timeout = timeoutSeconds * 1000;
  const settings = {
    statement_timeout: timeout,
    lock_timeout: timeout,
    idle_in_transaction_session_timeout: timeout + 5000,
    work_mem: WORK_MEM,
    jit: 'off',
    standard_conforming_strings: 'on',
    DateStyle: 'ISO, YMD',
    IntervalStyle: 'iso_8601',
    search_path: 'pg_catalog, mql, pg_temp',
  };
  const calls = Object.entries(settings).map(([name, value]) => setting(name, `'${value}'`));
  return `BEGIN READ ONLY; SELECT ${[...calls, ...more].join(', ')}`;
}

/** `value` is an SQL expression. */
function setting(name: string, value: string): string {
  return `pg_catalog.set_config('${name}', ${value}, true)`;
}

/**
 * The connections queries run on: few, and apart from the service's own. Each query has a transaction of its own that
 * reads only and is always rolled back.
 */
@Injectable()
export class QuerySessions implements OnApplicationShutdown {
  private readonly logger = new Logger('QuerySessions');
  private readonly pool: Pool;
  private readonly patience: number;
  private readonly prepared = new WeakSet<PoolClient>();
  private isClosed = false;

  constructor(
    private readonly config: Config,
    private readonly source: DataSource,
  ) {
    this.patience = config.get('SERVICE_MQL_TIMEOUT_SECONDS') * 1000 + GRACE_MS;
    this.pool = new Pool({
      ...connectionOf(config),
      max: config.get('SERVICE_MQL_POOL_SIZE'),
      application_name: APPLICATION_NAME,
      connectionTimeoutMillis: 5000,
    });
    // A connection that is lost while it is idle is replaced by the next query.
    this.pool.on('error', () => this.logger.warn({ msg: 'an idle connection for queries was lost' }));
  }

  async onApplicationShutdown(): Promise<void> {
    this.isClosed = true;
    await this.pool.end();
  }

  /** The backend of a query that is given up counts as running until it has ended. */
  async run(request: QueryRequest, { hold, left }: QueryTerms): Promise<QueryPage> {
    left?.throwIfAborted();
    const client = await this.pool.connect();
    const page = new QueryPage(request.limit);
    let isGivenUp = false;
    let stop: (() => void) | undefined;
    const overdue = new Promise<never>((_resolve, reject) => {
      const giveUp = (error: Error): void => {
        isGivenUp = true;
        reject(error);
      };
      const timer = setTimeout(() => giveUp(mqlErrors.TIMEOUT_ERR()), this.patience);
      const leave = (): void => giveUp(new ClientLeft());
      left?.addEventListener('abort', leave);
      stop = () => {
        clearTimeout(timer);
        left?.removeEventListener('abort', leave);
      };
    });
    try {
      const filling = this.fill(page, client, request);
      filling.catch(() => undefined);
      await Promise.race([filling, overdue]);
      return page;
    } catch (error) {
      await page.rows.dispose();
      throw error;
    } finally {
      stop?.();
      if (isGivenUp) hold(this.terminate(client));
      else this.giveBack(client);
    }
  }

  private async fill(page: QueryPage, client: PoolClient, request: QueryRequest): Promise<void> {
    await this.prepare(client);
    const scope = scopeOf(client, request);
    const beginning = beginningOf(this.config.get('SERVICE_MQL_TIMEOUT_SECONDS'), scope);
    const size = this.config.get('SERVICE_MQL_MAX_RESULT_SIZE');
    // The function has made all rows, or refused them, before the first one comes.
    const rows = `SELECT "row", keys FROM mql.run(${client.escapeLiteral(request.sql)}, ${size})`;
    if (request.limit < BATCH) {
      // The driver answers several statements with a list of results.
      const results = (await client.query(`${beginning}; ${rows}`)) as unknown as QueryResult<QueryRow>[];
      await page.fill(results.at(-1)?.rows ?? []);
    } else {
      await client.query(beginning);
      const stream = client.query(new QueryStream(rows, [], { batchSize: BATCH }));
      await page.fill(stream as AsyncIterable<QueryRow>);
    }
  }

  /** Nobody waits for it. Locks of a session outlive its transaction: there must be none left for the next query. */
  private giveBack(client: PoolClient): void {
    client.query('ROLLBACK; SELECT pg_advisory_unlock_all()').then(
      () => client.release(),
      (error: Error) => client.release(error),
    );
  }

  /** Some loops of PostgreSQL look neither at the time nor at signals: the backend is waited for, whatever it does. */
  private async terminate(client: PoolClient): Promise<void> {
    const pid = (client as PoolClient & { processID?: number }).processID;
    client.release(true);
    for (let attempt = 0; ; attempt++) {
      const isGone = await this.isGone(pid).catch(() => false);
      if (isGone) return;
      if (attempt === 0) this.logger.warn({ msg: 'terminating a query that nobody waits for', pid });
      await delay(TERMINATION_POLL_MS, undefined, { ref: false });
      if (this.isClosed) return;
    }
  }

  /** Signals the backend, and answers whether there is none any more. A process id may be another session's by then. */
  private async isGone(pid: number | undefined): Promise<boolean> {
    const rows = await this.source.query<unknown[]>(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE pid = $1 AND usename = current_user AND application_name = $2`,
      [pid ?? 0, APPLICATION_NAME],
    );
    return rows.length === 0;
  }

  /** The limit on temporary files is for superusers, or for whom one has granted it to (deploy/create-service-role.sh). */
  private async prepare(client: PoolClient): Promise<void> {
    if (this.prepared.has(client)) return;
    await client.query(
      `SELECT set_config('temp_file_limit', '${TEMP_FILES}', false) WHERE has_parameter_privilege(current_user, 'temp_file_limit', 'SET')`,
    );
    this.prepared.add(client);
  }
}

/** The signed scope and the other settings of one query, in the transaction that was just begun. */
function scopeOf(client: PoolClient, { tenants, timeZone, containments, collects }: QueryRequest): string[] {
  const text = (value: string) => client.escapeLiteral(value);
  return [
    setting('mql.scope', `public.query_scope(${text(tenants === 'all' ? '*' : tenants.join(','))})`),
    setting('TimeZone', text(timeZone)),
    // One group after the other: gathered side by side, each of many could grow to the bound.
    ...(collects ? [setting('enable_hashagg', `'off'`)] : []),
    ...containments.map((value, index) => setting(`mql.contained_${index + 1}`, text(value))),
  ];
}
