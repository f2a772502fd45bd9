import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Call, CallProxy, type Fate } from '../call-proxy.js';
import type { HostedRepository } from './hosted-repository.js';
import type { HostedService } from './hosted-service.js';
import { RealRunner } from './real-runner.js';
import { expectWhole } from './whole.js';

/** A call of a runner: of which run, what, and the how many-th of its kind. */
export interface CallPoint {
  run: 'plan' | 'apply';
  /** method and path below `/runner` */
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

interface NewestRun {
  run_type: 'plan' | 'apply';
  state: string;
  has_begun: boolean;
  has_changes: boolean | null;
}

/** One change from its pull request to its merge, planned and applied by the real client with real terraform. */
export class RealLife {
  private static count = 0;
  private readonly home: string;
  private readonly stateFile: string;
  private readonly appliedFile: string;
  private number = 0;
  private jobs = 0;

  private constructor(
    private readonly service: HostedService,
    readonly repository: HostedRepository,
    home: string,
  ) {
    const name = `life-${RealLife.count++}`;
    this.home = home;
    this.stateFile = join(home, `${name}.tfstate`);
    this.appliedFile = join(home, `${name}.applied`);
  }

  static async begin(
    service: HostedService,
    { home, provider = 'github' }: { home: string; provider?: 'github' | 'gitlab' },
  ): Promise<RealLife> {
    const repository = await service.repository({ 'a/main.tf': '' }, { provider });
    repository.setRole('author', 'write');
    const life = new RealLife(service, repository, home);
    life.number = await repository.open('topic', {
      'a/main.tf': `terraform {
  backend "local" { path = ${JSON.stringify(life.stateFile)} }
}
resource "terraform_data" "it" {
  provisioner "local-exec" { command = "echo applied >> ${life.appliedFile}" }
}
`,
    });
    return life;
  }

  /** Its runners reach the service through a connection that fails; what is called again arrives. */
  async liveThrough(fate: (call: Call) => Fate): Promise<void> {
    const proxy = await CallProxy.start(this.service.api.url, { fate });
    try {
      expect(await this.job({ apiBase: proxy.url })).toBe(0);
      await this.reported();
      await this.repository.comment(this.number, 'infrastate apply');
      expect(await this.job({ apiBase: proxy.url })).toBe(0);
      await this.reported();
    } finally {
      proxy.stop();
    }
  }

  /** The machine of a runner is killed when it calls, before its call arrives or after it was answered; then people go on. */
  async killedAt({ run, call, nth }: CallPoint, when: 'before' | 'after'): Promise<void> {
    if (run === 'apply') {
      expect(await this.job({})).toBe(0);
      await this.reported();
      await this.repository.comment(this.number, 'infrastate apply');
    }
    let seen = 0;
    let runner: RealRunner | undefined;
    const isIt = ({ method, path }: Call): boolean =>
      `${method} ${path.replace(/^.*\/runner\//, '')}` === call && seen++ === nth;
    let isKilled = false;
    const proxy = await CallProxy.start(this.service.api.url, {
      fate: async (each) => {
        if (isKilled) return 'lost-request';
        if (!isIt(each)) return 'pass';
        isKilled = true;
        if (when === 'before') await runner?.killMachine();
        return when === 'before' ? 'lost-request' : 'lost-answer';
      },
      answered: async () => {
        if (isKilled) await runner?.killMachine();
      },
    });
    runner = await RealRunner.start(this.service, this.repository, this.jobs++, {
      home: this.home,
      apiBase: proxy.url,
    });
    await runner.ended;
    proxy.stop();
    expect(isKilled).toBe(true);
    await this.goneSilent();
    await this.goOn();
  }

  /** One apply, however many runs it took; state and records agree; everything is said once. */
  async expectWhole(): Promise<void> {
    await this.repository.merge(this.number);
    await expectWhole(this.service, this.repository);
    expect(readFileSync(this.appliedFile, 'utf8')).toBe('applied\n');
    const { resources } = JSON.parse(readFileSync(this.stateFile, 'utf8')) as {
      resources: { name: string }[];
    };
    expect(resources.map(({ name }) => name)).toEqual(['it']);
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
      expect(await this.job({})).toBe(0);
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

  private async job(of: { apiBase?: string }): Promise<number | null> {
    const runner = await RealRunner.start(this.service, this.repository, this.jobs++, {
      home: this.home,
      ...of,
    });
    const code = await runner.ended;
    if (code !== 0) process.stderr.write(runner.output);
    return code;
  }

  /** As if the time had passed in which a runner has to begin and to be heard of. */
  private async goneSilent(): Promise<void> {
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
    return ways[(seen.size - 1 + offset) % ways.length] ?? 'pass';
  };
}
