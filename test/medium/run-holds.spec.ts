import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import type { Principal } from '../../src/modules/access/index.js';
import { RunTokens } from '../../src/modules/orchestration/running/run-tokens.js';
import { RunnerService } from '../../src/modules/orchestration/running/runner.service.js';
import { RunUpkeep } from '../../src/modules/orchestration/dispatching/run-upkeep.job.js';
import { WorkManifestEntity } from '../../src/modules/orchestration/entities/work-manifest.entity.js';
import { Holds } from '../../src/modules/orchestration/runs/holds.store.js';
import { isApplicable, RunProgress } from '../../src/modules/orchestration/runs/run-progress.queries.js';
import { RunQueue } from '../../src/modules/orchestration/runs/run-queue.store.js';
import { Runs } from '../../src/modules/orchestration/runs/runs.store.js';
import { dirspaceKey } from '../../src/modules/repo-config/index.js';
import { PullRequestsStore } from '../../src/modules/vcs/repositories/pull-requests.store.js';
import { Secrets } from '../../src/platform/crypto/secrets.js';
import { UnitOfWork } from '../../src/platform/database/index.js';
import { connectedSource, freshDatabase, type TestDatabase } from '../support/database.js';
import { aRepository, aRun, type TestRepository } from '../support/run-records.js';

describe('Holds and tokens of runs', () => {
  let database: TestDatabase;
  let source: DataSource;
  let work: UnitOfWork;
  let at: TestRepository;
  let now: Date;
  const clock = { now: () => now } as never;

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
    now = new Date('2026-01-31T10:00:00Z');
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

  describe('A hold of an apply that never began', () => {
    const holds = () => new Holds(work, clock);
    const held = { dir: 'a', workspace: 'default' };

    const place = () => ({ repositoryId: at.repository, pullNumber: 7 });
    async function anApply(fields: { state: 'queued' | 'aborted'; began?: boolean }): Promise<string> {
      now = new Date(now.getTime() + 60_000);
      const id = await aRun(database.pool, at, {
        runType: 'apply',
        state: fields.state,
        createdAt: now.toISOString(),
      });
      if (fields.began === true)
        await database.pool.query('UPDATE work_manifests SET started_at = created_at WHERE id = $1', [id]);
      return id;
    }
    const isHeld = async () => (await holds().of(at.repository, [held])).length === 1;

    it('ends, twice over if need be', async () => {
      await holds().acquire(place(), [held], 'ada');
      const id = await anApply({ state: 'aborted' });
      await holds().releaseUnbegun(place(), id);
      await holds().releaseUnbegun(place(), id);
      expect(await isHeld()).toBe(false);
    });

    it.each([
      ['an apply began there before it', { state: 'aborted', began: true }],
      ['another apply waits there', { state: 'queued' }],
    ] as const)('stays when %s', async (_, other) => {
      await holds().acquire(place(), [held], 'ada');
      await anApply(other);
      await holds().releaseUnbegun(place(), await anApply({ state: 'aborted' }));
      expect(await isHeld()).toBe(true);
    });

    it('ends when what began there was unlocked before', async () => {
      await anApply({ state: 'aborted', began: true });
      now = new Date(now.getTime() + 60_000);
      await holds().acquire(place(), [held], 'ada');
      await holds().releaseUnbegun(place(), await anApply({ state: 'aborted' }));
      expect(await isHeld()).toBe(false);
    });

    it('is nobody else’s to lose', async () => {
      await database.pool.query(
        `INSERT INTO pull_requests (repository_id, installation_id, number, title, branch, sha, base_branch, base_sha, state, created_at, updated_at)
         VALUES ($1, $2, 8, 'Eight', 'other', 'aaaa', 'main', 'bbbb', 'open', now(), now())`,
        [at.repository, at.installation],
      );
      await holds().acquire({ ...place(), pullNumber: 8 }, [held], 'ada');
      await holds().releaseUnbegun(place(), await anApply({ state: 'aborted' }));
      expect(await isHeld()).toBe(true);
    });
  });

  describe('A plan', () => {
    const plannedAt = '2026-01-31T10:00:00Z';
    const progress = async () =>
      (await new RunProgress(work).of(at.repository, 7, 'aaaa')).get(
        dirspaceKey({ dir: 'a', workspace: 'default' }),
      );
    /** An apply of this or another pull request (or of drift) that began after the plan, or did not, and was given up. */
    async function givenUp({ of, began }: { of: number | null; began: boolean }): Promise<void> {
      const id = await aRun(database.pool, at, {
        runType: 'apply',
        state: 'aborted',
        createdAt: '2026-01-31T10:05:00Z',
        dirs: [{ dir: 'a', state: 'aborted', endedAt: '2026-01-31T10:10:00Z' }],
      });
      await database.pool.query(
        `INSERT INTO pull_requests (repository_id, installation_id, number, title, branch, sha, base_branch, base_sha, state, created_at, updated_at)
         VALUES ($1, $2, 8, 'Eight', 'other', 'cccc', 'main', 'bbbb', 'open', now(), now())`,
        [at.repository, at.installation],
      );
      await database.pool.query(
        'UPDATE work_manifest_dirspaces SET pull_number = $2 WHERE work_manifest_id = $1',
        [id, of],
      );
      if (began)
        await database.pool.query('UPDATE work_manifests SET started_at = created_at WHERE id = $1', [id]);
    }
    beforeEach(() =>
      aRun(database.pool, at, {
        createdAt: plannedAt,
        dirs: [{ dir: 'a', state: 'success', success: true, hasChanges: true }],
      }),
    );

    it('can be applied', async () => {
      const found = await progress();
      expect(found && isApplicable(found)).toBe(true);
    });

    it.each([
      ['of another pull request', 8, { isOvertaken: true, isUsed: false }],
      ['that reconciled drift', null, { isOvertaken: true, isUsed: false }],
      ['of its own', 7, { isOvertaken: false, isUsed: true }],
    ])('cannot, after an apply %s that began and was given up', async (_, of, expected) => {
      await givenUp({ of, began: true });
      const found = await progress();
      expect(found?.plan).toMatchObject(expected);
      expect(found && isApplicable(found)).toBe(false);
    });

    it.each([8, 7])('can be applied after an apply of #%i that never began', async (of) => {
      await givenUp({ of, began: false });
      const found = await progress();
      expect(found && isApplicable(found)).toBe(true);
    });
  });

  describe('A plan that was made while another pull request had applied and was not merged', () => {
    /** Applied before the plan; `seen`: when the service saw its merge, null: it is open. */
    async function appliedBefore(seen: string | null): Promise<void> {
      const id = await aRun(database.pool, at, {
        runType: 'apply',
        createdAt: '2026-01-31T09:00:00Z',
        dirs: [{ dir: 'a', state: 'success', success: true, endedAt: '2026-01-31T09:10:00Z' }],
      });
      await database.pool.query(
        `INSERT INTO pull_requests (repository_id, installation_id, number, title, branch, sha, base_branch, base_sha, state,
                                    merge_seen_at, created_at, updated_at)
         VALUES ($1, $2, 8, 'Eight', 'other', 'cccc', 'main', 'bbbb', $3, $4, now(), now())`,
        [at.repository, at.installation, seen === null ? 'open' : 'merged', seen],
      );
      await database.pool.query(
        'UPDATE work_manifest_dirspaces SET pull_number = 8 WHERE work_manifest_id = $1',
        [id],
      );
      await aRun(database.pool, at, {
        createdAt: '2026-01-31T10:00:00Z',
        dirs: [{ dir: 'a', state: 'success', success: true, hasChanges: true }],
      });
    }
    const isPlanApplicable = async () => {
      const progress = await new RunProgress(work).of(at.repository, 7, 'aaaa');
      const found = progress.get(dirspaceKey({ dir: 'a', workspace: 'default' }));
      return found && isApplicable(found);
    };

    it('counts no more once that one is merged: it would take back what is merged', async () => {
      await appliedBefore('2026-01-31T10:30:00Z');
      expect(await isPlanApplicable()).toBe(false);
    });

    it.each([
      ['is open', null],
      ['was merged before the plan', '2026-01-31T09:30:00Z'],
    ])('counts while that one %s', async (_, seen) => {
      await appliedBefore(seen);
      expect(await isPlanApplicable()).toBe(true);
    });
  });

  describe('A run that a machine of a pool took', () => {
    const upkeepOf = (queue: RunQueue) =>
      new RunUpkeep(
        work,
        clock,
        { get: () => 3600 } as never,
        runs(),
        queue,
        {} as never,
        {} as never,
        { enqueue: () => Promise.resolve() } as never,
      );
    const tokensOf = (found: WorkManifestEntity) =>
      ({
        findByWorkToken: () => Promise.resolve(found),
        sign: () => Promise.resolve('token'),
        expiresAt: (from: Date) => from,
      }) as unknown as RunTokens;
    const begin = (found: WorkManifestEntity) => {
      const unused = {} as never;
      const service = new RunnerService(
        work,
        clock,
        { get: () => 120 } as never,
        runs(),
        tokensOf(found),
        unused,
        unused,
      );
      const runner = { version: '0.1.0', protocol: 1 };
      return service.initiate('work', { run_id: 'machine', nonce: 'nonce', runner });
    };

    it('is offered again when the machine begins nothing, and the first machine is refused then', async () => {
      const tenantId = randomUUID();
      await database.pool.query('INSERT INTO tenants (id, name) VALUES ($1, $2)', [tenantId, tenantId]);
      at = await aRepository(database.pool, tenantId);
      const id = await aRun(database.pool, at, {
        state: 'queued',
        isWaiting: true,
        place: 'pool',
        pool: 'machines',
        createdAt: now.toISOString(),
      });
      const queue = new RunQueue(work, clock, { get: () => 10 } as never);
      const request = { place: 'pool', pool: { tenantId, name: 'machines' } } as const;
      expect(await queue.take(request, Buffer.from('first'))).toBe(id);
      const first = await work.manager.findOneByOrFail(WorkManifestEntity, { id });
      const sweep = async (seconds: number) => {
        now = new Date(now.getTime() + seconds * 1000);
        await upkeepOf(queue).sweep({}, {} as never);
      };
      await sweep(59);
      expect(await queue.take(request, Buffer.from('second'))).toBeUndefined();
      await sweep(2);
      expect(await queue.take(request, Buffer.from('second'))).toBe(id);
      // It had been found by its token before that was replaced.
      await expect(begin(first)).rejects.toMatchObject({ id: 'RUN_ALREADY_STARTED' });
      const second = await work.manager.findOneByOrFail(WorkManifestEntity, { id });
      expect(second).toMatchObject({ state: 'queued', runNonce: null });
      await begin(second);
      expect(await runs().find(id)).toMatchObject({ state: 'running', runNonce: 'nonce' });
      // What has begun is nobody else's.
      await sweep(61);
      expect(await queue.take(request, Buffer.from('third'))).toBeUndefined();
    });
  });

  it('ends a plan together with its trigger, or neither', async () => {
    const id = await aRun(database.pool, at, { state: 'queued', isWaiting: true });
    const error = { id: 'SUPERSEDED', data: '' } as const;
    const failing = new UnitOfWork(source);
    const query = failing.query.bind(failing);
    failing.query = <T>(sql: string, parameters: readonly unknown[] = []): Promise<T[]> =>
      sql.includes('trigger_key =') ? Promise.reject(new Error('cut')) : query<T>(sql, parameters);
    const events = { publish: () => Promise.resolve() } as never;
    const cut = new Runs(failing, clock, new Secrets(), events, new PullRequestsStore(failing));
    await expect(cut.endPlans(at.repository, 7, error, 'newer')).rejects.toThrow('cut');
    expect(await runs().find(id)).toMatchObject({ state: 'queued', triggerKey: id });
    await runs().endPlans(at.repository, 7, error, 'newer');
    expect(await runs().find(id)).toMatchObject({ state: 'aborted', triggerKey: `${id} ${id}` });
  });

  it('lets a run token live for 15 minutes from the last heartbeat', async () => {
    const id = await aRun(database.pool, at, { state: 'running' });
    const nonce = randomUUID();
    await database.pool.query(
      'UPDATE work_manifests SET run_nonce = $2, started_at = $3, heartbeat_at = $3 WHERE id = $1',
      [id, nonce, now],
    );
    const tokens = new RunTokens({} as never, work, clock, {} as never, {} as never);
    const unused = {} as never;
    const runner = new RunnerService(work, clock, unused, runs(), tokens, unused, unused);
    const isGood = async (of = nonce) =>
      (await tokens.principalOf({ run: id, nonce: of } as never)) !== undefined;
    const pass = (seconds: number) => (now = new Date(now.getTime() + seconds * 1000));
    expect([await isGood(), await isGood(randomUUID())]).toEqual([true, false]);
    pass(899);
    expect(await isGood()).toBe(true);
    const caller = { claims: { run: id } } as unknown as Principal;
    const { expires_at: expiresAt } = await runner.heartbeat(caller);
    expect(expiresAt).toBe(new Date(now.getTime() + 900_000).toISOString());
    pass(899);
    expect(await isGood()).toBe(true);
    pass(1);
    expect(await isGood()).toBe(false);
    // A run that has ended is known for as long, so that its runner is told that it has.
    await runner.heartbeat(caller);
    await runs().move(id, 'abort', { id: 'CANCELLED', data: '' });
    await expect(runner.heartbeat(caller)).rejects.toMatchObject({ id: 'RUN_ENDED' });
    pass(899);
    expect(await isGood()).toBe(true);
    pass(1);
    expect(await isGood()).toBe(false);
  });
});
