import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import type { DataSource } from 'typeorm';
import { ApplyCommand } from '../../src/modules/orchestration/commands/apply.command.js';
import { CommandActions } from '../../src/modules/orchestration/commands/command-actions.js';
import { CommentCommands } from '../../src/modules/orchestration/commands/comment-commands.js';
import { PlanCommand } from '../../src/modules/orchestration/commands/plan.command.js';
import { UnlockCommand } from '../../src/modules/orchestration/commands/unlock.command.js';
import type { Change } from '../../src/modules/orchestration/planning/changes.js';
import { PullRequestPlans } from '../../src/modules/orchestration/planning/pull-request-plans.js';
import { Holds } from '../../src/modules/orchestration/runs/holds.store.js';
import { RunProgress } from '../../src/modules/orchestration/runs/run-progress.queries.js';
import { Runs } from '../../src/modules/orchestration/runs/runs.store.js';
import { WaitingDrift } from '../../src/modules/orchestration/runs/waiting-drift.js';
import { DEFAULT_CONFIG } from '../../src/modules/repo-config/index.js';
import { UnitOfWork } from '../../src/platform/database/index.js';
import { Clock } from '../../src/platform/time/clock.js';
import { connectedSource, freshDatabase, type TestDatabase } from '../support/database.js';
import { whileHeld } from '../support/held-lock.js';
import { aHold, aRepository, aRun, type TestRepository, type TestRun } from '../support/run-records.js';

const unused = {} as never;
const nothing = () => Promise.resolve();
const REQUEST = { trigger: 'comment:1', username: 'ada', tagQuery: '' };

describe('A comment that two workers carry out at once', () => {
  let database: TestDatabase;
  let source: DataSource;
  let work: UnitOfWork;
  let at: TestRepository;
  let change: Change;
  const clock = new Clock();

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
    const dirspace = { dir: 'a', workspace: 'default', tags: [], lockPolicy: 'apply' };
    change = {
      place: { installation: { id: at.installation }, repository: { id: at.repository } },
      pullRequest: { number: 7, sha: 'aaaa', baseBranch: 'main', state: 'open', updatedAt: new Date() },
      config: DEFAULT_CONFIG,
      all: [dirspace],
      changed: [dirspace],
      dependencies: new Map(),
    } as unknown as Change;
  });

  // What the same comment has asked for is not created twice.
  const creation = { forPullRequest: async () => [] } as never;
  const holds = () => new Holds(work, clock);
  const runs = () => new Runs(work, clock, unused, { publish: nothing } as never, unused);
  const progress = () => new RunProgress(work);
  const plans = () => new PullRequestPlans(work, holds(), runs(), creation, progress(), unused);

  /** What the other worker has created for the comment. */
  async function begun(run: TestRun, pool: unknown = database.pool): Promise<string> {
    const id = await aRun(pool as Pool, at, run);
    await (pool as Pool).query('UPDATE work_manifests SET asked_by = $2 WHERE id = $1', [id, 'comment:1']);
    return id;
  }
  /** Carries the comment out while the other worker has the pull request locked, and creates a run. */
  async function beside(
    action: () => Promise<string[]>,
    run: TestRun,
  ): Promise<{ id: string; found: string[] }> {
    const lock = {
      text: 'SELECT FROM pull_requests WHERE repository_id = $1 AND number = 7 FOR UPDATE',
      values: [at.repository],
    };
    let id = '';
    const meanwhile = async (holder: unknown) => (id = await begun(run, holder));
    const { result } = await whileHeld(database.pool, lock, { action, meanwhile });
    return { id, found: result };
  }
  async function stateOf(id: string): Promise<unknown> {
    const { rows } = await database.pool.query('SELECT state FROM work_manifests WHERE id = $1', [id]);
    return rows[0]?.state;
  }

  it('is planned once, and its plan is not replaced by itself', async () => {
    const command = new PlanCommand(plans(), creation, runs(), work);
    const { id, found } = await beside(() => command.plan(change, REQUEST), { state: 'queued' });
    expect(found).toEqual([id]);
    expect(await stateOf(id)).toBe('queued');
  });

  const applying = (reasons: () => Promise<string[]>) =>
    new ApplyCommand(
      work,
      plans(),
      progress(),
      { reasons } as never,
      holds(),
      creation,
      runs(),
      new WaitingDrift(work, runs(), clock),
    );
  const apply = { ...REQUEST, isForced: false, appliesPlan: true };

  it.each(['queued', 'completed'] as const)('is applied once while its apply is %s', async (state) => {
    const command = applying(async () => []);
    const run: TestRun = { runType: 'apply', state };
    const { id, found } = await beside(() => command.apply(change, apply), run);
    expect(found).toEqual([id]);
    const { rows } = await database.pool.query('SELECT FROM dirspace_holds WHERE repository_id = $1', [
      at.repository,
    ]);
    expect(rows).toEqual([]);
  });

  it('is not refused for what the other worker has begun', async () => {
    let id = '';
    const command = applying(async () => {
      id = await begun({ runType: 'apply', state: 'queued' });
      return ['an apply is under way'];
    });
    expect(await command.apply(change, apply)).toEqual([id]);
  });

  describe('with `infrastate unlock`', () => {
    /** `permit`: called before anything is unlocked. */
    function answer(comment: string, { permit = nothing, record = nothing } = {}): Promise<void> {
      const transactions = { giveUpCommits: nothing } as never;
      const unlock = new UnlockCommand(
        work,
        holds(),
        progress(),
        new WaitingDrift(work, runs(), clock),
        transactions,
      );
      const permissions = {
        permit: async (_: unknown, __: unknown, asked: unknown) => {
          await permit();
          return asked;
        },
      } as never;
      const actions = new CommandActions(
        ...([unused, unused, unlock, permissions] as const),
        ...([unused, unused, unused, unused] as const),
      );
      const commands = new CommentCommands(
        work,
        { react: nothing, write: nothing } as never,
        { read: async () => change } as never,
        { isOneOf: async () => true } as never,
        actions,
        runs(),
        { record } as never,
        clock,
      );
      return commands.answer({
        ...{
          installation: { provider: 'github' },
          repository: { id: at.repository },
          tenantId: randomUUID(),
        },
        ...{ pullRequest: { number: 7 }, receivedAt: new Date() },
        comment: { id: comment, body: 'infrastate unlock', username: 'ada', createdAt: new Date() },
      } as never);
    }
    async function held(): Promise<number> {
      const { rows } = await database.pool.query('SELECT FROM dirspace_holds WHERE repository_id = $1', [
        at.repository,
      ]);
      return rows.length;
    }

    it('unlocks nothing when the service dies before it has recorded that', async () => {
      await aHold(database.pool, at, { dir: 'a' });
      const record = () => Promise.reject(new Error('killed'));
      await expect(answer('1', { record })).rejects.toThrow('killed');
      expect(await held()).toBe(1);
      await answer('1');
      expect(await held()).toBe(0);
    });

    it('unlocks once, and not what is held since', async () => {
      await aHold(database.pool, at, { dir: 'a' });
      let recorded = 0;
      const record = async () => void (recorded += 1);
      const permit = async () => {
        await answer('1', { record });
        expect(await held()).toBe(0);
        await aHold(database.pool, at, { dir: 'a' });
      };
      await answer('1', { permit, record });
      expect(await held()).toBe(1);
      expect(recorded).toBe(1);
    });
  });
});
