import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { UnitOfWork } from '../database/index.js';
import { REWRAPPED_BYTES } from './sealed-value.js';
import { missingKey, Sealing } from './sealing.js';

/** A `bytea` column that holds sealed values. The names are written into SQL as they are: constants only. */
export interface SealedColumn {
  table: string;
  column: string;
  /** primary key, whose text is the `row` of the value's place */
  key: string;
}

const RESEAL_BATCH_ROWS = 100;

/**
 * Every column with sealed values. A module names its own in `onModuleInit`; the start then fails when a key is missing,
 * and rotation covers the column.
 */
@Injectable()
export class SealedColumns implements OnApplicationBootstrap {
  private readonly columns: SealedColumn[] = [];
  private readonly preparations: (() => Promise<unknown>)[] = [];

  constructor(
    private readonly work: UnitOfWork,
    private readonly sealing: Sealing,
  ) {}

  add(column: SealedColumn): void {
    this.columns.push(column);
  }

  /** Done before values are wrapped: once no value needs an older key, nothing that was prepared needs it either. */
  prepareWith(task: () => Promise<unknown>): void {
    this.preparations.push(task);
  }

  /** Throws one line that names the missing key and the column. */
  async onApplicationBootstrap(): Promise<void> {
    for (const column of this.columns) {
      const missing = (await this.findKeyIds(column)).find((id) => !this.sealing.hasKey(id));
      if (missing !== undefined) throw missingKey(missing, column);
    }
  }

  /** Wraps every value again that an older key seals; returns how many. Each batch commits, so it can be stopped. */
  async reseal(): Promise<number> {
    const prefix = this.sealing.newestPrefix;
    if (!prefix) return 0;
    for (const prepare of this.preparations) await prepare();
    let count = 0;
    for (const column of this.columns) {
      const rows = await this.listOlder(column, prefix);
      for (let at = 0; at < rows.length; at += RESEAL_BATCH_ROWS)
        count += await this.resealRows(column, rows.slice(at, at + RESEAL_BATCH_ROWS), prefix);
    }
    return count;
  }

  private async listOlder({ table, column, key }: SealedColumn, prefix: Buffer): Promise<string[]> {
    const rows = await this.work.query<{ row: string }>(
      `SELECT ${key}::text AS row FROM ${table}
        WHERE ${column} IS NOT NULL AND substring(${column} FROM 1 FOR $2) <> $1`,
      [prefix, prefix.length],
    );
    return rows.map(({ row }) => row);
  }

  private async findKeyIds({ table, column }: SealedColumn): Promise<string[]> {
    const rows = await this.work.query<{ id: string }>(
      `SELECT DISTINCT convert_from(substring(${column} FROM 3 FOR get_byte(${column}, 1)), 'UTF8') AS id
         FROM ${table} WHERE ${column} IS NOT NULL`,
    );
    return rows.map(({ id }) => id);
  }

  /** Only the head of a value is read and replaced: a delivery may have 25 MB. */
  private async resealRows(
    { table, column, key }: SealedColumn,
    keys: readonly string[],
    prefix: Buffer,
  ): Promise<number> {
    const headLength = `2 + get_byte(${column}, 1) + ${REWRAPPED_BYTES}`;
    return this.work.run(async () => {
      const rows = await this.work.query<{ row: string; head: Buffer }>(
        `SELECT ${key}::text AS row, substring(${column} FROM 1 FOR ${headLength}) AS head FROM ${table}
          WHERE ${key} = ANY ($3) AND ${column} IS NOT NULL AND substring(${column} FROM 1 FOR $2) <> $1
          ORDER BY ${key} FOR UPDATE SKIP LOCKED`,
        [prefix, prefix.length, keys],
      );
      for (const { row, head } of rows)
        await this.work.query(
          `UPDATE ${table} SET ${column} = $2 || substring(${column} FROM ${headLength} + 1) WHERE ${key} = $1`,
          [row, this.sealing.reseal(head, { table, column, row })],
        );
      return rows.length;
    });
  }
}
