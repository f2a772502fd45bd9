import type { HostedRepository } from './hosted-repository.js';
import type { HostedService } from './hosted-service.js';
import { PlayedRunner } from './played-runner.js';
import { expectWhole } from './whole.js';

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

  /** As if the minute had passed after which a dispatch without an answer is looked for. */
  private async passDispatchTime(): Promise<void> {
    await this.service.pool.query(
      `UPDATE work_manifests SET dispatched_at = dispatched_at - interval '2 minutes'
        WHERE repository_id = $1 AND dispatch_state = 'sending' AND dispatched_at > now() - interval '90 seconds'
          AND dispatched_at < now() - interval '5 seconds'`,
      [await this.service.repositoryId(this.repository)],
    );
  }

  private steps(): Record<LifeStep, Step> {
    const { service, repository } = this;
    const dispatched = (n: number) => async (): Promise<void> => {
      await service.eventually(`dispatch ${n}`, async () => {
        await this.passDispatchTime();
        return repository.dispatches().length > n;
      });
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

  /** Everything that happened is said once, every report is kept once, and nobody waits or holds. */
  async expectWhole(): Promise<void> {
    const { service, repository } = this;
    const runs = await expectWhole(service, repository);
    expect(repository.comments()).toHaveLength(2);
    for (const title of ['Plan succeeded', 'Apply succeeded'])
      expect(repository.comments().filter((text) => text.includes(title))).toHaveLength(1);
    const { rows } = await service.pool.query<{ id: string; steps: string[] }>(
      `SELECT work_manifest_id AS id, array_agg(step ORDER BY idx) AS steps FROM work_manifest_outputs
        WHERE work_manifest_id = ANY ($1) GROUP BY work_manifest_id`,
      [runs.map(({ id }) => id)],
    );
    const stepsOf = (run: string) => rows.find(({ id }) => id === run)?.steps;
    expect(runs.map(({ id, run_type, state }) => ({ run_type, state, steps: stepsOf(id) }))).toEqual([
      { run_type: 'plan', state: 'completed', steps: ['tf/init', 'tf/plan'] },
      { run_type: 'apply', state: 'completed', steps: ['tf/apply'] },
    ]);
  }
}
