import { randomUUID } from 'node:crypto';
import type { PoolClient } from 'pg';
import type { DataSource } from 'typeorm';
import { ApplyCommand } from '../../src/modules/orchestration/commands/apply.command.js';
import { PlanCommand } from '../../src/modules/orchestration/commands/plan.command.js';
import { UnlockCommand } from '../../src/modules/orchestration/commands/unlock.command.js';
import { DriftSchedules } from '../../src/modules/orchestration/drift/drift-schedules.job.js';
import { DriftSchedulesStore } from '../../src/modules/orchestration/drift/drift-schedules.store.js';
import type { Change } from '../../src/modules/orchestration/planning/changes.js';
import { PullRequestPlans } from '../../src/modules/orchestration/planning/pull-request-plans.js';
import { RunCreation } from '../../src/modules/orchestration/planning/run-creation.js';
import { Holds } from '../../src/modules/orchestration/runs/holds.store.js';
import { PlanRetirement } from '../../src/modules/orchestration/runs/plan-retirement.js';
import { RunProgress } from '../../src/modules/orchestration/runs/run-progress.queries.js';
import { Runs } from '../../src/modules/orchestration/runs/runs.store.js';
import { WaitingDrift } from '../../src/modules/orchestration/runs/waiting-drift.js';
import { dirspacesOf, parseRepoConfig } from '../../src/modules/repo-config/index.js';
import { PullRequestsStore } from '../../src/modules/vcs/repositories/pull-requests.store.js';
import { Secrets } from '../../src/platform/crypto/secrets.js';
import { UnitOfWork } from '../../src/platform/database/index.js';
import { connectedSource, freshDatabase, type TestDatabase } from '../support/database.js';
import { whileHeld } from '../support/held-lock.js';
import { aHold, aRepository, aRun, aSchedule, type TestRepository } from '../support/run-records.js';

// docs/architecture.md, "Order of locks".
describe('The order in which runs and what belongs to them are locked', () => {
  let database: TestDatabase;
  let source: DataSource;
  let at: TestRepository;
  let parts: ReturnType<typeof partsOf>;

  beforeAll(async () => {
    database = await freshDatabase();
    source = await connectedSource(database);
    parts = partsOf(new UnitOfWork(source));
  });
  afterAll(async () => {
    await source.destroy();
    await database.drop();
  });
  beforeEach(async () => {
    const tenantId = randomUUID();
    await database.pool.query('INSERT INTO tenants (id, name) VALUES ($1, $2)', [tenantId, tenantId]);
    at = await aRepository(database.pool, tenantId);
    await aSchedule(database.pool, at, 'nightly', { isReconciling: true });
  });

  /** A run of the schedule that reconciles drift in a directory and has not begun. */
  async function waitingReconcile(dir: string): Promise<string> {
    const id = await aRun(database.pool, at, {
      kind: 'drift',
      runType: 'apply',
      state: 'queued',
      isWaiting: true,
      dirs: [{ dir }],
    });
    await database.pool.query(
      `UPDATE work_manifests SET asked_by = 'drift:nightly:2026-01-31T10:00:00.000Z' WHERE id = $1`,
      [id],
    );
    return id;
  }
  const statesOf = async (ids: readonly string[]) => {
    const found = await Promise.all(ids.map((id) => parts.runs.find(id)));
    return found.map((run) => run?.errorId ?? run?.state);
  };

  it('has the runs of all pull requests that are unlocked before any schedule', async () => {
    await database.pool.query(
      `INSERT INTO pull_requests (repository_id, installation_id, number, title, branch, sha, base_branch, base_sha, state, created_at, updated_at)
       VALUES ($1, $2, 8, 'Eight', 'other', 'aaaa', 'main', 'bbbb', 'open', now(), now())`,
      [at.repository, at.installation],
    );
    await aHold(database.pool, at, { dir: 'a', pullNumber: 7 });
    await aHold(database.pool, at, { dir: 'b', pullNumber: 8 });
    const runs = [await waitingReconcile('a'), await waitingReconcile('b')];
    // As the sweep does that ends a run of a held directory: the run, then its schedule.
    const sweeping = { text: 'SELECT FROM work_manifests WHERE id = $1 FOR UPDATE', values: [runs[1]] };
    const { waited, result } = await whileHeld(database.pool, sweeping, {
      action: () => parts.unlock.unlock(at.repository, { numbers: [7, 8], reconciled: [] }),
      meanwhile: (sweep) =>
        sweep.query('SELECT FROM drift_schedules WHERE repository_id = $1 FOR UPDATE NOWAIT', [
          at.repository,
        ]),
    });
    expect({ waited, result }).toEqual({ waited: true, result: { count: 2, mustPlan: false } });
    expect(await statesOf(runs)).toEqual(['SUPERSEDED', 'SUPERSEDED']);
  });

  function aChange(): Change {
    const [a] = dirspacesOf(['a'], parseRepoConfig('', 'config.yml'));
    return {
      place: {
        installation: { id: at.installation },
        repository: { id: at.repository, owner: 'octo', name: at.name },
      },
      pullRequest: {
        number: 7,
        title: 'Seven',
        sha: 'aaaa',
        baseSha: 'bbbb',
        branch: 'topic',
        baseBranch: 'main',
        state: 'open',
        isDraft: false,
        updatedAt: new Date(0),
      },
      config: parseRepoConfig('', 'config.yml'),
      changed: [a],
      dependencies: new Map(),
      trustedStateGroups: new Set(),
    } as unknown as Change;
  }
  const asked = { trigger: 'comment:1', username: 'ada', tagQuery: '' };

  it.each<[string, () => Promise<unknown>]>([
    ['a plan', () => parts.plans.plan(aChange(), asked)],
    ['a plan that is made again', () => parts.plans.planAgain(aChange(), aChange().changed, asked)],
    ['a plan that somebody asks for', () => parts.planCommand.plan(aChange(), asked)],
    ['an apply', () => parts.apply.apply(aChange(), { ...asked, isForced: true, appliesPlan: true })],
    ['a schedule for drift', () => parts.schedules.sweep({}, {} as never)],
  ])(
    'has the installation before whatever %s locks, so that unlinking meets none of it',
    async (_, action) => {
      const others = [
        await waitingReconcile('a'),
        await aRun(database.pool, at, { state: 'queued', isWaiting: true, dirs: [{ dir: 'a' }] }),
      ];
      await database.pool.query(`UPDATE work_manifests SET branch_ref = 'older' WHERE id = $1`, [others[1]]);
      await database.pool.query(
        `UPDATE drift_schedules SET next_at = '2026-01-01' WHERE repository_id = $1`,
        [at.repository],
      );
      const unlinking = {
        text: 'SELECT FROM installations WHERE id = $1 FOR UPDATE',
        values: [at.installation],
      };
      const { waited } = await whileHeld(database.pool, unlinking, {
        action,
        meanwhile: (unlink) => unlinkAndLockAll(unlink),
      });
      expect(waited).toBe(true);
      const { rows } = await database.pool.query('SELECT id FROM work_manifests WHERE repository_id = $1', [
        at.repository,
      ]);
      expect(rows.map(({ id }: { id: string }) => id).toSorted()).toEqual(others.toSorted());
    },
  );

  async function unlinkAndLockAll(unlink: PoolClient): Promise<void> {
    for (const table of ['pull_requests', 'work_manifests', 'drift_schedules', 'dirspace_holds'])
      await unlink.query(`SELECT FROM ${table} WHERE repository_id = $1 FOR UPDATE NOWAIT`, [at.repository]);
    await unlink.query('UPDATE installations SET tenant_id = NULL WHERE id = $1', [at.installation]);
  }
});

function partsOf(work: UnitOfWork) {
  const clock = { now: () => new Date('2026-01-31T10:00:00Z') };
  const done = { publish: async () => undefined, enqueue: async () => undefined } as never;
  const transactions = {
    abortReplaced: async () => undefined,
    abortRetired: async () => undefined,
    giveUpCommits: async () => undefined,
  } as never;
  const runs = new Runs(work, clock, new Secrets(), done, new PullRequestsStore(work));
  const holds = new Holds(work, clock);
  const progress = new RunProgress(work);
  const creation = new RunCreation(runs, done, transactions);
  const waitingDrift = new WaitingDrift(work, runs, clock);
  const retirement = new PlanRetirement(work, clock, transactions);
  const plans = new PullRequestPlans(work, holds, runs, creation, progress, retirement);
  const driftRuns = { prepare: async () => ({ isCurrent: true, createRuns: async () => [] }) } as never;
  const places = { of: async () => ({}) } as never;
  const config = { get: () => true } as never;
  const store = new DriftSchedulesStore(work);
  return {
    runs,
    plans,
    planCommand: new PlanCommand(plans, creation, runs, work),
    unlock: new UnlockCommand(work, holds, progress, waitingDrift, transactions),
    apply: new ApplyCommand(work, plans, progress, {} as never, holds, creation, runs, waitingDrift),
    schedules: new DriftSchedules(work, clock, config, store, places, driftRuns, runs, done),
  };
}
