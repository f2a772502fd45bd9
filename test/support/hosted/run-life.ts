import type { HostedRepository } from './hosted-repository.js';
import type { HostedService } from './hosted-service.js';
import { PlayedRunner } from './played-runner.js';

export type Killed = 'api' | 'worker' | 'both';

/** What happens to a change from its pull request to the merge, in order. */
export const LIFE_STEPS = [
  ...([
    'opened',
    'dispatched',
    'initiated',
    'read',
    'prepared',
    'uploaded',
    'planned',
    'ended',
    'told',
  ] as const),
  ...(['commanded', 'apply dispatched', 'apply initiated', 'downloaded', 'applied', 'apply ended'] as const),
  ...(['apply told', 'merged'] as const),
] as const;
export type LifeStep = (typeof LIFE_STEPS)[number];

interface Step {
  act: () => Promise<unknown>;
  /** what a runner sends, it sends again when the answer was lost; `wait`: until the worker has done something */
  kind: 'runner' | 'webhook' | 'wait';
}

/** One plan and one apply of directory `a`, during which processes are killed. */
export class RunLife {
  private number = 0;
  private runner: PlayedRunner;

  constructor(
    private readonly service: HostedService,
    readonly repository: HostedRepository,
  ) {
    this.runner = new PlayedRunner(service, '');
  }

  /**
   * `killedAt` says whose `kill -9` comes with a step: a worker is dead while the step is acknowledged, an API dies after
   * it has answered, and the runner asks again. `isWorking`: the worker dies over the work that follows instead.
   */
  async live(
    killedAt: (step: LifeStep) => Killed | undefined,
    { isWorking = false }: { isWorking?: boolean } = {},
  ): Promise<void> {
    const steps = this.steps();
    for (const name of LIFE_STEPS) {
      const step = steps[name];
      const killed = killedAt(name);
      if (killed === undefined) await step.act();
      else if (isWorking) await this.killAtWork(step);
      else await this.killAround(step, killed);
      if (killed !== undefined && step.kind === 'runner') await step.act();
    }
  }

  private async killAround({ act, kind }: Step, killed: Killed): Promise<void> {
    const { api, hosting } = this.service;
    if (killed !== 'api') await hosting.worker.kill9();
    const acted = act();
    // With the worker dead, a webhook is acknowledged and nothing more.
    if (kind === 'webhook' && killed !== 'api')
      await this.service.eventually('the delivery', () => this.isWaiting());
    else if (kind !== 'wait') await acted;
    if (killed !== 'worker') {
      await api.kill9();
      await api.restart();
    }
    if (killed !== 'api') await this.service.revive(hosting.worker);
    await acted;
  }

  private async killAtWork({ act }: Step): Promise<void> {
    const { worker, github } = this.service.hosting;
    github.latencyMs = 200;
    const before = github.log.length;
    const acted = act();
    await this.service.eventually('work', () => github.log.length > before + 1);
    await worker.kill9();
    github.latencyMs = 0;
    await this.service.revive(worker);
    await acted;
  }

  private async isWaiting(): Promise<boolean> {
    const { rowCount } = await this.service.pool.query(
      `SELECT FROM webhook_deliveries WHERE state = 'received'`,
    );
    return (rowCount ?? 0) > 0;
  }

  private steps(): Record<LifeStep, Step> {
    const { service, repository } = this;
    const dispatched = (n: number) => async (): Promise<void> => {
      const { inputs } = await service.dispatch(repository, n);
      this.runner = new PlayedRunner(service, inputs['work_token'] ?? '');
    };
    const told = (text: string) => async (): Promise<void> => {
      await service.eventually(`a comment with ${text}`, () =>
        repository.comments().some((each) => each.includes(text)),
      );
    };
    const sent = (act: () => Promise<unknown>): Step => ({ act, kind: 'runner' });
    return {
      opened: {
        act: async () => (this.number = await repository.open('topic', { 'a/main.tf': '#' })),
        kind: 'webhook',
      },
      dispatched: { act: dispatched(0), kind: 'wait' },
      initiated: sent(() => this.runner.initiate()),
      read: sent(() => this.runner.send('GET', 'work')),
      prepared: sent(() => this.runner.step('tf/init', 'prepared', 0)),
      uploaded: sent(() => this.runner.plan('the plan')),
      planned: sent(() => this.runner.step('tf/plan', 'what is planned', 1)),
      ended: sent(() => this.runner.results({ has_changes: true })),
      told: { act: told('Plan succeeded'), kind: 'wait' },
      commanded: { act: () => repository.comment(this.number, 'infrastate apply'), kind: 'webhook' },
      'apply dispatched': { act: dispatched(1), kind: 'wait' },
      'apply initiated': sent(() => this.runner.initiate()),
      downloaded: sent(async () => expect(await this.runner.readPlan()).toBe('the plan')),
      applied: sent(() => this.runner.step('tf/apply', 'what was applied', 0)),
      'apply ended': sent(() => this.runner.results()),
      'apply told': { act: told('Apply succeeded'), kind: 'wait' },
      merged: { act: () => repository.merge(this.number), kind: 'webhook' },
    };
  }

  /** One dispatch and one comment of each run, one status of each context, every report once, and nobody waits or holds. */
  async expectWhole(): Promise<void> {
    const { service, repository } = this;
    const sha = repository.sha('topic');
    await service.eventually(
      'the statuses',
      () => repository.statuses(sha)['infrastate apply']?.state === 'success',
    );
    expect(repository.statuses(sha)['infrastate plan']?.state).toBe('success');
    expect(repository.dispatches()).toHaveLength(2);
    for (const title of ['Plan succeeded', 'Apply succeeded'])
      expect(repository.comments().filter((text) => text.includes(title))).toHaveLength(1);
    const id = await service.repositoryId(repository);
    const { rows } = await service.pool.query(
      `SELECT m.run_type, m.state, array_agg(o.step ORDER BY o.idx) AS steps
         FROM work_manifests m JOIN work_manifest_outputs o ON o.work_manifest_id = m.id
        WHERE m.repository_id = $1 GROUP BY m.id ORDER BY m.created_at`,
      [id],
    );
    expect(rows).toEqual([
      { run_type: 'plan', state: 'completed', steps: ['tf/init', 'tf/plan'] },
      { run_type: 'apply', state: 'completed', steps: ['tf/apply'] },
    ]);
    const left = await service.pool.query(
      `SELECT (SELECT count(*)::int FROM dirspace_holds WHERE repository_id = $1) AS holds,
              (SELECT count(*)::int FROM running_dirspaces WHERE repository_id = $1) AS running,
              (SELECT count(*)::int FROM webhook_deliveries WHERE state <> 'processed' AND event LIKE '%pull_request%') AS waiting,
              (SELECT count(*)::int FROM work_manifests WHERE repository_id = $1 AND state IN ('queued', 'running')) AS runs`,
      [id],
    );
    expect(left.rows).toEqual([{ holds: 0, running: 0, waiting: 0, runs: 0 }]);
  }
}
