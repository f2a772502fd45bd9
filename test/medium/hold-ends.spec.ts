import type { DataSource } from 'typeorm';
import type { Principal } from '../../src/modules/access/index.js';
import { RunnerService } from '../../src/modules/orchestration/running/runner.service.js';
import { Gates } from '../../src/modules/orchestration/runs/gates.store.js';
import { Holds } from '../../src/modules/orchestration/runs/holds.store.js';
import { PlanFiles } from '../../src/modules/orchestration/runs/plan-files.store.js';
import { RunProgress } from '../../src/modules/orchestration/runs/run-progress.queries.js';
import { Runs } from '../../src/modules/orchestration/runs/runs.store.js';
import { dirspaceKey } from '../../src/modules/repo-config/index.js';
import { PullRequestsStore } from '../../src/modules/vcs/repositories/pull-requests.store.js';
import { Secrets } from '../../src/platform/crypto/secrets.js';
import { UnitOfWork } from '../../src/platform/database/index.js';
import { Clock } from '../../src/platform/time/clock.js';
import { connectedSource, freshDatabase, type TestDatabase } from '../support/database.js';
import { aRepository, aRun, type TestRepository } from '../support/run-records.js';

const at10 = (minute: string) => `2026-01-31T10:${minute}:00Z`;

describe('What runs that were given up leave', () => {
  let database: TestDatabase;
  let source: DataSource;
  let work: UnitOfWork;
  let at: TestRepository;

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
    at = await aRepository(database.pool, null);
  });

  function runner(): RunnerService {
    const clock = new Clock();
    const unused = {} as never;
    const events = { publish: () => Promise.resolve() } as never;
    const transactions = {
      ownOf: () => Promise.resolve(new Set()),
      closeSessionsOfRun: () => Promise.resolve(),
    } as never;
    const runs = new Runs(work, clock, new Secrets(), events, new PullRequestsStore(work));
    return new RunnerService(
      work,
      clock,
      unused,
      runs,
      unused,
      new Gates(work, clock, new Secrets()),
      unused,
      transactions,
    );
  }

  it('is no plan to apply, though its runner reports it later, and no plan file', async () => {
    const planned = (state: 'completed' | 'aborted', minute: string) =>
      aRun(database.pool, at, {
        state,
        createdAt: at10(minute),
        dirs: [{ dir: 'a', state: 'success', success: true, hasChanges: true }],
      });
    const plan = async () => {
      const { repository: repositoryId } = at;
      const head = { repositoryId, pullNumber: 7, sha: 'aaaa', baseBranch: 'main' };
      const found = await new RunProgress(work).of(head);
      return found.get(dirspaceKey({ dir: 'a', workspace: 'default' }))?.plan?.runId;
    };
    const givenUp = await planned('aborted', '05');
    expect(await plan()).toBeUndefined();
    const shown = await planned('completed', '00');
    expect(await plan()).toBe(shown);
    for (const id of [givenUp, shown])
      await database.pool.query(
        `INSERT INTO plan_files (work_manifest_id, position, size, sha256) VALUES ($1, 0, 1, '\\x00')`,
        [id],
      );
    const unused = {} as never;
    await new PlanFiles(work, unused, unused, unused).removeUnneeded(at.repository, 7);
    const { rows } = await database.pool.query(
      'SELECT work_manifest_id AS id FROM plan_files WHERE work_manifest_id = ANY ($1)',
      [[givenUp, shown]],
    );
    expect(rows).toEqual([{ id: shown }]);
  });

  describe('A hold of a pull request that was closed at 10:30', () => {
    const CLOSED_AT = at10('30');
    const holds = () => new Holds(work, new Clock());
    const place = () => ({ repositoryId: at.repository, pullNumber: 7 });
    const isHeld = async () => (await holds().list(at.repository)).length === 1;
    const close = (state: 'closed' | 'merged') =>
      database.pool.query(
        `UPDATE pull_requests SET state = $2, closed_at = $3, merge_seen_at = CASE WHEN $2 = 'merged' THEN $3::timestamptz END
          WHERE repository_id = $1`,
        [at.repository, state, CLOSED_AT],
      );
    interface Apply {
      asked: string;
      ended?: string;
      success?: boolean;
      isUnbegun?: boolean;
    }
    /** An apply that has ended: reported, or given up. */
    async function apply({ asked, ended = asked, success, isUnbegun }: Apply): Promise<string> {
      const isGivenUp = success === undefined;
      const state = isGivenUp ? 'aborted' : success ? 'success' : 'failure';
      const id = await aRun(database.pool, at, {
        runType: 'apply',
        state: isGivenUp ? 'aborted' : 'completed',
        createdAt: at10(asked),
        dirs: [{ dir: 'a', state, ...(isGivenUp ? {} : { success }) }],
      });
      await database.pool.query(
        'UPDATE work_manifests SET started_at = CASE WHEN $3 THEN NULL ELSE created_at END, completed_at = $2 WHERE id = $1',
        [id, at10(ended), isUnbegun === true],
      );
      return id;
    }
    beforeEach(() =>
      database.pool.query(
        `INSERT INTO dirspace_holds (repository_id, dir, workspace, pull_number, created_at) VALUES ($1, 'a', 'default', 7, $2)`,
        [at.repository, at10('00')],
      ),
    );

    it.each<['closed' | 'merged', string, Apply, boolean]>([
      ['merged', 'was given up after it', { asked: '20', ended: '40' }, true],
      ['closed', 'was given up after it', { asked: '20', ended: '40' }, true],
      ['merged', 'was given up before', { asked: '20', ended: '25' }, false],
      ['closed', 'was given up before', { asked: '20', ended: '25' }, false],
      ['merged', 'failed before', { asked: '20', success: false }, false],
      ['merged', 'failed after it', { asked: '20', ended: '40', success: false }, false],
      ['merged', 'was asked for after it and failed', { asked: '40', success: false }, true],
      ['merged', 'was asked for after it and given up', { asked: '40', ended: '50' }, true],
      ['merged', 'was asked for after it and applied', { asked: '40', success: true }, false],
      ['merged', 'never began', { asked: '20', ended: '40', isUnbegun: true }, false],
    ])('(%s) whose last apply %s, when the close is worked on again', async (state, _, last, stays) => {
      await close(state);
      await apply(last);
      await holds().releaseClosed(place());
      expect(await isHeld()).toBe(stays);
    });

    it('does not end with what was unlocked before it', async () => {
      await close('merged');
      await apply({ asked: '40', success: false });
      await database.pool.query('UPDATE dirspace_holds SET created_at = $1', [at10('50')]);
      await holds().releaseClosed(place());
      expect(await isHeld()).toBe(false);
    });

    it.each([
      ['40', true],
      ['20', false],
    ])('whose apply of 10:%s failed, when another one never begins', async (asked, stays) => {
      await close('merged');
      await apply({ asked, success: false });
      await holds().releaseUnbegun(place(), await apply({ asked: '50', isUnbegun: true }));
      expect(await isHeld()).toBe(stays);
    });

    it('is not ended by the late result of an apply that another one followed', async () => {
      await close('merged');
      const late = await apply({ asked: '20', success: true });
      await apply({ asked: '40', ended: '50' });
      await holds().releaseEnded(late);
      expect(await isHeld()).toBe(true);
    });

    it.each([
      ['closed', false],
      ['open', true],
    ])('ends with what an apply reports that was given up (%s)', async (state, stays) => {
      if (state === 'closed') await close('closed');
      const id = await apply({ asked: '20', ended: '40' });
      const report = { success: false, dirspaces: [{ dir: 'a', workspace: 'default', success: false }] };
      const caller = { claims: { run: id } } as unknown as Principal;
      await expect(runner().finish(caller, report)).rejects.toMatchObject({ id: 'RUN_ENDED' });
      expect(await isHeld()).toBe(stays);
    });
  });
  describe('where a directory is not held (`lock_policy: none`)', () => {
    const holds = () => new Holds(work, new Clock());
    const of = (pullNumber: number) => ({ repositoryId: at.repository, pullNumber });
    const runs = () => {
      const events = { publish: () => Promise.resolve() } as never;
      return new Runs(work, new Clock(), new Secrets(), events, new PullRequestsStore(work));
    };
    const wanted = ['a', 'b'].map((dir) => ({ dir, workspace: 'default', lockPolicy: 'none' as const }));
    /** An apply of two directories that is given up; it has reported of `b`. */
    async function givenUp({
      kind = 'pull_request',
      isBegun = true,
    }: {
      kind?: 'drift' | 'pull_request';
      isBegun?: boolean;
    }) {
      const id = await aRun(database.pool, at, {
        kind,
        runType: 'apply',
        state: 'running',
        createdAt: at10('00'),
        dirs: [
          { dir: 'a', state: 'running' },
          { dir: 'b', state: 'success', success: true },
        ],
      });
      await database.pool.query(
        `UPDATE work_manifest_dirspaces SET lock_policy = 'none' WHERE work_manifest_id = $1`,
        [id],
      );
      if (isBegun)
        await database.pool.query('UPDATE work_manifests SET started_at = created_at WHERE id = $1', [id]);
      expect(await runs().move(id, 'abort', { id: 'RUN_LOST', data: '' })).toBe(true);
      return id;
    }
    const heldDirs = async () => (await holds().list(at.repository)).map(({ dir }) => dir);
    beforeEach(() =>
      database.pool.query(
        `INSERT INTO pull_requests (repository_id, installation_id, number, title, branch, sha, base_branch, base_sha, state, created_at, updated_at)
         VALUES ($1, $2, 8, 'Eight', 'other', 'aaaa', 'main', 'bbbb', 'open', now(), now())`,
        [at.repository, at.installation],
      ),
    );

    it('is a hold that keeps others out until somebody unlocks', async () => {
      await givenUp({});
      expect(await heldDirs()).toEqual(['a']);
      expect(await holds().acquire(of(8), wanted, 'ada')).toMatchObject([{ dir: 'a', pullNumber: 7 }]);
      expect(await holds().givenUp(of(7))).toMatchObject([{ dir: 'a', errorId: 'RUN_LOST' }]);
      await holds().release(of(7));
      expect(await holds().acquire(of(8), wanted, 'ada')).toEqual([]);
    });

    it('is a hold until the runner reports what it did, and no longer', async () => {
      const id = await givenUp({});
      const report = { success: false, dirspaces: [{ dir: 'a', workspace: 'default', success: false }] };
      const caller = { claims: { run: id } } as unknown as Principal;
      await expect(runner().finish(caller, report)).rejects.toMatchObject({ id: 'RUN_ENDED' });
      expect(await heldDirs()).toEqual([]);
    });

    it('is a hold of the run that reconciles drift', async () => {
      const id = await givenUp({ kind: 'drift' });
      expect(await holds().releaseReconcile(id)).toEqual([{ dir: 'a', workspace: 'default' }]);
    });

    it('is nothing where the apply never began', async () => {
      await givenUp({ isBegun: false });
      expect(await heldDirs()).toEqual([]);
    });
  });
});
