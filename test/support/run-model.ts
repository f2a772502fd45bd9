import { randomBytes, randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import type { Principal } from '../../src/modules/access/index.js';
import { CommandRefused } from '../../src/modules/orchestration/commands/command-context.js';
import type { WorkManifestEntity } from '../../src/modules/orchestration/entities/work-manifest.entity.js';
import type { Change } from '../../src/modules/orchestration/planning/changes.js';
import type { QueueRequest } from '../../src/modules/orchestration/runs/run-queue.store.js';
import { runError } from '../../src/modules/orchestration/runs/work-manifest.machine.js';
import { dependenciesOf, dirspacesOf, parseRepoConfig } from '../../src/modules/repo-config/index.js';
import { AppError } from '../../src/platform/errors/index.js';
import type { TestDatabase } from './database.js';
import { type Action, expectPlans, type Pull, runParts, type Step, storePlans } from './run-model-parts.js';
import type { TestRepository } from './run-records.js';

export const DIRS = ['a', 'b', 'c'];
export const PULLS = [1, 2];
const DRIFT = 'drift: {enabled: true, schedules: {all: {schedule: hourly}}}\n';
/** Runs of the first repository are started by its CI; those of the second by machines of a pool, layer by layer. */
const CONFIGS = [
  parseRepoConfig(DRIFT, 'config.yml'),
  parseRepoConfig(`${DRIFT}run: {on: pool, pool: ours}\ndirs: {b: {depends_on: [a]}}\n`, 'config.yml'),
] as const;
/** Both have connections of their own. */
export const ACTORS = [0, 1] as const;

/** What people and runners do, over real connections; what it should come to is kept beside it. */
export class RunModel {
  now = Date.UTC(2026, 0, 1);
  readonly pulls = new Map<string, Pull>();
  /** `repository dir` to the pull request, or the run that reconciles drift, that holds it */
  readonly holds = new Map<string, number | string>();
  /** closed in the step at hand */
  private readonly closed: { repositoryId: string; number: number }[] = [];
  /** holds of closed pull requests that are being applied */
  private readonly endsWithApply = new Map<string, number>();
  /** those of them where an apply has begun since */
  private readonly begun = new Set<string>();
  readonly taken: string[] = [];
  readonly running: string[] = [];
  /** runs that had ended when a runner came to begin them */
  private readonly lost: string[] = [];
  /** what was dispatched and not offered again */
  private readonly dispatched = new Set<string>();
  /** what steps of one moment have changed of the holds: releases first, whoever was first, and what began last */
  private readonly changes: { rank: 0 | 1 | 2 | 3; apply: () => void }[] = [];
  /** commits whose layers matter */
  private readonly layered: string[] = [];
  private comments = 0;
  /** pull requests as they were before their newest push */
  private readonly outdated = new Map<string, Change>();
  private readonly parts: ReturnType<typeof runParts>;
  private readonly actors: ReturnType<typeof runParts>[];

  constructor(
    sources: readonly DataSource[],
    private readonly database: TestDatabase,
    readonly repositories: readonly TestRepository[],
    private readonly tenantId: string,
  ) {
    this.actors = sources.map((source) =>
      runParts(source, {
        now: () => new Date(this.now),
        branch: (place, schedule) => this.branch(place, schedule),
      }),
    );
    const [parts] = this.actors;
    if (!parts) throw new Error('nobody acts');
    this.parts = parts;
  }

  async act(action: Action): Promise<void> {
    this.now += 1000;
    if (action.do === 'wait') {
      this.now += action.seconds * 1000;
      await this.parts.upkeep.sweep({}, {} as never);
    } else if (action.do === 'late') await this.actLate(action.repo, action.pull);
    else if (action.do === 'together')
      await Promise.all(action.steps.map((step, at) => this.perform(step, ACTORS[at % ACTORS.length])));
    else await this.perform(action);
    await this.settle();
  }

  private async perform(step: Step, actor = 0): Promise<void> {
    const parts = this.actors[actor] ?? this.parts;
    switch (step.do) {
      case 'push':
        return this.push(step, parts);
      case 'take':
        await this.take(step.place, parts);
        return;
      case 'begin':
        return this.begin(step.n, parts);
      case 'finish':
        return this.finish(step, parts);
      case 'fail':
        return this.end(step.n, 'JOB_FAILED');
      case 'cancel':
        return this.end(step.n, 'CANCELLED');
      case 'reopen':
        return this.reopen(step.repo, step.pull, parts);
      case 'drift':
        await this.lookForDrift(step, parts);
        return;
      case 'plan':
      case 'apply':
      case 'force':
      case 'autoapprove':
      case 'unlock':
      case 'close':
      case 'merge':
      case 'again':
        return this.comment(step, parts);
    }
  }

  private async settle(): Promise<void> {
    for (const { apply } of this.changes.splice(0).toSorted((a, b) => a.rank - b.rank)) apply();
    await this.releaseClosed();
    await this.forgetEnded();
  }

  async take(place: 'ci' | 'pool', { queue, runs } = this.parts): Promise<boolean> {
    const pool = { tenantId: this.tenantId, name: 'ours' };
    const request: QueueRequest = place === 'pool' ? { place, pool } : { place };
    const id = await queue.take(request, randomBytes(32));
    if (id === undefined) return false;
    expect(this.dispatched).not.toContain(id);
    this.dispatched.add(id);
    await this.database.pool.query(`UPDATE work_manifests SET dispatch_state = 'sent' WHERE id = $1`, [id]);
    const run = await runs.find(id);
    const dirspaces = await runs.dirspaces(id);
    this.taken.push(id);
    if (run?.kind === 'drift' && run.runType === 'apply')
      this.changes.push({
        rank: 1,
        apply: () => {
          for (const { dir } of dirspaces) {
            const key = `${run.repositoryId} ${dir}`;
            expect(this.holds.has(key)).toBe(false);
            this.holds.set(key, id);
          }
        },
      });
    return true;
  }

  async begin(index: number, parts = this.parts): Promise<void> {
    const { runs } = parts;
    const id = this.taken[index % Math.max(this.taken.length, 1)];
    if (id === undefined) return;
    this.taken.splice(this.taken.indexOf(id), 1);
    if (!(await runs.move(id, 'start'))) {
      this.lost.push(id);
      return;
    }
    this.running.push(id);
    await expectPlans(parts, id);
    const keys = await this.keysOf(id);
    const pullNumber = (await runs.find(id))?.pullNumber;
    const apply = (): void => {
      for (const key of keys) if (this.holds.get(key) === pullNumber) this.begun.add(key);
    };
    this.changes.push({ rank: 3, apply });
  }

  async finish(
    report: { n: number; success: boolean; hasChanges: boolean; isTwice: boolean },
    parts = this.parts,
  ): Promise<void> {
    const { runs, runner, plans, leftovers } = parts;
    const id = this.running[report.n % Math.max(this.running.length, 1)];
    if (id === undefined) return;
    this.running.splice(this.running.indexOf(id), 1);
    const dirspaces = (await runs.dirspaces(id)).map(({ dir, workspace }) => ({
      dir,
      workspace,
      success: report.success,
      has_changes: report.hasChanges,
    }));
    const caller = { claims: { run: id } } as unknown as Principal;
    const results = { success: report.success, dirspaces };
    try {
      if (report.success && (await runs.find(id))?.runType === 'plan') await storePlans(parts, id);
      await Promise.all([
        runner.finish(caller, results),
        ...(report.isTwice ? [runner.finish(caller, results)] : []),
      ]);
    } catch (error) {
      // A push or a close of the same moment has ended it.
      if (!(error instanceof AppError) || error.id !== 'RUN_ENDED') throw error;
      this.lost.push(id);
      return;
    }
    this.changes.push({ rank: 0, apply: () => this.releaseReconcile(id) });
    const run = await runs.find(id);
    if (run?.state !== 'completed' || run.pullNumber === null) return;
    await leftovers.remove(run);
    // The next layer, as after each run that ended.
    const index = this.repositories.findIndex(({ repository }) => repository === run.repositoryId);
    const change = this.change(index, run.pullNumber);
    if (change.pullRequest.state === 'open' && change.pullRequest.sha === run.branchRef)
      await plans.plan(change, { trigger: `auto:${run.branchRef}`, username: 'author' });
  }

  private async lookForDrift(
    { repo: index, dirs, isReconciling }: Extract<Step, { do: 'drift' }>,
    { driftOf } = this.parts,
  ): Promise<void> {
    const tagQuery = dirs.map((dir) => `dir:${dir}`).join(' or ');
    const { createRuns } = await driftOf(tagQuery, isReconciling).prepare(
      this.change(index, 0).place,
      { name: 'all', schedule: 'daily', tagQuery, isReconciling, windowStart: null, windowEnd: null },
      new Date(this.now),
    );
    await createRuns();
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
            AND pull_number IS NOT NULL
          GROUP BY repository_id, pull_number HAVING count(*) > 1`,
      ),
    ).toEqual([]);
    // What looks for drift, and has not begun, waits nowhere that a pull request holds.
    expect(
      await rows(
        `SELECT m.id FROM work_manifests m JOIN work_manifest_dirspaces d ON d.work_manifest_id = m.id
           JOIN dirspace_holds h ON h.repository_id = d.repository_id AND h.dir = d.dir AND h.pull_number IS NOT NULL
          WHERE m.kind = 'drift' AND m.state = 'queued' AND (m.run_type = 'apply' OR m.dispatch_state IS NULL)`,
      ),
    ).toEqual([]);
    // What reconciles drift holds where it was sent to, to its end.
    expect(
      await rows(
        `SELECT m.id FROM work_manifests m JOIN work_manifest_dirspaces d ON d.work_manifest_id = m.id
           LEFT JOIN dirspace_holds h ON h.repository_id = d.repository_id AND h.dir = d.dir AND h.work_manifest_id = m.id
          WHERE m.kind = 'drift' AND m.run_type = 'apply' AND h.dir IS NULL
            AND (m.state = 'running' OR m.state = 'queued' AND m.dispatch_state IS NOT NULL)`,
      ),
    ).toEqual([]);
    const held = (await rows(
      'SELECT repository_id, dir, pull_number, work_manifest_id FROM dirspace_holds',
    )) as { repository_id: string; dir: string; pull_number: number | null; work_manifest_id: string }[];
    expect(
      Object.fromEntries(
        held.map((hold) => [`${hold.repository_id} ${hold.dir}`, hold.pull_number ?? hold.work_manifest_id]),
      ),
    ).toEqual(Object.fromEntries(this.holds));
    // A layer is planned when the one below is applied, or has nothing to apply.
    expect(
      await rows(
        `SELECT d.work_manifest_id FROM work_manifest_dirspaces d
          WHERE d.dir = 'b' AND d.pull_number IS NOT NULL AND d.sha = ANY ('{${this.layered.join(',')}}') AND NOT EXISTS (
            SELECT FROM work_manifest_dirspaces a
             WHERE a.repository_id = d.repository_id AND a.pull_number = d.pull_number AND a.sha = d.sha AND a.dir = 'a'
               AND a.success AND (a.run_type = 'apply' OR NOT a.has_changes))`,
      ),
    ).toEqual([]);
  }

  /** Runners that work come and do what waits, until nothing does. */
  async drain(): Promise<void> {
    for (let round = 0; round < 200; round++) {
      this.now += 1000;
      const isTaken = (await this.take('ci')) || (await this.take('pool'));
      await this.settle();
      while (this.taken.length > 0) await this.begin(0);
      if (this.running.length > 0)
        await this.finish({ n: 0, success: true, hasChanges: false, isTwice: false });
      else if (!isTaken) {
        // What a pull request holds is not looked at for drift.
        await this.parts.upkeep.sweep({}, {} as never);
        if (!(await this.hasWaiting())) break;
      }
      await this.settle();
    }
    expect(await this.hasWaiting()).toBe(false);
    const left = await this.database.pool.query('SELECT 1 FROM running_dirspaces');
    expect(left.rows).toEqual([]);
  }

  private async hasWaiting(): Promise<boolean> {
    const { rowCount } = await this.database.pool.query(
      `SELECT 1 FROM work_manifests WHERE state NOT IN ('completed', 'aborted') LIMIT 1`,
    );
    return rowCount !== 0;
  }

  private async push(
    { repo: index, pull: number, dirs }: { repo: number; pull: number; dirs: string[] },
    { plans } = this.parts,
  ): Promise<void> {
    const repository = this.at(index);
    const sha = randomUUID();
    const before = this.pulls.get(`${index} ${number}`);
    if (before && before.state !== 'open') return;
    const updatedAt = new Date(this.now);
    if (before) this.outdated.set(`${index} ${number}`, this.change(index, number));
    this.pulls.set(`${index} ${number}`, { sha, dirs, state: 'open', updatedAt });
    if (index === 1 && dirs.includes('a')) this.layered.push(sha);
    await this.database.pool.query(
      `INSERT INTO pull_requests (repository_id, installation_id, number, title, branch, sha, base_branch, base_sha, state, created_at, updated_at)
       VALUES ($1, $2, $3, 'x', 'topic', $4, 'main', 'b', 'open', now(), $5)
       ON CONFLICT (repository_id, number) DO UPDATE SET sha = excluded.sha, updated_at = excluded.updated_at`,
      [repository.repository, repository.installation, number, sha, updatedAt],
    );
    await plans.plan(this.change(index, number), { trigger: `auto:${sha}`, username: 'author' });
  }

  private async comment(
    {
      do: what,
      repo: index,
      pull: number,
      only = [],
    }: Exclude<Extract<Step, { pull: number }>, { do: 'push' | 'reopen' }>,
    { plans, planCommand, applyCommand, unlockCommand, closing, runs } = this.parts,
  ): Promise<void> {
    const of = this.pulls.get(`${index} ${number}`);
    if (of?.state !== 'open') return;
    const { repository: repositoryId } = this.at(index);
    const change = this.change(index, number);
    const tagQuery = only.map((dir) => `dir:${dir}`).join(' or ');
    const request = { username: 'author', trigger: `comment:${++this.comments}`, tagQuery };
    try {
      switch (what) {
        case 'again':
          await plans.plan(change, { trigger: `auto:${of.sha}`, username: 'author' });
          break;
        case 'plan':
          await planCommand.plan(change, request);
          break;
        case 'close':
        case 'merge':
          of.state = what === 'merge' ? 'merged' : 'closed';
          await this.recordEnd(repositoryId, number, what);
          for (const keepsPlans of [true, false]) await closing.close(repositoryId, number, { keepsPlans });
          this.closed.push({ repositoryId, number });
          break;
        case 'unlock':
          await unlockCommand.unlock(repositoryId, { numbers: [number], reconciled: change.changed });
          this.releaseHolds(repositoryId, number);
          await this.releaseReconciles(repositoryId, of.dirs);
          break;
        case 'apply':
        case 'force':
        case 'autoapprove': {
          const [id] = await applyCommand.apply(change, {
            ...request,
            isForced: what === 'force',
            appliesPlan: what === 'autoapprove',
          });
          const dirspaces = await runs.dirspaces(id ?? '');
          this.changes.push({
            rank: 2,
            apply: () => {
              for (const { dir } of dirspaces) this.hold(`${repositoryId} ${dir}`, number);
            },
          });
        }
      }
    } catch (error) {
      if (!(error instanceof CommandRefused)) throw error;
    }
  }

  /** What was planned before counts for nothing; what is still being applied is held until it has ended. */
  private async reopen(index: number, number: number, { plans } = this.parts): Promise<void> {
    const of = this.pulls.get(`${index} ${number}`);
    if (of?.state !== 'closed') return;
    of.state = 'open';
    of.updatedAt = new Date(++this.now);
    for (const key of this.keysHeldBy(this.at(index).repository, number)) this.endsWithApply.delete(key);
    await this.database.pool.query(
      `UPDATE pull_requests SET state = 'open', updated_at = $3 WHERE repository_id = $1 AND number = $2`,
      [this.at(index).repository, number, of.updatedAt],
    );
    const trigger = `reopened:${++this.comments}`;
    await plans.reopened({ repositoryId: this.at(index).repository, pullNumber: number }, of.updatedAt);
    await plans.plan(this.change(index, number), { trigger, username: 'author' });
  }

  private hold(key: string, number: number): void {
    const holder = this.holds.get(key) ?? number;
    // A hold of another pull request would have refused it; what would reconcile drift and has not begun gave way.
    if (typeof holder === 'number') expect(holder).toBe(number);
    if (holder !== number || !this.holds.has(key)) this.begun.delete(key);
    this.holds.set(key, number);
  }

  private async recordEnd(repositoryId: string, number: number, what: 'close' | 'merge'): Promise<void> {
    await this.database.pool.query(
      `UPDATE pull_requests SET state = $3, merge_seen_at = CASE WHEN $3 = 'merged' THEN $4::timestamptz END, closed_at = $4
        WHERE repository_id = $1 AND number = $2`,
      [repositoryId, number, what === 'merge' ? 'merged' : 'closed', new Date(this.now)],
    );
  }

  /** What was read of a pull request before its newest push: nothing is begun, held or ended for it. */
  private async actLate(index: number, number: number): Promise<void> {
    const change = this.outdated.get(`${index} ${number}`);
    if (change === undefined || this.pulls.get(`${index} ${number}`)?.state !== 'open') return;
    const runs = async () =>
      (await this.database.pool.query('SELECT id, state FROM work_manifests ORDER BY id')).rows as object[];
    const before = await runs();
    const request = { username: 'author', trigger: `comment:${++this.comments}`, tagQuery: '' };
    expect(await this.parts.plans.plan(change, { ...request, trigger: 'auto:late' })).toEqual([]);
    expect(await this.parts.plans.planAgain(change, change.changed, request)).toEqual([]);
    await expect(this.parts.planCommand.plan(change, request)).rejects.toBeInstanceOf(CommandRefused);
    const apply = { ...request, isForced: true, appliesPlan: true };
    await expect(this.parts.applyCommand.apply(change, apply)).rejects.toBeInstanceOf(CommandRefused);
    expect(await runs()).toEqual(before);
  }

  /** A job fails, or somebody cancels a run that is dispatched or begun. */
  private async end(index: number, error: 'JOB_FAILED' | 'CANCELLED'): Promise<void> {
    const among = error === 'CANCELLED' ? [...this.taken, ...this.running] : this.running;
    const id = among[index % Math.max(among.length, 1)];
    if (id !== undefined) await this.parts.runs.move(id, 'abort', runError(error));
  }

  private releaseHolds(repositoryId: string, number: number): void {
    for (const [key, holder] of this.holds)
      if (holder === number && key.startsWith(`${repositoryId} `)) this.holds.delete(key);
  }

  private releaseReconcile(id: string): void {
    for (const [key, holder] of this.holds) if (holder === id) this.holds.delete(key);
  }

  /** Somebody has looked at what runs left that reconciled drift and were given up. */
  private async releaseReconciles(repositoryId: string, dirs: readonly string[]): Promise<void> {
    for (const dir of dirs) {
      const holder = this.holds.get(`${repositoryId} ${dir}`);
      if (typeof holder === 'string' && (await this.parts.runs.find(holder))?.state === 'aborted')
        this.holds.delete(`${repositoryId} ${dir}`);
    }
  }

  /** What is being applied when its pull request is closed stays held until that has ended, or somebody has looked. */
  private async releaseClosed(): Promise<void> {
    for (const { repositoryId, number } of this.closed.splice(0))
      for (const key of this.keysHeldBy(repositoryId, number))
        if (await this.isApplying(key, number)) this.endsWithApply.set(key, number);
        else this.holds.delete(key);
    for (const [key, number] of this.endsWithApply) {
      const state = await this.newestApply(key, number);
      if (state === 'queued' || state === 'running') continue;
      if (state === 'completed' && this.holds.get(key) === number) this.holds.delete(key);
      this.endsWithApply.delete(key);
    }
  }

  private async isApplying(key: string, number: number): Promise<boolean> {
    const state = await this.newestApply(key, number);
    return state === 'queued' || state === 'running';
  }

  private async newestApply(key: string, number: number, condition = 'true'): Promise<string | undefined> {
    const [repositoryId, dir] = key.split(' ');
    const { rows } = await this.database.pool.query<{ state: string }>(
      `SELECT m.state FROM work_manifest_dirspaces d JOIN work_manifests m ON m.id = d.work_manifest_id
        WHERE d.repository_id = $1 AND d.dir = $2 AND d.pull_number = $3 AND d.run_type = 'apply' AND ${condition}
        ORDER BY d.created_at DESC LIMIT 1`,
      [repositoryId, dir, number],
    );
    return rows[0]?.state;
  }

  private isOpen(repositoryId: string, number: number): boolean {
    const index = this.repositories.findIndex(({ repository }) => repository === repositoryId);
    return this.pulls.get(`${index} ${number}`)?.state === 'open';
  }

  private keysHeldBy(repositoryId: string, number: number): string[] {
    return [...this.holds].flatMap(([key, holder]) =>
      holder === number && key.startsWith(`${repositoryId} `) ? [key] : [],
    );
  }

  /** Runners of runs that were ended, or offered to others, are told so. */
  private async forgetEnded(): Promise<void> {
    for (const list of [this.taken, this.running, this.lost])
      for (const id of [...list]) {
        const run = await this.parts.runs.find(id);
        const isOfferedAgain = run?.state === 'queued' && run.dispatchState === null;
        if (isOfferedAgain) this.dispatched.delete(id);
        else if (run?.state !== 'aborted') continue;
        list.splice(list.indexOf(id), 1);
        if (run.startedAt !== null) continue;
        this.releaseReconcile(id);
        if (run.runType === 'apply' && run.pullNumber !== null && !isOfferedAgain)
          await this.releaseUnbegun(run);
      }
    expect(this.lost).toEqual([]);
  }

  /** An apply that never began lets go of what no other one has begun in. */
  private async releaseUnbegun(run: WorkManifestEntity): Promise<void> {
    await this.parts.leftovers.remove(run);
    const { repositoryId, pullNumber } = run;
    for (const key of await this.keysOf(run.id)) {
      if (pullNumber === null || this.holds.get(key) !== pullNumber) continue;
      const isDone =
        !this.isOpen(repositoryId, pullNumber) &&
        !(await this.isApplying(key, pullNumber)) &&
        (await this.newestApply(key, pullNumber, 'm.started_at IS NOT NULL')) === 'completed';
      if (!this.begun.has(key) || isDone) this.holds.delete(key);
    }
  }

  /** Where an apply holds. */
  private async keysOf(id: string): Promise<string[]> {
    const run = await this.parts.runs.find(id);
    if (run?.runType !== 'apply' || run.pullNumber === null) return [];
    return (await this.parts.runs.dirspaces(id)).map(({ dir }) => `${run.repositoryId} ${dir}`);
  }

  private at(index: number): TestRepository {
    const repository = this.repositories[index];
    if (!repository) throw new Error('no such repository');
    return repository;
  }

  private branch({ repository: { id } }: Change['place'], all: object) {
    const index = this.repositories.findIndex(({ repository }) => repository === id);
    const { config: of, all: dirspaces } = this.change(index, 0);
    const config = { ...of, drift: { ...of.drift, enabled: true, schedules: { all } } };
    return { name: 'main', sha: 'b', look: { sha: 'b' }, config, dirspaces, stateGroups: new Set() };
  }

  private change(index: number, number: number): Change {
    const repository = this.at(index);
    const { sha, dirs, state, updatedAt } = this.pulls.get(`${index} ${number}`) ?? {
      sha: '',
      dirs: [],
      state: 'closed',
      updatedAt: new Date(0),
    };
    const config = CONFIGS[index] ?? CONFIGS[0];
    const all = dirspacesOf(DIRS, config);
    return {
      place: {
        installation: { id: repository.installation, provider: repository.provider },
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
        updatedAt,
        isDraft: false,
      },
      config,
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
