import type { DataSource } from 'typeorm';
import { Holds } from '../../src/modules/orchestration/runs/holds.store.js';
import { UnitOfWork } from '../../src/platform/database/index.js';
import { Clock } from '../../src/platform/time/clock.js';
import { connectedSource, freshDatabase, type TestDatabase } from '../support/database.js';
import { whileHeld } from '../support/held-lock.js';
import { aRepository, aRun, type TestRepository } from '../support/run-records.js';

describe('A hold, by the lock policy of who wants it', () => {
  let database: TestDatabase;
  let source: DataSource;
  let at: TestRepository;

  beforeAll(async () => {
    database = await freshDatabase();
    source = await connectedSource(database);
  });
  afterAll(async () => {
    await source.destroy();
    await database.drop();
  });
  beforeEach(async () => {
    at = await aRepository(database.pool, null);
  });

  const holds = () => new Holds(new UnitOfWork(source), new Clock());
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

  it('of another one counts where the own policy is none, which takes none itself', async () => {
    expect(await holds().acquire(of(8), [wanted('x', 'apply')], 'bob')).toEqual([]);
    const both = [wanted('w', 'none'), wanted('x', 'none')];
    expect(await holds().acquire(of(7), both, 'ada')).toMatchObject([{ dir: 'x', pullNumber: 8 }]);
    await database.pool.query('DELETE FROM dirspace_holds WHERE pull_number = 7');
    expect(await holds().acquire(of(7), [wanted('w', 'none'), wanted('y', 'apply')], 'ada')).toEqual([]);
    // What it holds since an earlier commit stays.
    expect(await holds().acquire(of(7), [wanted('y', 'none')], 'ada')).toEqual([]);
    expect(await rows()).toEqual([
      { dir: 'x', pull_number: 8 },
      { dir: 'y', pull_number: 7 },
    ]);
  });

  it('is not taken where another one applies that holds nothing', async () => {
    await aRun(database.pool, at, { runType: 'apply', state: 'queued', dirs: [{ dir: 'x' }] });
    const acquire = () => holds().acquire(of(8), [wanted('x', 'apply')], 'bob');
    expect(await acquire()).toMatchObject([{ dir: 'x', pullNumber: 7, isUnheld: true }]);
    await database.pool.query('DELETE FROM dirspace_holds');
    expect(await holds().acquire(of(7), [wanted('x', 'apply')], 'ada')).toEqual([]);
  });

  it('of the same moment is waited for, also where none is taken', async () => {
    const text = `INSERT INTO dirspace_holds (repository_id, dir, workspace, pull_number) VALUES ($1, 'x', 'default', 8)`;
    const acquired = await whileHeld(
      database.pool,
      { text, values: [at.repository] },
      {
        action: () => holds().acquire(of(7), [wanted('x', 'none')], 'ada'),
        meanwhile: () => Promise.resolve(),
      },
    );
    expect(acquired).toMatchObject({ waited: true, result: [{ dir: 'x', pullNumber: 8 }] });
  });
});
