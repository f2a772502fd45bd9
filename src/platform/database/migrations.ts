import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { Client, ClientConfig } from 'pg';
import { ADVISORY_LOCKS } from './advisory-locks.js';

/** `migrations/<13 digits>-<name>.sql`, applied in that order, each in one transaction, never edited afterwards. */
const FILE = /^(\d{13})-[a-z0-9-]+\.sql$/;

export interface MigrationReport {
  applied: string[];
}

/**
 * How a migration waits for tables that replicas of the release before are using. Whoever asks for a table after it waits
 * behind it: it waits `lockMs` for a lock, gives way for `pauseMs`, and fails the start after so many `tries` (7 minutes).
 */
export interface MigrationPatience {
  lockMs: number;
  pauseMs: number;
  tries: number;
}
const PATIENCE: MigrationPatience = { lockMs: 2_000, pauseMs: 5_000, tries: 60 };
/** lock_not_available and deadlock_detected: nothing was changed, and the next time it may be there. */
const IN_USE: ReadonlySet<unknown> = new Set(['55P03', '40P01']);

/** Brings the database up to date under an advisory lock, so that any number of replicas may call it at once. */
export async function migrate(
  connection: ClientConfig,
  directory = migrationsDirectory(),
  patience = PATIENCE,
): Promise<MigrationReport> {
  const client = new Client(connection);
  // A server that goes while nothing is asked of it says so as an event; without a listener that ends the process.
  let lost: Error | undefined;
  client.on('error', (error) => (lost ??= error));
  await client.connect();
  try {
    await requireServerVersion(client);
    const known = await knownMigrations(client);
    const applied: string[] = [];
    for (const name of readdirSync(directory)
      .filter((file) => FILE.test(file))
      .sort()) {
      const sql = readFileSync(join(directory, name), 'utf8');
      const checksum = createHash('sha256').update(sql).digest('hex');
      const recorded = known.get(name);
      if (recorded === checksum) continue;
      if (recorded) throw new Error(`migration ${name} was edited after it was applied`);
      if (await applyPatiently(client, { name, sql, checksum }, patience)) applied.push(name);
    }
    return { applied };
  } catch (error) {
    // The next question only hears that there is no connection.
    throw lost ?? error;
  } finally {
    await client.end();
  }
}

/** What the tables are stored with begins here: `COMPRESSION lz4`. */
const OLDEST_SERVER = 14;

/** The database is too old, in one line for whoever starts the service. */
export class DatabaseTooOld extends Error {}

async function requireServerVersion(client: Client): Promise<void> {
  const { rows } = await client.query<{ number: number; name: string }>(
    "SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS name",
  );
  const [server] = rows;
  if (server && server.number < OLDEST_SERVER * 10_000)
    throw new DatabaseTooOld(
      `PostgreSQL must be version ${OLDEST_SERVER} or newer, and the server is ${server.name}`,
    );
}

/** Checksums by name. Locks are held by transactions, not by the session: a pooler may hand each transaction another one. */
async function knownMigrations(client: Client): Promise<Map<string, string>> {
  return inLockedTransaction(client, async () => {
    await client.query(
      'CREATE TABLE IF NOT EXISTS migrations (name text PRIMARY KEY, checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())',
    );
    const { rows } = await client.query<{ name: string; checksum: string }>(
      'SELECT name, checksum FROM migrations',
    );
    return new Map(rows.map((row) => [row.name, row.checksum]));
  });
}

async function inLockedTransaction<T>(client: Client, task: () => Promise<T>): Promise<T> {
  await client.query('BEGIN');
  try {
    await client.query('SELECT pg_advisory_xact_lock($1)', [ADVISORY_LOCKS.migrations]);
    const result = await task();
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  }
}

interface Migration {
  name: string;
  sql: string;
  checksum: string;
}

async function applyPatiently(
  client: Client,
  migration: Migration,
  { lockMs, pauseMs, tries }: MigrationPatience,
): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await applyOne(client, migration, lockMs);
    } catch (error) {
      const { code } = error as { code?: unknown };
      if (!IN_USE.has(code) || attempt >= tries) throw error;
      new Logger('Migrations').warn({ msg: 'a table is in use', migration: migration.name, code, attempt });
    }
    await delay(pauseMs);
  }
}

/** False when another replica has applied it meanwhile. */
async function applyOne(
  client: Client,
  { name, sql, checksum }: Migration,
  lockMs: number,
): Promise<boolean> {
  return inLockedTransaction(client, async () => {
    const { rows } = await client.query('SELECT FROM migrations WHERE name = $1', [name]);
    if (rows.length > 0) return false;
    await client.query(`SET LOCAL lock_timeout = ${lockMs}`);
    await client.query(sql);
    await client.query('INSERT INTO migrations (name, checksum) VALUES ($1, $2)', [name, checksum]);
    return true;
  });
}

/** The folder beside `dist/` or `src/`. */
export function migrationsDirectory(): string {
  return join(__dirname, '..', '..', '..', 'migrations');
}
