import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HostedRepository } from '../support/hosted/hosted-repository.js';
import { HostedService } from '../support/hosted/hosted-service.js';
import { firstCallsFail, RealLife } from '../support/hosted/real-life.js';
import { PlayedRunner } from '../support/hosted/played-runner.js';
import { RealRunner } from '../support/hosted/real-runner.js';
import { DISTURBANCES } from '../support/call-proxy.js';

describe('A run whose machine is killed', () => {
  let service: HostedService;
  let home: string;

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'runner-kills-'));
    service = await HostedService.start(home);
  });
  afterAll(async () => {
    await service.stop();
    rmSync(home, { recursive: true, force: true });
  });

  const commentWith = (repository: HostedRepository, text: string, times = 1) =>
    service.eventually(
      `${times} comments with ${text}`,
      () => repository.comments().filter((each) => each.includes(text)).length === times,
    );
  const statusIs = (repository: HostedRepository, context: string, state: string) =>
    service.eventually(
      `${context} ${state}`,
      () => repository.statuses(repository.sha('topic'))[context]?.state === state,
    );

  async function rowsOf<Row extends object>(repository: HostedRepository, sql: string): Promise<Row[]> {
    const { rows } = await service.pool.query<Row>(sql, [await service.repositoryId(repository)]);
    return rows;
  }
  const holdsOf = (repository: HostedRepository) =>
    rowsOf<{ pull_number: number }>(
      repository,
      'SELECT pull_number FROM dirspace_holds WHERE repository_id = $1',
    );
  /** As if the runner had been silent for longer than it may. */
  const grownSilent = (repository: HostedRepository) =>
    rowsOf(
      repository,
      `UPDATE work_manifests SET heartbeat_at = heartbeat_at - interval '5 minutes'
        WHERE repository_id = $1 AND state = 'running'`,
    );

  const aJob = (repository: HostedRepository, n: number) =>
    RealRunner.start(service, repository, n, { home });

  it('is lost: a plan is planned again, an apply is looked at first, and nothing is applied by itself', async () => {
    const [state, log] = [join(home, 'killed.tfstate'), join(home, 'killed.log')];
    const slow = `terraform {
  backend "local" { path = ${JSON.stringify(state)} }
}
resource "terraform_data" "slow" {
  provisioner "local-exec" {
    command = "echo applied >> ${log}; test -e ${log}.go || sleep 300"
  }
}
`;
    const hooks = `hooks: {plan: {pre: [{type: run, cmd: [sh, -c, "test -e ${log}.plan || { echo waiting; sleep 300; }"]}]}}\n`;
    const repository = await service.repository({ 'a/main.tf': '', '.infrastate/config.yml': hooks });
    repository.setRole('author', 'write');
    const number = await repository.open('topic', { 'a/main.tf': slow });
    const plan = await aJob(repository, 0);
    await service.eventually('the hook', () => plan.output.includes('waiting'));
    await plan.killMachine();
    await grownSilent(repository);
    await commentWith(repository, 'RUN_LOST');
    await statusIs(repository, 'infrastate plan', 'failure');
    expect(await holdsOf(repository)).toEqual([]);

    execFileSync('touch', [`${log}.plan`]);
    await repository.comment(number, 'infrastate plan');
    expect((await service.ciJob(repository, 1)).code).toBe(0);
    await commentWith(repository, 'This plan is outdated');
    await commentWith(repository, 'Plan succeeded');
    await repository.comment(number, 'infrastate apply');
    const apply = await aJob(repository, 2);
    await service.eventually('the provisioner', () => existsSync(log));
    await apply.killMachine();
    await grownSilent(repository);
    await commentWith(repository, 'RUN_LOST');
    await statusIs(repository, 'infrastate apply', 'failure');
    expect(await holdsOf(repository)).toEqual([{ pull_number: number }]);
    await repository.comment(number, 'infrastate apply');
    await commentWith(repository, 'may still be running');
    expect(repository.dispatches()).toHaveLength(3);
    expect(readFileSync(log, 'utf8')).toBe('applied\n');

    // Somebody has looked: the lock of the local state is left, as with every backend.
    rmSync(join(home, '.killed.tfstate.lock.info'), { force: true });
    execFileSync('touch', [`${log}.go`]);
    await repository.comment(number, 'infrastate unlock');
    await commentWith(repository, 'Unlocked: 1');
    await repository.comment(number, 'infrastate plan');
    expect((await service.ciJob(repository, 3)).code).toBe(0);
    await commentWith(repository, 'This plan is outdated', 2);
    await commentWith(repository, 'Plan succeeded');
    await repository.comment(number, 'infrastate apply');
    expect((await service.ciJob(repository, 4)).code).toBe(0);
    await commentWith(repository, 'Apply succeeded');
    expect(repository.dispatches()).toHaveLength(5);
  }, 120_000);

  it('is not lost because the service was down for longer than a runner may be silent', async () => {
    const { api, hosting } = service;
    const repository = await service.repository({ 'a/main.tf': '' });
    repository.setRole('author', 'write');
    await repository.open('topic', { 'a/main.tf': '#' });
    const { inputs } = await service.dispatch(repository, 0);
    const runner = new PlayedRunner(service, inputs['work_token'] ?? '');
    await runner.initiate();
    await hosting.worker.kill9();
    await api.kill9();
    await grownSilent(repository);
    await api.restart();
    const silent = await rowsOf(
      repository,
      `SELECT id FROM work_manifests WHERE repository_id = $1 AND heartbeat_at < now() - interval '2 minutes'`,
    );
    expect(silent).toEqual([]);
    await service.revive(hosting.worker);
    await runner.results({ has_changes: false });
    await statusIs(repository, 'infrastate plan', 'success');
    expect(repository.comments().join('')).not.toContain('RUN_LOST');
  }, 240_000);

  it('is whole, and applied once, though every call of its runners fails the first time', async () => {
    const life = await RealLife.begin(service, { home });
    await life.liveThrough(firstCallsFail(DISTURBANCES));
    await life.expectWhole();
  }, 120_000);
});
