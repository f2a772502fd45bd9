import type { DataSource } from 'typeorm';
import { HeartbeatGrace } from '../../src/modules/orchestration/dispatching/heartbeat-grace.js';
import { RunUpkeep } from '../../src/modules/orchestration/dispatching/run-upkeep.job.js';
import { Runs } from '../../src/modules/orchestration/runs/runs.store.js';
import { PullRequestsStore } from '../../src/modules/vcs/repositories/pull-requests.store.js';
import { Secrets } from '../../src/platform/crypto/secrets.js';
import { ProcessRole } from '../../src/platform/config/index.js';
import { UnitOfWork } from '../../src/platform/database/index.js';
import { connectedSource, freshDatabase, type TestDatabase } from '../support/database.js';
import { whileHeld } from '../support/held-lock.js';
import { aHold, anApiAlwaysPresent, aRepository, aRun, type TestRepository } from '../support/run-records.js';

const SETTINGS: Readonly<Record<string, unknown>> = {
  SERVICE_ORCHESTRATION_ENABLED: true,
  SERVICE_RUN_START_SECONDS: 3600,
  SERVICE_RUN_LOST_SECONDS: 120,
  SERVICE_RUN_MAX_SECONDS: 21_600,
};
const config = { get: (key: string) => SETTINGS[key] } as never;

describe('The upkeep of runs', () => {
  let database: TestDatabase;
  let source: DataSource;
  let work: UnitOfWork;
  let at: TestRepository;
  const clock = { now: () => new Date() };

  beforeAll(async () => {
    database = await freshDatabase();
    source = await connectedSource(database);
    work = new UnitOfWork(source);
  });
  afterAll(async () => {
    await source.destroy();
    await database.drop();
  });
  beforeEach(async () => {
    await database.pool.query('DELETE FROM installations');
    await database.pool.query('DELETE FROM api_presence');
    at = await aRepository(database.pool, null);
  });

  const runs = () =>
    new Runs(
      work,
      clock,
      new Secrets(),
      { publish: () => Promise.resolve() } as never,
      new PullRequestsStore(work),
    );
  const sweep = () =>
    new RunUpkeep(
      work,
      clock,
      config,
      runs(),
      {} as never,
      { lookAfter: () => Promise.resolve() } as never,
      { enqueue: () => Promise.resolve() } as never,
    ).sweep({}, {} as never);
  const stateOf = async (id: string) => {
    const run = await runs().find(id);
    return run?.errorId ?? run?.state;
  };
  async function aSilentRun(): Promise<string> {
    const id = await aRun(database.pool, at, { state: 'running' });
    await database.pool.query(
      `UPDATE work_manifests SET started_at = now() - interval '5 minutes', heartbeat_at = now() - interval '4 minutes'
        WHERE id = $1`,
      [id],
    );
    return id;
  }

  describe('of a run that has been silent for too long', () => {
    const presence = (since: string, seenAt: string) =>
      database.pool.query(
        `INSERT INTO api_presence VALUES (1, now() - $1::interval, now() - $2::interval)
         ON CONFLICT (id) DO UPDATE SET since = excluded.since, seen_at = excluded.seen_at`,
        [since, seenAt],
      );
    const api = () => new HeartbeatGrace(work, clock, config, new ProcessRole('api'));

    it('ends it where an API process was running all the time', async () => {
      await presence('1 hour', '5 seconds');
      const id = await aSilentRun();
      await api().recordPresence();
      await sweep();
      expect(await stateOf(id)).toBe('RUN_LOST');
    });

    it('ends nothing while no API process is running', async () => {
      const id = await aSilentRun();
      await sweep();
      expect(await stateOf(id)).toBe('running');
      await presence('1 hour', '1 minute');
      await sweep();
      expect(await stateOf(id)).toBe('running');
    });

    it('gives it the whole time again after an outage, also where its row was locked then', async () => {
      await presence('1 hour', '3 minutes');
      const [free, locked] = [await aSilentRun(), await aSilentRun()];
      const holder = await database.pool.connect();
      try {
        await holder.query('BEGIN');
        await holder.query('SELECT FROM work_manifests WHERE id = $1 FOR UPDATE', [locked]);
        await api().recordPresence();
      } finally {
        await holder.query('ROLLBACK');
        holder.release();
      }
      await sweep();
      expect([await stateOf(free), await stateOf(locked)]).toEqual(['running', 'running']);
      const { rows } = await database.pool.query(
        `SELECT id FROM work_manifests WHERE heartbeat_at > now() - interval '2 minutes'`,
      );
      expect(rows).toEqual([{ id: free }]);
      await presence('121 seconds', '5 seconds');
      await sweep();
      expect([await stateOf(free), await stateOf(locked)]).toEqual(['running', 'RUN_LOST']);
    });

    it('records from the start of an API process that it is running, and never for a worker', async () => {
      const count = async () => (await database.pool.query('SELECT 1 FROM api_presence')).rowCount;
      await new HeartbeatGrace(work, clock, config, new ProcessRole('worker')).onApplicationBootstrap();
      expect(await count()).toBe(0);
      const started = api();
      await started.onApplicationBootstrap();
      started.onModuleDestroy();
      expect(await count()).toBe(1);
    });
  });
  describe('spares a run that changes after it was selected', () => {
    const selected = {
      begun: {
        fields: `state = 'queued', dispatch_state = 'sent', dispatched_at = now() - interval '2 hours', heartbeat_at = NULL`,
        change: `state = 'running', started_at = now(), heartbeat_at = now()`,
      },
      'heard of': {
        fields: `started_at = now() - interval '5 minutes', heartbeat_at = now() - interval '4 minutes'`,
        change: 'heartbeat_at = now()',
      },
      'sent for drift': {
        fields: `state = 'queued', kind = 'drift', pull_number = NULL`,
        change: `dispatch_state = 'sending', work_token_hash = 'x'`,
      },
      'linked again': {
        fields: `state = 'queued', trigger_key = 'x'`,
        change: `dispatch_state = 'sending', trigger_key = NULL`,
      },
    };
    it.each(Object.entries(selected))('and is %s', async (_, { fields, change }) => {
      await anApiAlwaysPresent(database.pool);
      await aHold(database.pool, at, { dir: 'a' });
      const id = await aRun(database.pool, at, { runType: 'apply', state: 'running' });
      await database.pool.query(`UPDATE work_manifests SET ${fields} WHERE id = $1`, [id]);
      const lock = { text: 'SELECT FROM work_manifests WHERE id = $1 FOR UPDATE', values: [id] };
      const held = await whileHeld(database.pool, lock, {
        action: sweep,
        meanwhile: (holder) => holder.query(`UPDATE work_manifests SET ${change} WHERE id = $1`, [id]),
      });
      expect(held.waited).toBe(true);
      expect(await stateOf(id)).toMatch(/^(running|queued)$/);
    });
  });
});
