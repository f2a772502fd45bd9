import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { ClientBases } from '../../src/modules/states/writing/client-bases.store.js';
import { DocumentChunks } from '../../src/modules/states/chunks/document-chunks.store.js';
import { StateBaseEntity } from '../../src/modules/states/entities/state-base.entity.js';
import { StateEntity } from '../../src/modules/states/entities/state.entity.js';
import { HistoryRetention } from '../../src/modules/states/history/retention.job.js';
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

  describe('with documents that did not become versions as they came', () => {
    /** Days ago, as versions of `aState` have theirs: 30, 20, 10 and 0. */
    async function aSubmission(stateId: string, age: number, chunk: number): Promise<string> {
      const id = randomUUID();
      const hash = Buffer.alloc(32, chunk);
      await database.pool.query(
        `WITH c AS (INSERT INTO state_chunks (state_id, hash, kind, size, crc32, data) VALUES ($2, $3, 0, 1, 0, ''))
         INSERT INTO state_submissions (id, state_id, status, serial, lineage, format, md5, crc32, size, chunks, frame, tx_id, run_id, created_at)
         VALUES ($1, $2, 'refused', 1, 'l', 'terraform', '', 0, 1, $3, '{}', $1, $1, now() - make_interval(days => $4))`,
        [id, stateId, hash, age],
      );
      return id;
    }

    async function aBase(stateId: string, submission: string | null, seenVersion: number): Promise<void> {
      await database.pool.query(
        `INSERT INTO state_bases (id, state_id, run_id, kind, credential, address, connection, serial, document_submission, base_submission, base_version, seen_version)
         VALUES (gen_random_uuid(), $1, gen_random_uuid(), 'refused', 'c', 'a', 'x', 1, gen_random_uuid(), $2, 1, $3)`,
        [stateId, submission, seenVersion],
      );
    }

    async function submissions(stateId: string): Promise<string[]> {
      const { rows } = await database.pool.query<{ id: string }>(
        'SELECT id FROM state_submissions WHERE state_id = $1 ORDER BY created_at',
        [stateId],
      );
      return rows.map(({ id }) => id);
    }

    it('keeps them when nothing is configured', async () => {
      const id = await aState(4);
      const submission = await aSubmission(id, 300, 100);
      await retention({}).prune({}, RUN);
      expect([await submissions(id), (await left(id)).chunks]).toEqual([[submission], 6]);
    });

    it('lets go of those before the versions that are kept, with their chunks, but not within a week', async () => {
      const id = await aState(4);
      const sent = [
        await aSubmission(id, 25, 100),
        await aSubmission(id, 15, 101),
        await aSubmission(id, 5, 102),
      ];
      await retention({ SERVICE_STATE_VERSIONS_KEEP: '1' }).prune({}, RUN);
      expect([await submissions(id), await left(id)]).toEqual([[sent[2]], { versions: [4], chunks: 3 }]);
    });

    it('keeps what a client’s next write is compared with', async () => {
      const id = await aState(4);
      const [base, other] = [await aSubmission(id, 25, 100), await aSubmission(id, 25, 101)];
      await aBase(id, base, 4);
      await retention({ SERVICE_STATE_VERSIONS_KEEP: '1' }).prune({}, RUN);
      await retention({ SERVICE_STATE_VERSIONS_MAX_AGE_DAYS: '20' }).prune({}, RUN);
      expect(other).not.toBe(base);
      expect(await submissions(id)).toEqual([base]);
    });

    it('keeps of the change log what tells everybody whether others changed something since', async () => {
      const id = await aState(40);
      const transactions = [randomUUID(), randomUUID(), randomUUID()];
      // Three keys and three transactions in ever other order, and one row for everything.
      await database.pool.query(
        `INSERT INTO state_changes (state_id, version, key, op, address, tx_id, run_id)
         SELECT $1, v, lpad(k::text, 32, '0')::uuid, 'c', 'a', ($2::uuid[])[1 + get_byte(decode(md5(v::text), 'hex'), k) % 3], gen_random_uuid()
         FROM generate_series(1, 40) v, generate_series(0, 3) k WHERE get_byte(decode(md5(v::text), 'hex'), 8 + k) % 2 = 0`,
        [id, transactions],
      );
      await aBase(id, null, 35);
      const log = async () =>
        (
          await database.pool.query<{ version: number; key: string; tx_id: string }>(
            'SELECT version, key, tx_id FROM state_changes WHERE state_id = $1 ORDER BY version, key',
            [id],
          )
        ).rows;
      const seen = (rows: Awaited<ReturnType<typeof log>>) =>
        [...transactions, undefined].flatMap((own) =>
          Array.from({ length: 41 }, (_, since) =>
            [
              ...new Set(
                rows.filter((row) => row.version > since && row.tx_id !== own).map(({ key }) => key),
              ),
            ].sort(),
          ),
        );
      const before = await log();
      await retention({ SERVICE_STATE_VERSIONS_KEEP: '3' }).prune({}, RUN);
      const after = await log();
      expect(seen(after)).toEqual(seen(before));
      expect(after.filter(({ version }) => version > 35)).toEqual(
        before.filter(({ version }) => version > 35),
      );
      expect(after.filter(({ version }) => version <= 35).length).toBeLessThanOrEqual(8);
      expect(before.length).toBeGreaterThan(60);
    });
  });
});
