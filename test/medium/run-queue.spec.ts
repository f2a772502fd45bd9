import { randomBytes, randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { RunDispatch } from '../../src/modules/orchestration/dispatching/dispatch-runs.job.js';
import { WorkManifestEntity } from '../../src/modules/orchestration/entities/work-manifest.entity.js';
import { Holds } from '../../src/modules/orchestration/runs/holds.store.js';
import { RunQueue } from '../../src/modules/orchestration/runs/run-queue.store.js';
import { Runs } from '../../src/modules/orchestration/runs/runs.store.js';
import { PullRequestsStore } from '../../src/modules/vcs/repositories/pull-requests.store.js';
import { Secrets } from '../../src/platform/crypto/secrets.js';
import { type DispatchResult, vcsErrors } from '../../src/modules/vcs/index.js';
import type { Config } from '../../src/platform/config/index.js';
import { UnitOfWork } from '../../src/platform/database/index.js';
import { Clock } from '../../src/platform/time/clock.js';
import { connectedSource, freshDatabase, type TestDatabase } from '../support/database.js';
import { aHold, aRepository, aRun, type TestRepository } from '../support/run-records.js';

const LIMIT = 6;

describe('The queue of runs', () => {
  let database: TestDatabase;
  let source: DataSource;
  const config = { get: () => LIMIT } as unknown as Config;
  let queue: RunQueue;
  let tenantId: string;

  beforeAll(async () => {
    database = await freshDatabase();
    source = await connectedSource(database);
    queue = new RunQueue(new UnitOfWork(source), new Clock(), config);
    tenantId = randomUUID();
    await database.pool.query(`INSERT INTO tenants (id, name) VALUES ($1, 'queue')`, [tenantId]);
  });
  afterAll(async () => {
    await source.destroy();
    await database.drop();
  });
  beforeEach(async () => {
    await database.pool.query('DELETE FROM installations');
  });

  async function waiting(
    of: TestRepository,
    runType: 'plan' | 'apply',
    dirs: string[],
    second: number,
  ): Promise<string> {
    const id = await aRun(database.pool, of, {
      runType,
      state: 'queued',
      createdAt: new Date(Date.UTC(2026, 0, 1) + second * 1000).toISOString(),
      dirs: dirs.map((dir) => ({ dir })),
    });
    await database.pool.query('UPDATE work_manifests SET trigger_key = id::text WHERE id = $1', [id]);
    return id;
  }

  const take = () => queue.take({ place: 'ci' }, randomBytes(32));
  async function takeAll(): Promise<string[]> {
    const taken: string[] = [];
    for (let id = await take(); id !== undefined; id = await take()) taken.push(id);
    return taken;
  }
  async function finish(id: string): Promise<void> {
    await database.pool.query(`UPDATE work_manifests SET state = 'completed' WHERE id = $1`, [id]);
    await database.pool.query('DELETE FROM running_dirspaces WHERE work_manifest_id = $1', [id]);
  }

  it('lets any number of plans run in a directory, or one apply alone, and none overtake for ever', async () => {
    const at = await aRepository(database.pool, tenantId);
    const first = await waiting(at, 'plan', ['a'], 1);
    const second = await waiting(at, 'plan', ['a'], 2);
    const apply = await waiting(at, 'apply', ['a', 'b'], 3);
    const later = await waiting(at, 'plan', ['a'], 4);
    const elsewhere = await waiting(at, 'plan', ['c'], 5);
    expect((await takeAll()).toSorted()).toEqual([first, second, elsewhere].toSorted());
    await finish(first);
    expect(await takeAll()).toEqual([]);
    await finish(second);
    expect(await takeAll()).toEqual([apply]);
    await finish(apply);
    expect(await takeAll()).toEqual([later]);
  });

  it('takes all directories of a run or none', async () => {
    const at = await aRepository(database.pool, tenantId);
    const one = await waiting(at, 'apply', ['b'], 1);
    const both = await waiting(at, 'apply', ['a', 'b'], 2);
    expect(await takeAll()).toEqual([one]);
    const { rows } = await database.pool.query(
      'SELECT 1 FROM running_dirspaces WHERE work_manifest_id = $1',
      [both],
    );
    expect(rows).toEqual([]);
  });

  it('takes a run with four statements, however many directories it has and whatever it holds', async () => {
    const at = await aRepository(database.pool, tenantId);
    const id = await waiting(at, 'apply', ['a', 'b', 'c'], 1);
    await database.pool.query(`UPDATE work_manifests SET kind = 'drift', pull_number = NULL WHERE id = $1`, [
      id,
    ]);
    const work = new UnitOfWork(source);
    const { query, prepared } = { query: work.query.bind(work), prepared: work.prepared.bind(work) };
    let statements = 0;
    work.query = (...of) => (statements++, query(...of)) as never;
    work.prepared = (...of) => (statements++, prepared(...of)) as never;
    expect(await new RunQueue(work, new Clock(), config).take({ place: 'ci' }, randomBytes(32))).toBe(id);
    expect(statements).toBe(4);
    for (const table of ['running_dirspaces', 'dirspace_holds']) {
      const { rows } = await database.pool.query<{ dir: string }>(
        `SELECT dir FROM ${table} WHERE work_manifest_id = $1 ORDER BY dir`,
        [id],
      );
      expect(rows.map(({ dir }) => dir)).toEqual(['a', 'b', 'c']);
    }
  });

  it('refuses a second apply in a directory in the database itself', async () => {
    const at = await aRepository(database.pool, tenantId);
    const [one, two] = [await waiting(at, 'apply', ['a'], 1), await waiting(at, 'plan', ['a'], 2)];
    expect(await take()).toBe(one);
    for (const mode of ['apply', 'plan'])
      await expect(
        database.pool.query(
          `INSERT INTO running_dirspaces (work_manifest_id, repository_id, dir, workspace, mode) VALUES ($1, $2, 'a', 'default', $3)`,
          [two, at.repository, mode],
        ),
      ).rejects.toMatchObject({ code: expect.stringMatching(/^235(03|05)$/) });
  });

  it('keeps to the limit of an installation, and takes turns between installations', async () => {
    const places = [await aRepository(database.pool, tenantId), await aRepository(database.pool, tenantId)];
    const expected: string[] = [];
    for (const [index, at] of places.entries())
      for (let n = 0; n < LIMIT + 2; n++) {
        const id = await waiting(at, 'plan', [`dir-${n}`], index * 100 + n);
        if (n === 0) expected.push(id);
      }
    const taken = await takeAll();
    expect(taken).toHaveLength(2 * LIMIT);
    expect(taken.slice(0, 2).toSorted()).toEqual(expected.toSorted());
    const unlinked = await aRepository(database.pool, null);
    await waiting(unlinked, 'plan', ['a'], 1);
    expect(await take()).toBeUndefined();
  });

  it('never exceeds the limit of an installation, however many take at once', async () => {
    const first = await aRepository(database.pool, tenantId);
    const others: TestRepository[] = [];
    for (let n = 0; n < 12; n++)
      others.push(await aRepository(database.pool, tenantId, { installation: first.installation }));
    for (const [n, at] of others.entries()) {
      await waiting(at, 'plan', ['a'], n);
      await waiting(at, 'plan', ['b'], n + 100);
    }
    for (let n = 0; n < LIMIT - 1; n++) expect(await take()).toBeDefined();
    // Whoever has looked waits here, so that all of them have counted the same free place.
    const blocker = await database.pool.connect();
    await blocker.query('BEGIN');
    await blocker.query('LOCK TABLE dirspace_modes IN SHARE MODE');
    const taking = Promise.all(Array.from({ length: 10 }, take));
    for (let waits = 0; waits < 3;)
      waits =
        (
          await database.pool.query(
            `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
          )
        ).rowCount ?? 0;
    await blocker.query('COMMIT');
    blocker.release();
    expect((await taking).filter((id) => id !== undefined)).toHaveLength(1);
    const { rows } = await database.pool.query<{ id: string }>(
      'SELECT id FROM work_manifests WHERE dispatch_state IS NOT NULL',
    );
    expect(rows).toHaveLength(LIMIT);
    // Whoever has looked before another one begins a run counts again.
    for (const { id } of rows.slice(0, 1)) await finish(id);
    const late = new UnitOfWork(source);
    const query = late.query.bind(late);
    let goOn: () => void = () => undefined;
    const mayGoOn = new Promise<void>((resolve) => (goOn = resolve));
    const taken = new Promise<string | undefined>((resolve, reject) => {
      const looked = new Promise<void>((hasLooked) => {
        late.query = async <T>(sql: string, parameters: readonly unknown[] = []): Promise<T[]> => {
          if (sql.includes('pg_try_advisory')) {
            hasLooked();
            await mayGoOn;
          }
          return query<T>(sql, parameters);
        };
        new RunQueue(late, new Clock(), config).take({ place: 'ci' }, randomBytes(32)).then(resolve, reject);
      });
      looked.then(async () => expect(await take()).toBeDefined()).then(goOn, reject);
    });
    expect(await taken).toBeUndefined();
    // What ends makes room for as many.
    for (const { id } of rows.slice(1, 3)) await finish(id);
    const again = await Promise.all(Array.from({ length: 10 }, take));
    expect(again.filter((id) => id !== undefined)).toHaveLength(2);
  });

  describe('a dispatch that another one has overtaken', () => {
    const sentAs = async (id: string) =>
      (
        await database.pool.query(
          `SELECT m.state, m.dispatch_state, m.work_token_hash, m.run_id,
                  (SELECT count(*)::int FROM running_dirspaces r WHERE r.work_manifest_id = m.id) AS occupied
             FROM work_manifests m WHERE m.id = $1`,
          [id],
        )
      ).rows[0] as Record<string, unknown>;

    /** The provider takes so long for the first request that the run is taken once more; answers what became of it. */
    async function overtaken(end: () => Promise<DispatchResult>, { isBegun = false, isBefore = false } = {}) {
      const at = await aRepository(database.pool, tenantId);
      const id = await waiting(at, 'plan', ['a'], 1);
      const second = randomBytes(32);
      const work = new UnitOfWork(source);
      const find = () => work.manager.findOneByOrFail(WorkManifestEntity, { id });
      const overtake = async (): Promise<void> => {
        await queue.giveBack(id, new Date(0), (await find()).workTokenHash);
        expect(await queue.take({ place: 'ci' }, second)).toBe(id);
        if (isBegun)
          await database.pool.query(
            `UPDATE work_manifests SET state = 'running', dispatch_state = 'sent' WHERE id = $1`,
            [id],
          );
      };
      let requests = 0;
      const dispatch = async (): Promise<DispatchResult> => {
        requests++;
        if (!isBefore) await overtake();
        return end();
      };
      const events = { publish: () => Promise.resolve() };
      const runs = new Runs(work, new Clock(), new Secrets(), events as never, new PullRequestsStore(work));
      const places = {
        of: () => Promise.resolve({ installation: { provider: 'github' } }),
        refOf: async () => {
          if (isBefore) await overtake();
          return 'topic';
        },
      };
      const unused = {} as never;
      const tokens = { create: () => randomUUID() };
      const config = { get: () => 'http://localhost' };
      await new RunDispatch(
        queue,
        runs,
        places as never,
        { of: () => ({ dispatch }) } as never,
        tokens as never,
        work,
        config as never,
        new Clock(),
      ).dispatchWaiting({}, unused);
      return { stored: await sentAs(id), second, requests };
    }

    it.each([
      ['answers', () => Promise.resolve({ result: 'dispatched' as const, runId: '1', webUrl: null })],
      ['is refused for now', () => Promise.reject(vcsErrors.PROVIDER_REFUSED())],
      ['is refused', () => Promise.resolve({ result: 'refused' as const, reason: 'no' })],
    ])('changes nothing when it %s', async (_, end) => {
      const { stored, second } = await overtaken(end);
      expect(stored).toEqual({
        state: 'queued',
        dispatch_state: 'sending',
        work_token_hash: second,
        run_id: null,
        occupied: 1,
      });
    });

    it('ends nothing that a runner of the other one has begun', async () => {
      const refused = () => Promise.resolve({ result: 'refused' as const, reason: 'no' });
      const { stored } = await overtaken(refused, { isBegun: true });
      expect(stored).toMatchObject({ state: 'running', occupied: 1 });
    });

    it('is not sent when the other one began before its request', async () => {
      const sent = () => Promise.resolve({ result: 'dispatched' as const, runId: '1', webUrl: null });
      const { requests, stored, second } = await overtaken(sent, { isBefore: true });
      expect(requests).toBe(0);
      expect(stored).toMatchObject({ dispatch_state: 'sending', work_token_hash: second });
    });
  });

  it('takes a run again whose branch could not be looked at: nothing was sent', async () => {
    const at = await aRepository(database.pool, tenantId);
    const id = await waiting(at, 'apply', ['a'], 1);
    const work = new UnitOfWork(source);
    const find = () => work.manager.findOneByOrFail(WorkManifestEntity, { id });
    const host = { findBranch: () => Promise.reject(vcsErrors.PROVIDER_UNAVAILABLE()) };
    const places = {
      of: () => Promise.resolve({ installation: { provider: 'github' } }),
      refOf: () => Promise.resolve('topic'),
    };
    const dispatch = new RunDispatch(
      queue,
      { find } as never,
      places as never,
      { of: () => host } as never,
      { create: () => randomUUID() } as never,
      work,
      config,
      new Clock(),
    );
    await dispatch.dispatchWaiting({}, {} as never);
    const run = await find();
    expect(run).toMatchObject({ state: 'queued', dispatchState: null, workTokenHash: null });
    expect(run.retryAt).not.toBeNull();
  });

  it('gives no run to drift that is held, and none that a pull request wants to hold meanwhile', async () => {
    const at = await aRepository(database.pool, tenantId);
    const reconcile = async (second: number) => {
      const id = await waiting(at, 'apply', ['a', 'b'], second);
      await database.pool.query(
        `UPDATE work_manifests SET kind = 'drift', pull_number = NULL WHERE id = $1`,
        [id],
      );
      return id;
    };
    const holds = new Holds(new UnitOfWork(source), new Clock());
    const place = { repositoryId: at.repository, pullNumber: 7 };
    const holders = async () =>
      (
        await database.pool.query(
          'SELECT dir, pull_number, work_manifest_id FROM dirspace_holds WHERE repository_id = $1 ORDER BY dir',
          [at.repository],
        )
      ).rows;
    const id = await reconcile(1);
    // A pull request holds one of the directories in a transaction that ends after the queue has looked.
    const person = await database.pool.connect();
    await person.query('BEGIN');
    await person.query(
      `INSERT INTO dirspace_holds (repository_id, dir, workspace, pull_number) VALUES ($1, 'b', 'default', 7)`,
      [at.repository],
    );
    const taking = take();
    for (let waits = 0; waits === 0;)
      waits =
        (
          await database.pool.query(
            `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
          )
        ).rowCount ?? 0;
    await person.query('COMMIT');
    person.release();
    expect(await taking).toBeUndefined();
    expect(await holders()).toEqual([{ dir: 'b', pull_number: 7, work_manifest_id: null }]);
    expect(await take()).toBeUndefined();
    await holds.release(place);

    expect(await take()).toBe(id);
    expect(await holders()).toEqual(
      ['a', 'b'].map((dir) => ({ dir, pull_number: null, work_manifest_id: id })),
    );
    expect(
      await holds.acquire(place, [{ dir: 'a', workspace: 'default', lockPolicy: 'apply' }], null),
    ).toMatchObject([{ dir: 'a', pullNumber: null, runState: 'queued' }]);
    // Sent back, it lets go.
    await queue.giveBack(id, new Date(0), null);
    expect(await holders()).toEqual([]);
  });

  describe('takes drift last', () => {
    async function drift(of: TestRepository, runType: 'plan' | 'apply', dir: string, second: number) {
      const id = await waiting(of, runType, [dir], second);
      await database.pool.query(
        `UPDATE work_manifests SET kind = 'drift', pull_number = NULL WHERE id = $1`,
        [id],
      );
      return id;
    }

    it('after applies, then plans of pull requests, in one repository and over several', async () => {
      const [at, other] = [
        await aRepository(database.pool, tenantId),
        await aRepository(database.pool, tenantId),
      ];
      // Older than everything else, and more of them than are looked at in a repository.
      const reconciles = [await drift(at, 'apply', 'a', 1), await drift(at, 'apply', 'b', 2)];
      const looks = [await drift(at, 'plan', 'c', 3)];
      const elsewhere = await drift(other, 'apply', 'a', 4);
      const plans = [await waiting(at, 'plan', ['d'], 5), await waiting(other, 'plan', ['d'], 6)];
      const applies = [await waiting(at, 'apply', ['e'], 7), await waiting(other, 'apply', ['e'], 8)];
      const taken = await takeAll();
      expect(taken.slice(0, 2).toSorted()).toEqual(applies.toSorted());
      expect(taken.slice(2, 4).toSorted()).toEqual(plans.toSorted());
      expect(taken.slice(4).toSorted()).toEqual([...reconciles, ...looks, elsewhere].toSorted());
    });

    it('and no pull request waits for what reconciles there later, which begins when the place is free', async () => {
      const at = await aRepository(database.pool, tenantId);
      const reconcile = await drift(at, 'apply', 'a', 1);
      const plan = await waiting(at, 'plan', ['a'], 2);
      expect(await takeAll()).toEqual([plan]);
      await finish(plan);
      const later = await waiting(at, 'plan', ['b'], 3);
      expect(await takeAll()).toEqual([later, reconcile]);
      // It holds from now on: who comes waits for it.
      const last = await waiting(at, 'plan', ['a'], 4);
      expect(await takeAll()).toEqual([]);
      await finish(reconcile);
      expect(await takeAll()).toEqual([last]);
    });
  });

  it('reconciles nothing that is held, where it holds nothing itself', async () => {
    const at = await aRepository(database.pool, tenantId);
    const id = await waiting(at, 'apply', ['a'], 1);
    await database.pool.query(`UPDATE work_manifests SET kind = 'drift', pull_number = NULL WHERE id = $1`, [
      id,
    ]);
    await database.pool.query(
      `UPDATE work_manifest_dirspaces SET lock_policy = 'none' WHERE work_manifest_id = $1`,
      [id],
    );
    const work = new UnitOfWork(source);
    const prepared = work.prepared.bind(work);
    // The hold begins between the look for candidates and the claim.
    let hold = () => aHold(database.pool, at, { dir: 'a' });
    work.prepared = async <T>(...[query, values]: Parameters<UnitOfWork['prepared']>): Promise<T[]> => {
      if (query.name === 'run_queue_occupy') {
        await hold();
        hold = () => Promise.resolve();
      }
      return prepared<T>(query, values);
    };
    const racing = new RunQueue(work, new Clock(), config);
    expect(await racing.take({ place: 'ci' }, randomBytes(32))).toBeUndefined();
    await database.pool.query('DELETE FROM dirspace_holds');
    expect(await take()).toBe(id);
    expect((await database.pool.query('SELECT 1 FROM dirspace_holds')).rowCount).toBe(0);
  });

  it('gives every run to one taker, with many at once, and excludes as it should at every moment', async () => {
    const repositories = [
      await aRepository(database.pool, tenantId),
      await aRepository(database.pool, tenantId),
    ];
    const kinds = new Map<string, 'plan' | 'apply'>();
    for (let n = 0; n < 40; n++) {
      const at = repositories[n % 2];
      if (!at) continue;
      const runType = n % 3 === 0 ? 'apply' : 'plan';
      kinds.set(
        await waiting(
          at,
          runType,
          [`dir-${n % 4}`, `dir-${(n * 7) % 5}`].filter((dir, i, all) => all.indexOf(dir) === i),
          n,
        ),
        runType,
      );
    }
    const taken: string[] = [];
    const worker = async (): Promise<void> => {
      for (let idle = 0; idle < 20 && taken.length < kinds.size;) {
        const id = await take();
        if (id === undefined) {
          idle++;
          await new Promise((resolve) => setTimeout(resolve, 20));
          continue;
        }
        idle = 0;
        taken.push(id);
        const { rows } = await database.pool.query(
          `SELECT 1 FROM running_dirspaces a JOIN running_dirspaces b USING (repository_id, dir, workspace)
            WHERE a.work_manifest_id <> b.work_manifest_id AND a.mode = 'apply'`,
        );
        expect(rows).toEqual([]);
        await finish(id);
      }
    };
    await Promise.all(Array.from({ length: 6 }, worker));
    expect(new Set(taken).size).toBe(taken.length);
    expect(taken.toSorted()).toEqual([...kinds.keys()].toSorted());
  }, 120_000);
});
