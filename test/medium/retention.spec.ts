import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { ClientBases } from '../../src/modules/states/client-bases.store.js';
import { DocumentChunks } from '../../src/modules/states/document-chunks.store.js';
import { StateBaseEntity } from '../../src/modules/states/entities/state-base.entity.js';
import { StateEntity } from '../../src/modules/states/entities/state.entity.js';
import { HistoryRetention } from '../../src/modules/states/retention.job.js';
import { Config, loadConfig } from '../../src/platform/config/index.js';
import { Secrets } from '../../src/platform/crypto/secrets.js';
import { UnitOfWork } from '../../src/platform/database/index.js';
import { Clock } from '../../src/platform/time/clock.js';
import { connectedSource, freshDatabase, type TestDatabase } from '../support/database.js';

const RUN = { id: 'run', attempt: 1, lastAttempt: true };

describe('The history of a state', () => {
  let database: TestDatabase;
  let source: DataSource;

  beforeAll(async () => {
    database = await freshDatabase();
    source = await connectedSource(database, { entities: [StateEntity, StateBaseEntity] });
  });
  afterAll(async () => {
    await source.destroy();
    await database.drop();
  });

  function retention(settings: Record<string, string>): HistoryRetention {
    const config: Config = loadConfig({
      SERVICE_UI_BASE: 'http://localhost',
      DB_HOST: 'x',
      DB_USER: 'x',
      DB_PASS: 'x',
      DB_NAME: 'x',
      ...settings,
    });
    const work = new UnitOfWork(source);
    return new HistoryRetention(
      work,
      config,
      new ClientBases(work, new Secrets(), new Clock()),
      new DocumentChunks(work),
    );
  }

  /** Versions 1 to `count`, the first the oldest, each of one chunk of its own and one they share. */
  async function aState(count: number): Promise<string> {
    const { pool } = database;
    const { rows } = await pool.query<{ id: string }>(
      `INSERT INTO states (tenant_id, name, group_id, lineage, version) SELECT id, 'x', $1, 'l', $2 FROM tenants WHERE name = $3 RETURNING id`,
      [randomUUID(), count, await aTenant()],
    );
    const id = rows[0]?.id ?? '';
    const shared = Buffer.alloc(32, 0xff);
    await pool.query(
      `INSERT INTO state_chunks (state_id, hash, kind, size, crc32, data) VALUES ($1, $2, 0, 1, 0, '')`,
      [id, shared],
    );
    for (let version = 1; version <= count; version++) {
      const own = Buffer.alloc(32, version);
      await pool.query(
        `INSERT INTO state_chunks (state_id, hash, kind, size, crc32, data) VALUES ($1, $2, 0, 1, 0, '')`,
        [id, own],
      );
      await pool.query(
        `INSERT INTO state_versions (state_id, version, serial, lineage, format, crc32, size, chunks, frame, origin, tx_id, run_id, created_at)
         VALUES ($1, $2::int, $2::int, 'l', 'terraform', 0, 2, $3, '{}', 'backend', $4, $4, now() - make_interval(days => $5))`,
        [id, version, Buffer.concat([own, shared]), randomUUID(), (count - version) * 10],
      );
    }
    return id;
  }

  async function aTenant(): Promise<string> {
    const name = randomUUID();
    await database.pool.query('INSERT INTO tenants (name) VALUES ($1)', [name]);
    return name;
  }

  async function left(id: string): Promise<{ versions: number[]; chunks: number }> {
    const versions = await database.pool.query<{ version: number }>(
      'SELECT version FROM state_versions WHERE state_id = $1 ORDER BY version',
      [id],
    );
    const chunks = await database.pool.query<{ n: number }>(
      'SELECT count(*)::int AS n FROM state_chunks WHERE state_id = $1',
      [id],
    );
    return { versions: versions.rows.map((row) => row.version), chunks: chunks.rows[0]?.n ?? 0 };
  }

  it('is kept whole when nothing is configured', async () => {
    const id = await aState(4);
    await retention({}).prune({}, RUN);
    expect(await left(id)).toEqual({ versions: [1, 2, 3, 4], chunks: 5 });
  });

  it('keeps so many versions as configured, and the chunks they name', async () => {
    const id = await aState(4);
    await retention({ SERVICE_STATE_VERSIONS_KEEP: '2' }).prune({}, RUN);
    expect(await left(id)).toEqual({ versions: [3, 4], chunks: 3 });
  });

  it('lets go of what is too old, but never of the current version', async () => {
    const id = await aState(4);
    await database.pool.query(
      `UPDATE state_versions SET created_at = created_at - interval '100 days' WHERE state_id = $1`,
      [id],
    );
    await retention({ SERVICE_STATE_VERSIONS_MAX_AGE_DAYS: '15' }).prune({}, RUN);
    expect(await left(id)).toEqual({ versions: [4], chunks: 2 });
  });

  it('goes for all states but the one for which it cannot, and the failure is told at the end', async () => {
    const ids = [await aState(4), await aState(4), await aState(4)].sort();
    await database.pool.query(
      `CREATE FUNCTION refuse_deletion() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'broken'; END $$;
       CREATE TRIGGER refuse_deletion BEFORE DELETE ON state_versions FOR EACH ROW WHEN (OLD.state_id = '${ids[0]}') EXECUTE FUNCTION refuse_deletion()`,
    );
    await expect(retention({ SERVICE_STATE_VERSIONS_KEEP: '1' }).prune({}, RUN)).rejects.toThrow('1 of');
    await database.pool.query('DROP FUNCTION refuse_deletion CASCADE');
    expect(await Promise.all(ids.map(async (id) => (await left(id)).versions.length))).toEqual([4, 1, 1]);
  });
});
