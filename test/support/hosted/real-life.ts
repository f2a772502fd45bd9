import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Call, CallProxy, type Fate } from '../call-proxy.js';
import { must } from '../identity.js';
import { anApiAlwaysPresent } from '../run-records.js';
import type { HostedRepository } from './hosted-repository.js';
import type { HostedService } from './hosted-service.js';
import { RealRunner } from './real-runner.js';
import { expectWhole } from './whole.js';

/** A call of a runner: of which run, what, and the how many-th of its kind. */
export interface CallPoint {
  run: 'plan' | 'apply';
  /** method and path below `/runner`, or below `/api/v1` with `…` for ids */
  call: string;
  nth: number;
}

/** Everything that a runner says of one plan and one apply; heartbeats come by time. */
export const CALL_POINTS: readonly CallPoint[] = (
  [
    [
      'plan',
      ['POST initiate', 'GET work', 'POST steps', 'PUT dirspaces/0/plan', 'POST steps', 'POST results'],
    ],
    [
      'apply',
      ['POST initiate', 'GET work', 'POST steps', 'GET dirspaces/0/plan', 'POST steps', 'POST results'],
    ],
  ] as const
).flatMap(([run, calls]) =>
  calls.map((call, index) => ({
    run,
    call,
    nth: calls.slice(0, index).filter((each) => each === call).length,
  })),
);

/** What a runner says of a plan and an apply of what changed, besides that. */
export const DELTA_CALL_POINTS: readonly CallPoint[] = [
  { run: 'plan', call: 'POST tx/…/preview', nth: 0 },
  { run: 'plan', call: 'POST actuator/results', nth: 0 },
  { run: 'apply', call: 'POST tx/…/commit', nth: 0 },
  { run: 'apply', call: 'POST actuator/results', nth: 0 },
];

function kindOf(path: string): string {
  return path.replace(/^\/api\/v1\/(runner\/)?/, '').replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '…');
}

interface NewestRun {
  run_type: 'plan' | 'apply';
  state: string;
  has_begun: boolean;
  has_changes: boolean | null;
}

/** Where its state is kept: in a file, or by the service, which is told the difference or the whole document. */
export type StateKeeping = 'file' | 'delta' | 'full';

interface LifeOptions {
  /** HOME of its runners */
  home: string;
  provider?: 'github' | 'gitlab';
  keeping?: StateKeeping;
}

/** A service that is killed goes down so long after a call was passed on to it. */
const KILL_DELAYS_MS = [0, 4, 15, 40];

/** One change from its pull request to its merge, planned and applied by the real client with real terraform. */
export class RealLife {
  private static count = 0;
  private readonly home: string;
  private readonly keeping: StateKeeping;
  /** of its state when the service keeps it */
  private readonly group: string;
  private readonly stateFile: string;
  private readonly appliedFile: string;
  private number = 0;
  /** where its runners find the service */
  private apiBase: string | undefined;
  private jobs = 0;

  private constructor(
    private readonly service: HostedService,
    readonly repository: HostedRepository,
    { home, keeping, group }: { home: string; keeping: StateKeeping; group: string },
  ) {
    const name = `life-${RealLife.count++}`;
    this.home = home;
    this.keeping = keeping;
    this.group = group;
    this.stateFile = join(home, `${name}.tfstate`);
    this.appliedFile = join(home, `${name}.applied`);
  }

  static async begin(
    service: HostedService,
    { home, provider = 'github', keeping = 'file' }: LifeOptions,
  ): Promise<RealLife> {
    const group = randomUUID();
    const config: Record<string, string> =
      keeping === 'file'
        ? {}
        : {
            '.infrastate/config.yml': `dirs:\n  a:\n    state: {group_id: ${group}}\n    mode: ${keeping}\n`,
          };
    const repository = await service.repository({ 'a/main.tf': '', ...config }, { provider });
    repository.setRole('author', 'write');
    const life = new RealLife(service, repository, { home, keeping, group });
    life.number = await repository.open('topic', { 'a/main.tf': life.configuration() });
    return life;
  }

  private configuration(): string {
    const backends: Record<StateKeeping, string> = {
      file: `terraform {
  backend "local" { path = ${JSON.stringify(this.stateFile)} }
}
`,
      delta: '',
      full: 'terraform {\n  backend "http" {}\n}\n',
    };
    return `${backends[this.keeping]}resource "terraform_data" "it" {
  provisioner "local-exec" { command = "echo applied >> ${this.appliedFile}" }
}
`;
  }

  /** Its runners reach the service through a connection that fails; what is called again arrives. */
  async liveThrough(fate: (call: Call) => Fate): Promise<void> {
    const proxy = await CallProxy.start(this.service.api.url, { fate });
    try {
      await this.planAndApply(proxy.url);
    } finally {
      proxy.stop();
    }
  }

  private async planAndApply(apiBase: string): Promise<void> {
    this.apiBase = apiBase;
    expect(await this.job()).toBe(0);
    await this.reported();
    await this.repository.comment(this.number, 'infrastate apply');
    expect(await this.job()).toBe(0);
    await this.reported();
  }

  /** The API is killed while it has the first call of each kind; answers the kinds. */
  async liveThroughKillsOfApi(): Promise<string[]> {
    const { api } = this.service;
    const seen = new Set<string>();
    let isBack: Promise<void> = Promise.resolve();
    const proxy = await CallProxy.start(api.url, {
      fate: async ({ method, path }): Promise<Fate> => {
        for (let awaited: unknown; awaited !== isBack; await awaited) awaited = isBack;
        const kind = `${method} ${kindOf(path)}`;
        if (seen.has(kind)) return 'pass';
        seen.add(kind);
        isBack = delay(KILL_DELAYS_MS[seen.size % KILL_DELAYS_MS.length])
          .then(() => api.kill9())
          .then(() => api.restart());
        return 'pass';
      },
    });
    try {
      await this.planAndApply(proxy.url);
    } finally {
      proxy.stop();
      await isBack;
    }
    return [...seen];
  }

  /** The machine of a runner is killed when it calls, before its call arrives or after it was answered; then people go on. */
  async killedAt({ run, call, nth }: CallPoint, when: 'before' | 'after'): Promise<void> {
    let seen = 0;
    /** the one that is killed, from its first call until its machine is down */
    let runner: RealRunner | undefined;
    let isKilled = false;
    const isIt = ({ method, path }: Call): boolean => `${method} ${kindOf(path)}` === call && seen++ === nth;
    // A plan is applied at the address that it was made at.
    const proxy = await CallProxy.start(this.service.api.url, {
      fate: async (each) => {
        if (!runner) return 'pass';
        if (isKilled) return 'lost-request';
        if (!isIt(each)) return 'pass';
        isKilled = true;
        if (when === 'before') await runner.killMachine();
        return when === 'before' ? 'lost-request' : 'lost-answer';
      },
      answered: async () => {
        if (isKilled) await runner?.killMachine();
      },
    });
    this.apiBase = proxy.url;
    try {
      if (run === 'apply') {
        expect(await this.job()).toBe(0);
        await this.reported();
        await this.repository.comment(this.number, 'infrastate apply');
      }
      runner = await this.startedJob();
      await runner.ended;
      runner = undefined;
      expect(isKilled).toBe(true);
      await this.goneSilent();
      await this.goOn();
    } finally {
      proxy.stop();
    }
  }

  /**
   * One apply, however many runs it took; state and records agree; everything is said once.
   *
   * @param isCommitted false: the apply was that of a killed runner, and the next one of its machine has reported it, or
   *   its writes are stored in a session that is committed after a day
   */
  async expectWhole({ isCommitted = true }: { isCommitted?: boolean } = {}): Promise<void> {
    await this.repository.merge(this.number);
    await expectWhole(this.service, this.repository);
    expect(readFileSync(this.appliedFile, 'utf8')).toBe('applied\n');
    const { resources } = await this.state();
    expect(resources.map(({ name }) => name)).toEqual(['it']);
    if (this.keeping === 'file') return;
    // What a runner did that was lost is a commit that failed: reported by the next runner of its machine, or given up.
    const { rows: transactions } = await this.service.pool.query<{ state: string }>(
      `SELECT t.state FROM transactions t JOIN transaction_states ts ON ts.tx_id = t.id
         JOIN states s ON s.id = ts.state_id WHERE s.group_id = $1 AND t.state NOT IN ('aborted', 'failed-committed')
          AND NOT (t.kind = 'session' AND t.state = 'open' AND t.written_at IS NOT NULL)`,
      [this.group],
    );
    expect(transactions).toEqual(isCommitted ? [{ state: 'committed' }] : []);
  }

  private async state(): Promise<{ resources: { name: string }[] }> {
    if (this.keeping === 'file')
      return JSON.parse(readFileSync(this.stateFile, 'utf8')) as { resources: { name: string }[] };
    return must(this.service.api, 'GET', `/states/backend/${this.group}`, { as: this.service.admin.token });
  }

  /** What somebody does who reads the comments, until the change is applied. */
  private async goOn(): Promise<void> {
    for (let tries = 0; tries < 6; tries++) {
      await this.reported();
      const newest = await this.newest();
      const isDone =
        newest.state === 'completed' && (newest.run_type === 'apply' || newest.has_changes === false);
      if (isDone) return;
      if (newest.run_type === 'plan' && newest.state === 'completed')
        await this.repository.comment(this.number, 'infrastate apply');
      else await this.afterLoss(newest);
      expect(await this.job()).toBe(0);
    }
    throw new Error('the change was never applied');
  }

  private async afterLoss({ run_type: runType, has_begun: hasBegun }: NewestRun): Promise<void> {
    const { service, repository, number } = this;
    const dispatched = repository.dispatches().length;
    const heldBy = await this.holders();
    if (runType === 'plan' || !hasBegun) {
      // It did nothing, and nobody is kept out by it.
      if (runType === 'apply')
        await service.eventually('the end of the hold', async () => (await this.holders()).length === 0);
      else expect(heldBy).toEqual([]);
      return repository.comment(number, `infrastate ${runType}`);
    }
    expect(heldBy).toEqual([number]);
    const said = (text: string) =>
      service.eventually(text, () => repository.comments(number).some((each) => each.includes(text)));
    await repository.comment(number, 'infrastate apply');
    await said('may still be running');
    expect(repository.dispatches()).toHaveLength(dispatched);
    await repository.comment(number, 'infrastate unlock');
    await said('Unlocked: 1');
    await repository.comment(number, 'infrastate plan');
  }

  private startedJob(): Promise<RealRunner> {
    return RealRunner.start(this.service, this.repository, this.jobs++, {
      home: this.home,
      apiBase: this.apiBase,
    });
  }

  private async job(): Promise<number | null> {
    const runner = await this.startedJob();
    const code = await runner.ended;
    if (code !== 0) process.stderr.write(runner.output);
    return code;
  }

  /** As if the time had passed in which a runner has to begin and to be heard of. */
  private async goneSilent(): Promise<void> {
    await anApiAlwaysPresent(this.service.pool);
    await this.service.pool.query(
      `UPDATE work_manifests SET heartbeat_at = heartbeat_at - interval '5 minutes', dispatched_at = dispatched_at - interval '2 hours'
        WHERE repository_id = $1 AND state IN ('queued', 'running')`,
      [await this.service.repositoryId(this.repository)],
    );
  }

  /** Until every run has ended, and what follows from it is done. */
  private async reported(): Promise<void> {
    const id = await this.service.repositoryId(this.repository);
    await this.service.eventually('the reports', async () => {
      const { rows } = await this.service.pool.query(
        'SELECT 1 FROM work_manifests WHERE repository_id = $1 AND reported_at IS NULL',
        [id],
      );
      return rows.length === 0;
    });
  }

  private async newest(): Promise<NewestRun> {
    const { rows } = await this.service.pool.query<NewestRun>(
      `SELECT m.run_type, m.state, m.started_at IS NOT NULL AS has_begun, d.has_changes
         FROM work_manifests m JOIN work_manifest_dirspaces d ON d.work_manifest_id = m.id
        WHERE m.repository_id = $1 ORDER BY m.created_at DESC LIMIT 1`,
      [await this.service.repositoryId(this.repository)],
    );
    const [row] = rows;
    if (!row) throw new Error('there is no run');
    return row;
  }

  private async holders(): Promise<number[]> {
    const { rows } = await this.service.pool.query<{ pull_number: number }>(
      'SELECT pull_number FROM dirspace_holds WHERE repository_id = $1',
      [await this.service.repositoryId(this.repository)],
    );
    return rows.map(({ pull_number: number }) => number);
  }
}

/** Each call fails the first time, in one way after the other; what is called again passes. */
export function firstCallsFail(ways: readonly Fate[], offset = 0): (call: Call) => Fate {
  const seen = new Set<string>();
  return ({ method, path, body }) => {
    const key = `${method} ${path} ${body.toString('latin1')}`;
    if (seen.has(key)) return 'pass';
    seen.add(key);
    const way = ways[(seen.size - 1 + offset) % ways.length] ?? 'pass';
    // Terraform itself does not ask again for a document that breaks off, only for an answer that never came.
    return way === 'cut-answer' && path.includes('/states/backend/') ? 'lost-answer' : way;
  };
}
