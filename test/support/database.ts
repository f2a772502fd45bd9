import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Client, ClientConfig, Pool } from 'pg';
import { DataSource, type DataSourceOptions, getMetadataArgsStorage } from 'typeorm';

export interface TestDatabase {
  name: string;
  /** connection of the service's own role, which is no superuser */
  connection: ClientConfig & { host: string; port: number; user: string; password: string; database: string };
  url: string;
  pool: Pool;
  drop(): Promise<void>;
}

/** A database of its own, cloned from the migrated template (some 50 ms: copying files beats writing all of them to the log). Call `drop` in afterAll. */
export async function freshDatabase(template = required('TEST_DB_TEMPLATE')): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  const owner = required('TEST_DB_USER');
  await asAdmin(`CREATE DATABASE ${name} OWNER ${owner} TEMPLATE ${template} STRATEGY FILE_COPY`);
  const connection = {
    host: required('TEST_DB_HOST'),
    port: Number(required('TEST_DB_PORT')),
    user: owner,
    password: required('TEST_DB_PASS'),
    database: name,
  };
  const pool = new Pool({ ...connection, max: 4 });
  // A connection that the drop below ends must not take the test run with it.
  pool.on('error', () => undefined);
  return {
    name,
    connection,
    url: `postgresql://${owner}:${encodeURIComponent(connection.password)}@${connection.host}:${connection.port}/${name}`,
    pool,
    drop: async () => {
      await pool.end();
      await asAdmin(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
}

const SOURCES = join(__dirname, '..', '..', 'src');

/** The classes of every entity of the service. */
async function everyEntity(): Promise<(new () => object)[]> {
  for (const name of readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }))
    if (/(^|\/)entities\/[^/]+\.ts$|\.entit(y|ies)\.ts$/.test(name) && !name.endsWith('.spec.ts'))
      await import(join(SOURCES, name));
  return getMetadataArgsStorage().tables.flatMap(({ target }) =>
    typeof target === 'function' ? [target as new () => object] : [],
  );
}

/** An open TypeORM source of a test database, as the service's own role. Call `destroy` before the database is dropped. */
export async function connectedSource(
  { connection: { host, port, user, password, database } }: TestDatabase,
  more: Partial<Pick<DataSourceOptions, 'entities' | 'logger' | 'logging'>> = {},
): Promise<DataSource> {
  const source = new DataSource({
    type: 'postgres',
    host,
    port,
    username: user,
    password,
    database,
    entities: await everyEntity(),
    ...more,
  });
  return source.initialize();
}

/** An empty database, for tests of the migrations themselves. */
export async function emptyDatabase(): Promise<TestDatabase> {
  return freshDatabase('template0');
}

/** Runs one statement as superuser, for what the service's role may not do. */
export async function asAdmin(sql: string, database = 'postgres'): Promise<void> {
  const client = new Client({
    host: required('TEST_DB_HOST'),
    port: Number(required('TEST_DB_PORT')),
    user: 'postgres',
    password: required('TEST_DB_ADMIN_PASS'),
    database,
  });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

/** DB_* variables for a process of the service. */
export function environmentOf(database: TestDatabase): Record<string, string> {
  const { host, port, user, password, database: name } = database.connection;
  return { DB_HOST: host, DB_PORT: String(port), DB_USER: user, DB_PASS: password, DB_NAME: name };
}

function required(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set; run the tests with npm test`);
  return value;
}
