import { AsyncLocalStorage } from 'node:async_hooks';
import { pipeline } from 'node:stream/promises';
import { Injectable, Logger, Optional } from '@nestjs/common';
import { DataSource, EntityManager, QueryRunner } from 'typeorm';
import type { Pool, PoolClient } from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { Config } from '../config/config.js';
import { framed, BinaryCopyReader } from './binary-copy.js';

interface Work {
  runner: QueryRunner;
  afterCommit: (() => Promise<void> | void)[];
}

/** A statement with a name of its own among all of the service. */
export interface PreparedStatement {
  name: string;
  text: string;
}

/**
 * One READ COMMITTED transaction (database.module.ts) around a use case. Nested `run` calls join the outer one. Everything that asks for
 * `manager`, `query` or `client` inside gets the transaction's connection; outside, the pool.
 */
@Injectable()
export class UnitOfWork {
  private readonly storage = new AsyncLocalStorage<Work>();
  private readonly logger = new Logger('UnitOfWork');
  private readonly isNaming: boolean;

  /** @param isNaming false sends statements without names, for poolers that hand each transaction another connection */
  constructor(
    private readonly source: DataSource,
    @Optional() config?: Config,
  ) {
    this.isNaming = config?.get('DB_PREPARED_STATEMENTS') ?? true;
  }

  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.storage.getStore()) return task();
    const runner = this.source.createQueryRunner();
    const work: Work = { runner, afterCommit: [] };
    try {
      await runner.startTransaction();
      const result = await this.storage.run(work, task);
      await runner.commitTransaction();
      await runner.release();
      // Only now: effects may need connections of their own, and a full pool must not wait for itself.
      await this.runAfterCommit(work);
      return result;
    } catch (error) {
      if (runner.isTransactionActive) await runner.rollbackTransaction().catch(() => undefined);
      throw error;
    } finally {
      if (!runner.isReleased) await runner.release();
    }
  }

  /** Whether the caller stands inside `run`. */
  get isActive(): boolean {
    return this.storage.getStore() !== undefined;
  }

  get manager(): EntityManager {
    return this.storage.getStore()?.runner.manager ?? this.source.manager;
  }

  /** Bound-parameter SQL on the transaction's connection, or on the pool outside one. */
  async query<T>(sql: string, parameters: readonly unknown[] = []): Promise<T[]> {
    const runner = this.storage.getStore()?.runner;
    const rows: unknown = await (runner ?? this.source).query(sql, parameters as unknown[]);
    // TypeORM answers [rows, count] to UPDATE and DELETE and plain rows to the rest.
    const isPair =
      Array.isArray(rows) && rows.length === 2 && Array.isArray(rows[0]) && typeof rows[1] === 'number';
    return (isPair ? rows[0] : rows) as T[];
  }

  /**
   * The same, parsed and planned once a connection: for the statements that nearly every request sends. The text must
   * be constant, for it is known by its name.
   */
  async prepared<T>(statement: PreparedStatement, values: readonly unknown[]): Promise<T[]> {
    const { name, text } = statement;
    const config = { text, values: values as unknown[], ...(this.isNaming ? { name } : {}) };
    const work = this.storage.getStore();
    const result = work
      ? await ((await work.runner.connect()) as PoolClient).query(config)
      : await this.pool.query(config);
    return result.rows as T[];
  }

  private get pool(): Pool {
    return (this.source.driver as unknown as { master: Pool }).master;
  }

  /** The transaction's own pg connection, for COPY and binary results; only inside `run`. */
  async client(): Promise<PoolClient> {
    const work = this.storage.getStore();
    if (!work) throw new Error('client() is for use inside run()');
    return (await work.runner.connect()) as PoolClient;
  }

  /**
   * Rows of `COPY (…) TO STDOUT (FORMAT binary)` as raw fields: bytes arrive as they are, where a query would send them
   * as hex. The statement takes no parameters, so only write validated ids and hashes into it.
   */
  async copyRows(statement: string): Promise<(Buffer | null)[][]> {
    const work = this.storage.getStore();
    if (work) return readCopy((await work.runner.connect()) as PoolClient, statement);
    const runner = this.source.createQueryRunner();
    try {
      return await readCopy((await runner.connect()) as PoolClient, statement);
    } finally {
      await runner.release();
    }
  }

  /**
   * `COPY … FROM STDIN (FORMAT binary)` of tuples without header and trailer, on the transaction's connection. Nothing
   * that makes the tuples may use that connection meanwhile.
   */
  async copyTuples(statement: string, tuples: Iterable<Buffer> | AsyncIterable<Buffer>): Promise<void> {
    const stream = (await this.client()).query(copyFrom(statement));
    await pipeline(framed(tuples), stream);
  }

  /** Runs once the transaction has committed; at once when there is none. A failure is logged, never thrown. */
  afterCommit(effect: () => Promise<void> | void): void {
    const work = this.storage.getStore();
    if (work) work.afterCommit.push(effect);
    else void this.runAfterCommit({ afterCommit: [effect] });
  }

  private async runAfterCommit(work: Pick<Work, 'afterCommit'>): Promise<void> {
    for (const effect of work.afterCommit) {
      try {
        await this.storage.exit(() => effect());
      } catch (error) {
        this.logger.error({
          msg: 'after-commit effect failed',
          kind: error instanceof Error ? error.name : typeof error,
        });
      }
    }
  }
}

async function readCopy(client: PoolClient, statement: string): Promise<(Buffer | null)[][]> {
  const reader = new BinaryCopyReader();
  for await (const part of client.query(copyTo(statement)) as AsyncIterable<Buffer>) reader.feed(part);
  return reader.rows;
}
