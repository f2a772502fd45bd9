import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import { Client } from 'pg';
import { migrate } from '../../src/platform/database/migrations.js';
import { emptyDatabase, type TestDatabase } from '../support/database.js';

const PATIENCE = { lockMs: 20, pauseMs: 20, tries: 3 };

describe('A migration', () => {
  let database: TestDatabase;
  let directory: string;
  let user: Client;

  beforeAll(() => Logger.overrideLogger(false));
  beforeEach(async () => {
    database = await emptyDatabase();
    directory = mkdtempSync(join(tmpdir(), 'migrations-'));
    write(1, 'CREATE TABLE things (id integer)');
    await migrate(database.connection, directory, PATIENCE);
    user = new Client(database.connection);
    await user.connect();
  });
  afterEach(async () => {
    await user.end();
    await database.drop();
    rmSync(directory, { recursive: true });
  });

  function write(number: number, sql: string): string {
    const name = `${String(number).padStart(13, '0')}-test.sql`;
    writeFileSync(join(directory, name), sql);
    return name;
  }

  async function applied(): Promise<string[]> {
    const { rows } = await database.pool.query<{ name: string }>('SELECT name FROM migrations ORDER BY name');
    return rows.map(({ name }) => name);
  }

  const readThings = async () => {
    await user.query('BEGIN');
    await user.query('SELECT FROM things');
  };

  it('gives way to whoever uses its table, and to those who come after', async () => {
    const second = write(2, 'CREATE TABLE others (id integer); ALTER TABLE things ADD COLUMN name text');
    await readThings();
    await expect(migrate(database.connection, directory, PATIENCE)).rejects.toMatchObject({ code: '55P03' });
    expect(await applied()).not.toContain(second);
    await user.query('COMMIT');
    expect(await migrate(database.connection, directory, PATIENCE)).toEqual({ applied: [second] });
  });

  it('is tried again until its table is free', async () => {
    const second = write(2, 'ALTER TABLE things ADD COLUMN name text');
    await readThings();
    const migrating = migrate(database.connection, directory, { ...PATIENCE, tries: Infinity });
    const gaveWay = () =>
      database.pool.query<{ n: number }>(
        `SELECT count(*)::int AS n FROM pg_stat_activity WHERE query = 'ROLLBACK' AND datname = current_database()`,
      );
    while ((await gaveWay()).rows[0]?.n === 0);
    await user.query('COMMIT');
    expect(await migrating).toEqual({ applied: [second] });
  });

  it('says what became of a server that ends while it gives way, so that the start waits for another', async () => {
    write(2, 'ALTER TABLE things ADD COLUMN name text');
    await readThings();
    const migrating = migrate(database.connection, directory, { lockMs: 20, pauseMs: 2_000, tries: 3 });
    const ended = expect(migrating).rejects.toMatchObject({ code: '57P01' });
    const end = () =>
      database.pool.query<{ n: number }>(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = 'ROLLBACK' AND state = 'idle' AND datname = current_database()`,
      );
    while ((await end()).rowCount === 0);
    await ended;
  });

  it('a wrong migration is not retried', async () => {
    write(2, 'ALTER TABLE nothing_here ADD COLUMN name text');
    await expect(
      migrate(database.connection, directory, { ...PATIENCE, tries: Infinity }),
    ).rejects.toMatchObject({ code: '42P01' });
  });
});
