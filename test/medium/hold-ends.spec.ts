import type { DataSource } from 'typeorm';
import { Holds } from '../../src/modules/orchestration/runs/holds.store.js';
import { PlanFiles } from '../../src/modules/orchestration/runs/plan-files.store.js';
import { RunProgress } from '../../src/modules/orchestration/runs/run-progress.queries.js';
import { dirspaceKey } from '../../src/modules/repo-config/index.js';
import { UnitOfWork } from '../../src/platform/database/index.js';
import { Clock } from '../../src/platform/time/clock.js';
import { connectedSource, freshDatabase, type TestDatabase } from '../support/database.js';
import { aRepository, aRun, type TestRepository, type TestRun } from '../support/run-records.js';

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
});
