import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, ClientConfig } from 'pg';
import { ADVISORY_LOCKS } from './advisory-locks.js';

/** `migrations/<13 digits>-<name>.sql`, applied in that order, each in one transaction, never edited afterwards. */
const FILE = /^(\d{13})-[a-z0-9-]+\.sql$/;

export interface MigrationReport {
  applied: string[];
}

/** Brings the database up to date under an advisory lock, so that any number of replicas may call it at once. */
export async function migrate(
  connection: ClientConfig,
  directory = migrationsDirectory(),
): Promise<MigrationReport> {
  const client = new Client(connection);
  await client.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCKS.migrations]);
    await client.query(
      'CREATE TABLE IF NOT EXISTS migrations (name text PRIMARY KEY, checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())',
    );
    const { rows } = await client.query<{ name: string; checksum: string }>(
      'SELECT name, checksum FROM migrations',
    );
    const known = new Map(rows.map((row) => [row.name, row.checksum]));
    const applied: string[] = [];
    for (const name of readdirSync(directory)
      .filter((file) => FILE.test(file))
      .sort()) {
      const sql = readFileSync(join(directory, name), 'utf8');
      const checksum = createHash('sha256').update(sql).digest('hex');
      const recorded = known.get(name);
      if (recorded === checksum) continue;
      if (recorded) throw new Error(`migration ${name} was edited after it was applied`);
      await applyOne(client, name, sql, checksum);
      applied.push(name);
    }
    return { applied };
  } finally {
    await client.end();
  }
}

async function applyOne(client: Client, name: string, sql: string, checksum: string): Promise<void> {
  await client.query('BEGIN');
  try {
    await client.query(sql);
    await client.query('INSERT INTO migrations (name, checksum) VALUES ($1, $2)', [name, checksum]);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  }
}

/** The folder beside `dist/` or `src/`. */
export function migrationsDirectory(): string {
  return join(__dirname, '..', '..', '..', 'migrations');
}
