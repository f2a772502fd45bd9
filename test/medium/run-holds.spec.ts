import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import type { Principal } from '../../src/modules/access/index.js';
import { UnlockCommand } from '../../src/modules/orchestration/commands/unlock.command.js';
import { PullRequestClosing } from '../../src/modules/orchestration/reacting/pull-request-closing.js';
import { RunTokens } from '../../src/modules/orchestration/running/run-tokens.js';
import { RunnerService } from '../../src/modules/orchestration/running/runner.service.js';
import { RunUpkeep } from '../../src/modules/orchestration/dispatching/run-upkeep.job.js';
import { WorkManifestEntity } from '../../src/modules/orchestration/entities/work-manifest.entity.js';
import { Holds } from '../../src/modules/orchestration/runs/holds.store.js';
import { isApplicable, RunProgress } from '../../src/modules/orchestration/runs/run-progress.queries.js';
import { RunLeftovers } from '../../src/modules/orchestration/runs/run-leftovers.js';
import { RunQueue } from '../../src/modules/orchestration/runs/run-queue.store.js';
import { WaitingDrift } from '../../src/modules/orchestration/runs/waiting-drift.js';
import { Runs } from '../../src/modules/orchestration/runs/runs.store.js';
import { dirspaceKey } from '../../src/modules/repo-config/index.js';
import { PullRequestEntity } from '../../src/modules/vcs/index.js';
import { PullRequestsStore } from '../../src/modules/vcs/repositories/pull-requests.store.js';
import { Secrets } from '../../src/platform/crypto/secrets.js';
import { UnitOfWork } from '../../src/platform/database/index.js';
import { connectedSource, freshDatabase, type TestDatabase } from '../support/database.js';
import { aRepository, aRun, type TestRepository } from '../support/run-records.js';

const transactions = {
  abortRetired: async () => undefined,
  abortOfRun: () => Promise.resolve(),
  abortOfPullRequest: () => Promise.resolve(),
  giveUpCommits: () => Promise.resolve(),
} as never;

const headOf = ({ repository }: TestRepository) => ({
  repositoryId: repository,
  pullNumber: 7,
  sha: 'aaaa',
  baseBranch: 'main',
});

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

  const planFiles = {
    removeUnpublished: async () => undefined,
    removeUnneeded: async () => undefined,
  } as never;

  describe('A hold of an apply that never began', () => {
    const holds = () => new Holds(work, clock);
    const held = { dir: 'a', workspace: 'default', lockPolicy: 'apply' as const };

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

  it('notes since when a commit is the head for a release that does not', async () => {
    const of = async () => {
      const { headAt } = await work.manager.findOneByOrFail(PullRequestEntity, {
        repositoryId: at.repository,
        number: 7,
      });
      return headAt?.getTime() ?? 0;
    };
    const set = (fields: string) =>
      database.pool.query(`UPDATE pull_requests SET ${fields} WHERE repository_id = $1`, [at.repository]);
    const longAgo = new Date('2026-01-01T00:00:00Z');
    expect(await of()).toBeGreaterThan(longAgo.getTime());
    await set(`head_at = '2026-01-01T00:00:00Z'`);
    await set(`title = 'another'`);
    expect(await of()).toBe(longAgo.getTime());
    await set(`sha = 'bbbb'`);
    expect(await of()).toBeGreaterThan(longAgo.getTime());
    await set(`sha = 'cccc', head_at = '2026-01-01T00:00:00Z'`);
    expect(await of()).toBe(longAgo.getTime());
  });

  describe('A run for drift that waits', () => {
    const a = { dir: 'a', workspace: 'default' };
    const place = () => ({ repositoryId: at.repository, pullNumber: 7 });
    const drift = (fields: { runType: 'plan' | 'apply'; dirs?: string[]; isSent?: boolean }) =>
      aRun(database.pool, at, {
        kind: 'drift',
        runType: fields.runType,
        state: 'queued',
        isWaiting: true,
        dirs: (fields.dirs ?? ['a', 'b']).map((dir) => ({ dir })),
      }).then(async (id) => {
        if (fields.isSent === true)
          await database.pool.query(`UPDATE work_manifests SET dispatch_state = 'sent' WHERE id = $1`, [id]);
        return id;
      });
    const waitingDrift = () => new WaitingDrift(work, runs(), clock);
    const holds = () => new Holds(work, clock);
    const endOf = async (id: string) => {
      const run = await runs().find(id);
      return run?.errorId ?? run?.state;
    };

    it('ends before it applies what its schedule does not ask for any more', async () => {
      const [kept, narrowed, removed, look] = [
        await drift({ runType: 'apply' }),
        await drift({ runType: 'apply' }),
        await drift({ runType: 'apply', isSent: true }),
        await drift({ runType: 'plan' }),
      ];
      const describe = (id: string, name: string, tagQuery: string) =>
        database.pool.query('UPDATE work_manifests SET asked_by = $2, tag_query = $3 WHERE id = $1', [
          id,
          `drift:${name}:2026-01-31T10:00:00.000Z`,
          tagQuery,
        ]);
      await describe(kept, 'a:b', 'prod');
      await describe(narrowed, 'a:b', '');
      await describe(removed, 'gone', 'prod');
      await describe(look, 'gone', 'prod');
      await waitingDrift().endUnwanted(at.repository, [{ name: 'a:b', tagQuery: 'prod' }]);
      expect(await Promise.all([kept, narrowed, removed, look].map(endOf))).toEqual([
        'queued',
        'SUPERSEDED',
        'SUPERSEDED',
        'queued',
      ]);
    });

    it('gives way where it has not begun, and a look where it was not sent', async () => {
      const ended = [
        await drift({ runType: 'apply' }),
        await drift({ runType: 'apply', isSent: true }),
        await drift({ runType: 'plan' }),
      ];
      const kept = [
        await drift({ runType: 'plan', isSent: true }),
        await drift({ runType: 'apply', dirs: ['c'] }),
        await aRun(database.pool, at, { state: 'queued', isWaiting: true }),
        await aRun(database.pool, await aRepository(database.pool, null), { kind: 'drift', state: 'queued' }),
      ];
      const running = await aRun(database.pool, at, { kind: 'drift', runType: 'apply', state: 'running' });
      await waitingDrift().endIn(at.repository, [a]);
      expect(await Promise.all(ended.map(endOf))).toEqual(ended.map(() => 'SUPERSEDED'));
      expect(await Promise.all(kept.map(endOf))).toEqual(kept.map(() => 'queued'));
      expect(await endOf(running)).toBe('running');
    });

    // Made for a default branch that may lack what was held, and is merged now.
    it.each([
      [
        'is unlocked',
        () =>
          new UnlockCommand(work, holds(), new RunProgress(work), waitingDrift(), transactions).unlock(
            at.repository,
            {
              numbers: [7],
              reconciled: [],
            },
          ),
      ],
      [
        'ends with its pull request',
        () =>
          new PullRequestClosing(
            work,
            runs(),
            holds(),
            transactions,
            waitingDrift(),
            {} as never,
            planFiles,
          ).close(at.repository, 7, {
            keepsPlans: true,
          }),
      ],
      [
        'ends with an apply that never began',
        async () => {
          const id = await aRun(database.pool, at, { runType: 'apply', state: 'aborted' });
          const run = await work.manager.findOneByOrFail(WorkManifestEntity, { id });
          await new RunLeftovers(work, planFiles, transactions, holds(), waitingDrift()).remove(run);
        },
      ],
    ])('does not begin when a hold %s', async (_, release) => {
      await holds().acquire(place(), [{ ...a, lockPolicy: 'apply' }], 'ada');
      const [ended, kept] = [
        await drift({ runType: 'apply' }),
        await drift({ runType: 'apply', dirs: ['c'] }),
      ];
      await release();
      expect(await holds().list(at.repository)).toEqual([]);
      expect([await endOf(ended), await endOf(kept)]).toEqual(['SUPERSEDED', 'queued']);
    });
  });

  describe('What a run that reconciled drift left', () => {
    const a = { dir: 'a', workspace: 'default' };
    const holds = () => new Holds(work, clock);
    /** A run that reconciles drift in two directories and holds them. */
    async function reconcile(state: 'running' | 'aborted'): Promise<string> {
      const dirs = ['a', 'b'];
      const id = await aRun(database.pool, at, {
        kind: 'drift',
        runType: 'apply',
        state,
        dirs: dirs.map((dir) => ({ dir })),
      });
      await database.pool.query(
        `UPDATE work_manifests SET started_at = created_at, completed_at = $2 WHERE id = $1`,
        [id, state === 'aborted' ? now : null],
      );
      await database.pool.query(
        `INSERT INTO dirspace_holds (repository_id, dir, workspace, work_manifest_id, created_at)
         SELECT $1, d, 'default', $2, now() FROM unnest($3::text[]) d`,
        [at.repository, id, dirs],
      );
      return id;
    }
    const heldDirs = async () => (await holds().list(at.repository)).map(({ dir }) => dir);

    it('is released by the run, once that has ended', async () => {
      const running = await reconcile('running');
      expect(await holds().releaseReconcile(running)).toEqual([]);
      expect(await heldDirs()).toEqual(['a', 'b']);
      await runs().move(running, 'abort', { id: 'RUN_LOST', data: '' });
      expect(await heldDirs()).toEqual(['a', 'b']);
      expect((await holds().releaseReconcile(running)).map(({ dir }) => dir).toSorted()).toEqual(['a', 'b']);
      expect(await heldDirs()).toEqual([]);
    });

    it('is released by directories, with what the pull request holds there and nowhere else', async () => {
      await reconcile('aborted');
      const more = ['c', 'd'].map((dir) => ({ dir, workspace: 'default', lockPolicy: 'apply' as const }));
      await holds().acquire({ repositoryId: at.repository, pullNumber: 7 }, more, 'ada');
      const unlock = new UnlockCommand(
        work,
        holds(),
        new RunProgress(work),
        new WaitingDrift(work, runs(), clock),
        transactions,
      );
      const only = [a, ...more.slice(0, 1)];
      expect(await unlock.unlock(at.repository, { numbers: [7], reconciled: only, only })).toEqual({
        count: 2,
        mustPlan: false,
      });
      expect(await heldDirs()).toEqual(['b', 'd']);
    });
  });

  describe('A hold', () => {
    const holds = () => new Holds(work, clock);
    const wanted = (dir: string, lockPolicy: 'apply' | 'none') => ({ dir, workspace: 'default', lockPolicy });
    const of = (pullNumber: number) => ({ repositoryId: at.repository, pullNumber });
    const rows = async () =>
      (
        await database.pool.query(
          'SELECT dir, pull_number FROM dirspace_holds WHERE repository_id = $1 ORDER BY dir',
          [at.repository],
        )
      ).rows;
    beforeEach(() =>
      database.pool.query(
        `INSERT INTO pull_requests (repository_id, installation_id, number, title, branch, sha, base_branch, base_sha, state, created_at, updated_at)
         VALUES ($1, $2, 8, 'Eight', 'other', 'aaaa', 'main', 'bbbb', 'open', now(), now())`,
        [at.repository, at.installation],
      ),
    );

    it('is taken whole where the hold of another one ends while it is read', async () => {
      const other = wanted('x', 'apply');
      const free = wanted('y', 'apply');
      await holds().acquire(of(8), [other], 'bob');
      const query = async (sql: string, parameters: unknown[]) => {
        const rows = await work.query(sql, parameters);
        if (sql.trimStart().startsWith('INSERT'))
          await database.pool.query('DELETE FROM dirspace_holds WHERE pull_number = 8');
        return rows;
      };
      const racing = new Holds({ query } as never, clock);
      expect(await racing.acquire(of(7), [other, free], 'ada')).toEqual([]);
      expect(await rows()).toEqual(['x', 'y'].map((dir) => ({ dir, pull_number: 7 })));
    });
  });

  describe('A plan', () => {
    const plannedAt = '2026-01-31T10:00:00Z';
    const progress = async () =>
      (await new RunProgress(work).of(headOf(at))).get(dirspaceKey({ dir: 'a', workspace: 'default' }));
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
      const progress = await new RunProgress(work).of(headOf(at));
      const found = progress.get(dirspaceKey({ dir: 'a', workspace: 'default' }));
      return found && isApplicable(found);
    };

    it('counts no more once that one is merged: it would take back what is merged', async () => {
      await appliedBefore('2026-01-31T10:30:00Z');
      expect(await isPlanApplicable()).toBe(false);
    });

    /** A merge that is recorded without the time when it was seen: as if nothing completed it. */
    async function mergedUnseen(fields: { mergedAt: string | null; updatedAt: string }): Promise<void> {
      await database.pool.query('ALTER TABLE pull_requests DISABLE TRIGGER pull_request_moments');
      await database.pool.query(
        `UPDATE pull_requests SET state = 'merged', merge_seen_at = NULL, merged_at = $2, updated_at = $3
          WHERE repository_id = $1 AND number = 8`,
        [at.repository, fields.mergedAt, fields.updatedAt],
      );
      await database.pool.query('ALTER TABLE pull_requests ENABLE TRIGGER pull_request_moments');
    }

    it.each([
      ['2026-01-31T09:30:00Z', '2026-01-31T09:31:00Z', true],
      ['2026-01-31T09:58:00Z', '2026-01-31T09:58:00Z', false],
      ['2026-01-31T10:30:00Z', '2026-01-31T10:30:00Z', false],
      [null, '2026-01-31T10:30:00Z', false],
    ])('that was merged at %s, seen at an unknown time', async (mergedAt, updatedAt, expected) => {
      await appliedBefore(null);
      await mergedUnseen({ mergedAt, updatedAt });
      expect(await isPlanApplicable()).toBe(expected);
    });

    it('counts no more when a release saw the merge that does not note it', async () => {
      await appliedBefore(null);
      await database.pool.query(
        `UPDATE pull_requests SET state = 'merged', merged_at = '2026-01-31T09:30:00Z' WHERE repository_id = $1 AND number = 8`,
        [at.repository],
      );
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
        { lookAfter: () => Promise.resolve() } as never,
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
      expect(await runs().find(id)).toMatchObject({ state: 'running', runNonce: 'nonce machine' });
      // What has begun is nobody else's.
      await sweep(61);
      expect(await queue.take(request, Buffer.from('third'))).toBeUndefined();
    });
  });

  it('ends a plan together with its trigger, or neither', async () => {
    const id = await aRun(database.pool, at, { state: 'queued', isWaiting: true });
    const error = { id: 'SUPERSEDED', data: '' } as const;
    const place = { repositoryId: at.repository, pullNumber: 7 };
    const ended = { except: { sha: 'newer', baseBranch: 'main' }, isAskedAgain: true };
    const failing = new UnitOfWork(source);
    const query = failing.query.bind(failing);
    failing.query = <T>(sql: string, parameters: readonly unknown[] = []): Promise<T[]> =>
      sql.includes('trigger_key =') ? Promise.reject(new Error('cut')) : query<T>(sql, parameters);
    const events = { publish: () => Promise.resolve() } as never;
    const cut = new Runs(failing, clock, new Secrets(), events, new PullRequestsStore(failing));
    await expect(cut.endPlans(place, error, ended)).rejects.toThrow('cut');
    expect(await runs().find(id)).toMatchObject({ state: 'queued', triggerKey: id });
    await runs().endPlans(place, error, ended);
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
    const runner = new RunnerService(work, clock, unused, runs(), tokens, unused, unused, unused);
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
