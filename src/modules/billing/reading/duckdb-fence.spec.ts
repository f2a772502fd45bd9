import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { DuckDbEngine } from './duckdb-engine.js';

/** What the reader would run if a file could make it run anything: its own connection, after it was locked in. */
describe('The DuckDB of the reader', () => {
  let outside: string;
  let folder: string;
  let secret: string;
  let engine: DuckDbEngine;
  let connection: DuckDBConnection;
  beforeAll(async () => {
    outside = mkdtempSync(join(tmpdir(), 'fence-'));
    folder = mkdtempSync(join(outside, 'folder-'));
    secret = join(outside, 'secret.csv');
    writeFileSync(secret, 'a\nhunter2\n');
    writeFileSync(join(folder, 'own.csv'), 'a\nmine\n');
    // Beside the folder, with a name that begins like it.
    writeFileSync(`${folder}-neighbour.csv`, 'a\nhunter2\n');
    engine = await DuckDbEngine.start({ folder, memoryBytes: 2 ** 29 });
    connection = (engine as unknown as { connection: DuckDBConnection }).connection;
  });
  afterAll(() => {
    connection.closeSync();
    rmSync(outside, { recursive: true, force: true });
  });

  const rows = async (statement: string): Promise<unknown> =>
    (await connection.runAndReadAll(statement)).getRowsJson();

  it('reads and writes in its folder', async () => {
    expect(await rows(`SELECT a FROM read_csv('${folder}/own.csv')`)).toEqual([['mine']]);
    await connection.run(`COPY (SELECT 1 AS a) TO '${folder}/copy.csv'`);
    expect(existsSync(join(folder, 'copy.csv'))).toBe(true);
  });

  it.each<[string, (at: { folder: string; secret: string }) => string]>([
    [
      'a system file',
      () => `SELECT * FROM read_csv('/etc/passwd', auto_detect = false, columns = {'a': 'VARCHAR'})`,
    ],
    ['a file as text', () => `SELECT * FROM read_text('/etc/passwd')`],
    ['a file as bytes', ({ secret: file }) => `SELECT * FROM read_blob('${file}')`],
    ['a file by its name alone', ({ secret: file }) => `SELECT * FROM '${file}'`],
    ['what lies above', ({ folder: own }) => `SELECT * FROM read_csv('${own}/../secret.csv')`],
    [
      'a neighbour with a similar name',
      ({ folder: own }) => `SELECT * FROM read_csv('${own}-neighbour.csv')`,
    ],
    ['names outside', () => `SELECT * FROM glob('/etc/*')`],
    ['an environment variable', () => `SELECT getenv('HOME')`],
    ['an address', () => `SELECT * FROM read_csv('http://127.0.0.1:9/a.csv')`],
    ['a bucket', () => `SELECT * FROM read_parquet('s3://bills/a.parquet')`],
  ])('refuses to read %s', async (_, statement) => {
    await expect(rows(statement({ folder, secret }))).rejects.toThrow(
      /Permission Error|Catalog Error|disabled|Missing Extension/,
    );
  });

  it.each<[string, (to: string) => string]>([
    ['a table', (to) => `COPY (SELECT 1) TO '${to}'`],
    ['a database', (to) => `ATTACH '${to}'`],
    ['an export', (to) => `EXPORT DATABASE '${to}'`],
    ['a copy of a file', (to) => `COPY (SELECT 1) TO '${to}' (FORMAT parquet)`],
  ])('refuses to write %s outside', async (_, statement) => {
    const to = join(outside, 'stolen');
    await expect(connection.run(statement(to))).rejects.toThrow(/Permission Error|disabled/);
    expect(existsSync(to)).toBe(false);
  });

  it.each([
    'SET enable_external_access = true',
    `SET allowed_directories = ['/']`,
    `SET allowed_paths = ['/etc/passwd']`,
    'SET lock_configuration = false',
    'SET autoload_known_extensions = true',
    'RESET enable_external_access',
    `SET memory_limit = '64GB'`,
    `SET temp_directory = '/tmp'`,
    'INSTALL httpfs',
    'LOAD httpfs',
    `LOAD '/tmp/evil.duckdb_extension'`,
  ])('refuses %s', async (statement) => {
    await expect(connection.run(statement)).rejects.toThrow();
    await expect(rows(`SELECT * FROM read_text('/etc/passwd')`)).rejects.toThrow('Permission Error');
  });

  it('takes hostile names of columns for names', async () => {
    const hostile = [
      `x", (SELECT content FROM read_text('/etc/passwd')) AS "y`,
      `'; COPY (SELECT 1) TO '${outside}/stolen'; --`,
      `BilledCost) FROM read_csv('${secret}') --`,
    ];
    const needed = ['BilledCost', 'BillingCurrency', 'ChargePeriodStart', 'ResourceId'];
    const names = [...needed, ...hostile];
    const values = ['1.00', 'USD', '2026-01-05T00:00:00Z', 'i-1', 'a', 'b', 'c'];
    const csv = join(folder, 'hostile.csv');
    const quoted = names.map((name) => `"${name.replaceAll('"', '""')}"`);
    writeFileSync(csv, `${quoted.join(',')}\n${values.join(',')}\n`);
    const parquet = join(folder, 'hostile.parquet');
    const free = await (await DuckDBInstance.create(':memory:')).connect();
    const columns = quoted.map((name, at) => `'${values[at]}' AS ${name}`).join(', ');
    await free.run(`COPY (SELECT ${columns}) TO '${parquet}' (FORMAT parquet)`);
    free.closeSync();
    const window = { provider: 'aws', from: '2026-01-01', until: '2028-01-01' };
    expect(await engine.read({ do: 'read', kind: 'csv', file: csv, ...window })).toBe(1);
    expect(await engine.read({ do: 'read', kind: 'parquet', file: parquet, ...window })).toBe(1);
    const out = join(folder, 'sums.csv');
    await engine.write(out);
    expect(readFileSync(out, 'utf8')).not.toMatch(/hunter2|root:/);
    expect(existsSync(join(outside, 'stolen'))).toBe(false);
  });
});
