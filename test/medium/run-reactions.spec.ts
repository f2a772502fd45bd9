import type { DataSource } from 'typeorm';
import { HeartbeatGrace } from '../../src/modules/orchestration/dispatching/heartbeat-grace.js';
import { DriftPreparation } from '../../src/modules/orchestration/drift/drift-preparation.js';
import { PullRequestPlans } from '../../src/modules/orchestration/planning/pull-request-plans.js';
import { PullRequestHandlers } from '../../src/modules/orchestration/reacting/pull-request.handlers.js';
import { Holds } from '../../src/modules/orchestration/runs/holds.store.js';
import { PlanRetirement } from '../../src/modules/orchestration/runs/plan-retirement.js';
import { ProcessRole } from '../../src/platform/config/index.js';
import { UnitOfWork } from '../../src/platform/database/index.js';
import { Clock } from '../../src/platform/time/clock.js';
import { connectedSource, freshDatabase, type TestDatabase } from '../support/database.js';
import { whileHeld } from '../support/held-lock.js';
import { aRepository, aRun, type TestRepository } from '../support/run-records.js';

const unused = {} as never;

describe('What happens to runs', () => {
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

  it('retires what was applied before a reopen that cannot be read', async () => {
    const id = await aRun(database.pool, at, {
      runType: 'apply',
      createdAt: '2026-01-31T10:00:00Z',
      dirs: [{ dir: 'a', state: 'success', success: true }],
    });
    const clock = new Clock();
    const retirement = new PlanRetirement(work, clock, { abortRetired: async () => undefined } as never);
    const plans = new PullRequestPlans(work, new Holds(work, clock), unused, unused, unused, retirement);
    const changes = { read: () => Promise.reject(new Error('unreadable')) } as never;
    const handlers = new PullRequestHandlers(changes, plans, unused, unused, unused, unused, unused, unused);
    const event = {
      repository: { id: at.repository },
      pullRequest: { number: 7, state: 'open' },
      change: 'reopened',
      receivedAt: new Date('2026-01-31T11:00:00Z'),
    } as never;
    await expect(handlers.changed(event)).rejects.toThrow('unreadable');
    const { rows } = await database.pool.query(
      'SELECT retired_at IS NOT NULL AS retired FROM work_manifest_dirspaces WHERE work_manifest_id = $1',
      [id],
    );
    expect(rows).toEqual([{ retired: true }]);
  });

  it.each([
    ['main', 0],
    ['other', 1],
  ])('looks for the index of the commit for the branch %s', async (name, created) => {
    await aRun(database.pool, at, { kind: 'index', runType: 'index', state: 'queued' });
    let count = 0;
    const forDefaultBranch = () => Promise.resolve(`created ${++count}`);
    const preparation = new DriftPreparation(work, { forDefaultBranch } as never, new Clock());
    const place = { repository: { id: at.repository } } as never;
    const request = preparation.request(place, { name, sha: 'aaaa' } as never, 'index');
    await expect(request).rejects.toThrow();
    expect(count).toBe(created);
  });

  it('does not wait for locked runs when their runners get more time', async () => {
    const id = await aRun(database.pool, at, { state: 'running' });
    await database.pool.query(`UPDATE work_manifests SET heartbeat_at = '2026-01-31' WHERE id = $1`, [id]);
    const grace = new HeartbeatGrace(
      work,
      new Clock(),
      { get: () => true } as never,
      new ProcessRole('worker'),
    );
    const lock = { text: 'SELECT FROM work_manifests WHERE id = $1 FOR UPDATE', values: [id] };
    const action = () => grace.onApplicationBootstrap();
    const held = await whileHeld(database.pool, lock, { action, meanwhile: () => Promise.resolve() });
    expect(held.waited).toBe(false);
  });
});
