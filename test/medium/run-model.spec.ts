import { rounds } from '../support/endurance.js';
import { randomBytes, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type { DataSource } from 'typeorm';
import type { Principal } from '../../src/modules/access/index.js';
import { ApplyCommand } from '../../src/modules/orchestration/commands/apply.command.js';
import { CommandRefused } from '../../src/modules/orchestration/commands/command-context.js';
import { PlanCommand } from '../../src/modules/orchestration/commands/plan.command.js';
import { UnlockCommand } from '../../src/modules/orchestration/commands/unlock.command.js';
import type { WorkManifestEntity } from '../../src/modules/orchestration/entities/work-manifest.entity.js';
import { RunUpkeep } from '../../src/modules/orchestration/dispatching/run-upkeep.job.js';
import type { Change } from '../../src/modules/orchestration/planning/changes.js';
import { PullRequestPlans } from '../../src/modules/orchestration/planning/pull-request-plans.js';
import { RunCreation } from '../../src/modules/orchestration/planning/run-creation.js';
import { PullRequestClosing } from '../../src/modules/orchestration/reacting/pull-request-closing.js';
import { RunnerService } from '../../src/modules/orchestration/running/runner.service.js';
import { Holds } from '../../src/modules/orchestration/runs/holds.store.js';
import { RunLeftovers } from '../../src/modules/orchestration/runs/run-leftovers.js';
import { RunProgress } from '../../src/modules/orchestration/runs/run-progress.queries.js';
import { RunQueue } from '../../src/modules/orchestration/runs/run-queue.store.js';
import { Runs } from '../../src/modules/orchestration/runs/runs.store.js';
import { runError } from '../../src/modules/orchestration/runs/work-manifest.machine.js';
import { DEFAULT_CONFIG, dependenciesOf, dirspacesOf } from '../../src/modules/repo-config/index.js';
import { PullRequestsStore } from '../../src/modules/vcs/repositories/pull-requests.store.js';
import type { Config } from '../../src/platform/config/index.js';
import { Secrets } from '../../src/platform/crypto/secrets.js';
import { UnitOfWork } from '../../src/platform/database/index.js';
import { connectedSource, freshDatabase, type TestDatabase } from '../support/database.js';
import { aRepository, type TestRepository } from '../support/run-records.js';

const DIRS = ['a', 'b', 'c'];
const PULLS = [1, 2, 3];
const SETTINGS: Readonly<Record<string, unknown>> = {
  SERVICE_RUNS_PER_INSTALLATION: 4,
  SERVICE_RUN_START_SECONDS: 3600,
  SERVICE_RUN_LOST_SECONDS: 120,
  SERVICE_RUN_MAX_SECONDS: 21_600,
  SERVICE_ORCHESTRATION_ENABLED: true,
};

type Action =
  | { do: 'push'; repo: number; pull: number; dirs: string[] }
  | {
      do: 'plan' | 'apply' | 'force' | 'autoapprove' | 'unlock' | 'close' | 'again';
      repo: number;
      pull: number;
    }
  | { do: 'take' }
  | { do: 'begin'; n: number }
  | { do: 'finish'; n: number; success: boolean; hasChanges: boolean; isTwice: boolean }
  | { do: 'fail'; n: number }
  | { do: 'wait'; seconds: number };

const repo = fc.nat({ max: 1 });
const pull = fc.constantFrom(...PULLS);
const n = fc.nat({ max: 5 });
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('push' as const),
      repo,
      pull,
      dirs: fc.subarray(DIRS, { minLength: 1 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom('plan', 'apply', 'apply', 'force', 'autoapprove', 'unlock', 'close', 'again'),
      repo,
      pull,
    }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('take' as const) }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('begin' as const), n }) },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('finish' as const),
      n,
      success: fc.boolean(),
      hasChanges: fc.boolean(),
      isTwice: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('fail' as const), n }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      seconds: fc.constantFrom(1, 100, 200, 4000, 30_000),
    }),
  },
);

interface Pull {
  sha: string;
  dirs: string[];
  state: 'open' | 'closed';
}

/** What people and runners do, over real connections; what it should come to is kept beside it. */
class Model {
  now = Date.UTC(2026, 0, 1);
  readonly pulls = new Map<string, Pull>();
  /** `repository dir` to the pull request that holds it */
  readonly holds = new Map<string, number>();
  /** those of them where an apply has begun since */
  private readonly begun = new Set<string>();
  readonly taken: string[] = [];
  readonly running: string[] = [];
  private comments = 0;
  private readonly parts;

  constructor(
    private readonly source: DataSource,
    private readonly database: TestDatabase,
    readonly repositories: readonly TestRepository[],
  ) {
    const clock = { now: () => new Date(this.now) } as never;
    const work = new UnitOfWork(source);
    const config = { get: (name: string) => SETTINGS[name] } as unknown as Config;
    const jobs = { enqueue: () => Promise.resolve() } as never;
    const runs = new Runs(
      work,
      clock,
      new Secrets(),
      { publish: () => Promise.resolve() } as never,
      new PullRequestsStore(work),
    );
    const transactions = {
      abortReplaced: () => Promise.resolve(),
      abortOfRun: () => Promise.resolve(),
      abortOfPullRequest: () => Promise.resolve(),
    } as never;
    const creation = new RunCreation(runs, jobs, transactions);
    const progress = new RunProgress(work);
    const holds = new Holds(work, clock);
    const plans = new PullRequestPlans(runs, creation, progress);
    const queue = new RunQueue(work, clock, config);
    const requirements = { reasons: () => Promise.resolve([]) } as never;
    this.parts = {
      runs,
      plans,
      queue,
      leftovers: new RunLeftovers(runs, {} as never, transactions, holds),
      planCommand: new PlanCommand(plans, creation, runs, work),
      applyCommand: new ApplyCommand(work, plans, progress, requirements, holds, creation, runs),
      unlockCommand: new UnlockCommand(work, holds, progress),
      closing: new PullRequestClosing(work, runs, holds, transactions),
      runner: new RunnerService(work, clock, config, runs, {} as never, {} as never, {} as never),
      upkeep: new RunUpkeep(work, clock, config, runs, queue, {} as never, {} as never, jobs),
    };
  }

  async act(step: Action): Promise<void> {
    this.now += 1000;
    switch (step.do) {
      case 'push':
        return this.push(step.repo, step.pull, step.dirs);
      case 'take':
        await this.take();
        return;
      case 'begin':
        return this.begin(step.n);
      case 'finish':
        return this.finish(step);
      case 'fail':
        return this.fail(step.n);
      case 'wait':
        this.now += step.seconds * 1000;
        await this.parts.upkeep.sweep({}, {} as never);
        return this.forgetEnded();
      case 'plan':
      case 'apply':
      case 'force':
      case 'autoapprove':
      case 'unlock':
      case 'close':
      case 'again':
        return this.comment(step);
    }
  }

  async take(): Promise<boolean> {
    const id = await this.parts.queue.take({ place: 'ci' }, randomBytes(32));
    if (id === undefined) return false;
    expect(this.taken).not.toContain(id);
    expect(this.running).not.toContain(id);
    await this.database.pool.query(`UPDATE work_manifests SET dispatch_state = 'sent' WHERE id = $1`, [id]);
    this.taken.push(id);
    return true;
  }

  async begin(index: number): Promise<void> {
    const id = this.taken[index % Math.max(this.taken.length, 1)];
    if (id === undefined) return;
    this.taken.splice(this.taken.indexOf(id), 1);
    if (!(await this.parts.runs.move(id, 'start'))) return;
    this.running.push(id);
    for (const key of await this.keysOf(id)) this.begun.add(key);
  }

  async finish(report: {
    n: number;
    success: boolean;
    hasChanges: boolean;
    isTwice: boolean;
  }): Promise<void> {
    const id = this.running[report.n % Math.max(this.running.length, 1)];
    if (id === undefined) return;
    this.running.splice(this.running.indexOf(id), 1);
    const dirspaces = (await this.parts.runs.dirspaces(id)).map(({ dir, workspace }) => ({
      dir,
      workspace,
      success: report.success,
      has_changes: report.hasChanges,
    }));
    const caller = { claims: { run: id } } as unknown as Principal;
    for (let sent = 0; sent < (report.isTwice ? 2 : 1); sent++)
      await this.parts.runner.finish(caller, { success: report.success, dirspaces });
  }

  /** What must be true at every moment. */
  async check(): Promise<void> {
    const rows = async (sql: string) => (await this.database.pool.query<Record<string, unknown>>(sql)).rows;
    // Who is dispatched or runs occupies its dirspaces; an apply alone.
    expect(
      await rows(
        `SELECT a.id FROM work_manifests a JOIN work_manifest_dirspaces d ON d.work_manifest_id = a.id
           LEFT JOIN running_dirspaces r ON r.work_manifest_id = a.id AND r.dir = d.dir
          WHERE (a.state = 'running' OR a.dispatch_state IS NOT NULL AND a.state = 'queued') <> (r.dir IS NOT NULL)`,
      ),
    ).toEqual([]);
    expect(
      await rows(
        `SELECT a.dir FROM running_dirspaces a JOIN running_dirspaces b USING (repository_id, dir, workspace)
          WHERE a.work_manifest_id <> b.work_manifest_id AND a.mode = 'apply'`,
      ),
    ).toEqual([]);
    // Nothing is applied but what was planned, with changes, for that commit.
    expect(
      await rows(
        `SELECT a.id FROM work_manifests a JOIN work_manifest_dirspaces d ON d.work_manifest_id = a.id
           LEFT JOIN work_manifests p ON p.id = d.plan_from
           LEFT JOIN work_manifest_dirspaces pd ON pd.work_manifest_id = p.id AND pd.dir = d.dir
          WHERE a.run_type = 'apply' AND NOT a.applies_plan
            AND (p.branch_ref IS DISTINCT FROM a.branch_ref OR p.state <> 'completed' OR pd.success IS NOT TRUE
              OR pd.has_changes IS NOT TRUE OR p.pull_number <> a.pull_number)`,
      ),
    ).toEqual([]);
    // One apply of a pull request at a time, and it holds what it applies.
    expect(
      await rows(
        `SELECT repository_id FROM work_manifests WHERE run_type = 'apply' AND state IN ('queued', 'running')
          GROUP BY repository_id, pull_number HAVING count(*) > 1`,
      ),
    ).toEqual([]);
    const held = (await rows('SELECT repository_id, dir, pull_number FROM dirspace_holds')) as {
      repository_id: string;
      dir: string;
      pull_number: number;
    }[];
    expect(
      Object.fromEntries(held.map((hold) => [`${hold.repository_id} ${hold.dir}`, hold.pull_number])),
    ).toEqual(Object.fromEntries(this.holds));
  }

  /** Runners that work come and do what waits, until nothing does. */
  async drain(): Promise<void> {
    for (let round = 0; round < 200; round++) {
      this.now += 1000;
      const isTaken = await this.take();
      while (this.taken.length > 0) await this.begin(0);
      if (this.running.length > 0)
        await this.finish({ n: 0, success: true, hasChanges: false, isTwice: false });
      else if (!isTaken) break;
    }
    const { rows } = await this.database.pool.query(
      `SELECT id, run_type, state FROM work_manifests WHERE state NOT IN ('completed', 'aborted')`,
    );
    expect(rows).toEqual([]);
    const left = await this.database.pool.query('SELECT 1 FROM running_dirspaces');
    expect(left.rows).toEqual([]);
  }

  private async push(index: number, number: number, dirs: string[]): Promise<void> {
    const repository = this.at(index);
    const sha = randomUUID();
    const before = this.pulls.get(`${index} ${number}`);
    if (before?.state === 'closed') return;
    this.pulls.set(`${index} ${number}`, { sha, dirs, state: 'open' });
    await this.database.pool.query(
      `INSERT INTO pull_requests (repository_id, installation_id, number, title, branch, sha, base_branch, base_sha, state, created_at, updated_at)
       VALUES ($1, $2, $3, 'x', 'topic', $4, 'main', 'b', 'open', now(), now())
       ON CONFLICT (repository_id, number) DO UPDATE SET sha = excluded.sha`,
      [repository.repository, repository.installation, number, sha],
    );
    await this.parts.plans.plan(this.change(index, number), { trigger: `auto:${sha}`, username: 'author' });
    await this.forgetEnded();
  }

  private async comment({
    do: what,
    repo: index,
    pull: number,
  }: Exclude<Extract<Action, { repo: number }>, { do: 'push' }>): Promise<void> {
    const of = this.pulls.get(`${index} ${number}`);
    if (of?.state !== 'open') return;
    const { repository: repositoryId } = this.at(index);
    const change = this.change(index, number);
    const request = { username: 'author', trigger: `comment:${++this.comments}`, tagQuery: '' };
    try {
      switch (what) {
        case 'again':
          await this.parts.plans.plan(change, { trigger: `auto:${of.sha}`, username: 'author' });
          break;
        case 'plan':
          await this.parts.planCommand.plan(change, request);
          break;
        case 'close':
          await this.parts.closing.close(repositoryId, number, { keepsPlans: false });
          of.state = 'closed';
          this.releaseHolds(repositoryId, number);
          break;
        case 'unlock':
          await this.parts.unlockCommand.unlock(repositoryId, { numbers: [number], reconciled: [] });
          this.releaseHolds(repositoryId, number);
          break;
        case 'apply':
        case 'force':
        case 'autoapprove': {
          const [id] = await this.parts.applyCommand.apply(change, {
            ...request,
            isForced: what === 'force',
            appliesPlan: what === 'autoapprove',
          });
          for (const { dir } of await this.parts.runs.dirspaces(id ?? '')) {
            const key = `${repositoryId} ${dir}`;
            // A hold of another pull request would have refused it.
            expect(this.holds.get(key) ?? number).toBe(number);
            if (!this.holds.has(key)) this.begun.delete(key);
            this.holds.set(key, number);
          }
        }
      }
    } catch (error) {
      if (!(error instanceof CommandRefused)) throw error;
    }
    await this.forgetEnded();
  }

  private async fail(index: number): Promise<void> {
    const id = this.running[index % Math.max(this.running.length, 1)];
    if (id !== undefined) await this.parts.runs.move(id, 'abort', runError('JOB_FAILED'));
    await this.forgetEnded();
  }

  private releaseHolds(repositoryId: string, number: number): void {
    for (const [key, holder] of this.holds)
      if (holder === number && key.startsWith(`${repositoryId} `)) this.holds.delete(key);
  }

  /** Runners of runs that were ended are told so. */
  private async forgetEnded(): Promise<void> {
    for (const list of [this.taken, this.running])
      for (const id of [...list]) {
        const run = await this.parts.runs.find(id);
        if (run?.state !== 'aborted') continue;
        list.splice(list.indexOf(id), 1);
        if (run.runType === 'apply' && run.startedAt === null) await this.releaseUnbegun(run);
      }
  }

  /** An apply that never began lets go of what no other one has begun in. */
  private async releaseUnbegun(run: WorkManifestEntity): Promise<void> {
    await this.parts.leftovers.remove(run);
    for (const key of await this.keysOf(run.id)) if (!this.begun.has(key)) this.holds.delete(key);
  }

  /** Where an apply holds. */
  private async keysOf(id: string): Promise<string[]> {
    const run = await this.parts.runs.find(id);
    if (run?.runType !== 'apply') return [];
    return (await this.parts.runs.dirspaces(id)).map(({ dir }) => `${run.repositoryId} ${dir}`);
  }

  private at(index: number): TestRepository {
    const repository = this.repositories[index];
    if (!repository) throw new Error('no such repository');
    return repository;
  }

  private change(index: number, number: number): Change {
    const repository = this.at(index);
    const { sha, dirs, state } = this.pulls.get(`${index} ${number}`) ?? {
      sha: '',
      dirs: [],
      state: 'closed',
    };
    const all = dirspacesOf(DIRS, DEFAULT_CONFIG);
    return {
      place: {
        installation: { id: repository.installation, provider: 'github' },
        repository: { id: repository.repository, owner: 'octo', name: repository.name },
      },
      pullRequest: {
        number,
        title: 'x',
        username: 'author',
        branch: 'topic',
        sha,
        baseBranch: 'main',
        baseSha: 'b',
        state,
        isDraft: false,
      },
      config: DEFAULT_CONFIG,
      refusal: undefined,
      trustedStateGroups: new Set(),
      all,
      changed: all.filter(({ dir }) => dirs.includes(dir)),
      dependencies: dependenciesOf(all),
      origins: {},
      awaits: undefined,
    } as unknown as Change;
  }
}

describe('Runs of any order', () => {
  let database: TestDatabase;
  let source: DataSource;

  beforeAll(async () => {
    database = await freshDatabase();
    source = await connectedSource(database);
  });
  afterAll(async () => {
    await source.destroy();
    await database.drop();
  });

  it('exclude each other, apply only what was planned, hold what they applied, and all come to an end', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 10, maxLength: 60 }), async (actions) => {
        await database.pool.query('DELETE FROM installations');
        const tenantId = randomUUID();
        await database.pool.query(`INSERT INTO tenants (id, name) VALUES ($1, $2)`, [tenantId, tenantId]);
        const model = new Model(source, database, [
          await aRepository(database.pool, tenantId),
          await aRepository(database.pool, tenantId),
        ]);
        for (const step of actions) {
          await model.act(step);
          await model.check();
        }
        await model.drain();
        await model.check();
      }),
      { numRuns: Number(process.env['RUN_MODEL_RUNS'] ?? rounds(12, 100)), endOnFailure: true },
    );
  }, 240_000);
});
