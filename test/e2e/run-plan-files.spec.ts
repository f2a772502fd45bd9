import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HostedRepository } from '../support/hosted/hosted-repository.js';
import { HostedService } from '../support/hosted/hosted-service.js';
import { PlayedRunner } from '../support/hosted/played-runner.js';

describe('Plan files', () => {
  let service: HostedService;
  let home: string;

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'run-plan-files-'));
    service = await HostedService.start(home);
  });
  afterAll(async () => {
    await service.stop();
    rmSync(home, { recursive: true, force: true });
  });

  async function aRepository(
    config = '',
    provider: 'github' | 'gitlab' = 'github',
  ): Promise<HostedRepository> {
    const files = { 'a/main.tf': '', 'b/main.tf': '', '.infrastate/config.yml': config };
    const repository = await service.repository(files, { provider });
    repository.setRole('author', 'admin');
    return repository;
  }

  const commentsWith = (repository: HostedRepository, text: string) =>
    repository.comments().filter((each) => each.includes(text)).length;
  const said = (repository: HostedRepository, text: string, times = 1) =>
    service.eventually(`${times} comments with ${text}`, () => commentsWith(repository, text) >= times);

  async function begun(repository: HostedRepository, n: number): Promise<PlayedRunner> {
    const { inputs } = await service.dispatch(repository, n);
    const runner = new PlayedRunner(service, inputs['work_token'] ?? '');
    await runner.initiate();
    return runner;
  }

  /** Plays dispatch `n`, a plan of the directories: each has a plan file. */
  async function plan(repository: HostedRepository, n: number, dirs: readonly string[]): Promise<void> {
    const runner = await begun(repository, n);
    for (const [position, dir] of dirs.entries()) await runner.plan(`plan ${n} of ${dir}`, position);
    await runner.succeedIn(dirs);
  }

  async function planned(repository: HostedRepository, dirs: readonly string[]): Promise<number> {
    const files = Object.fromEntries(dirs.map((dir) => [`${dir}/main.tf`, '# topic']));
    const number = await repository.open('topic', files);
    await plan(repository, 0, dirs);
    await said(repository, 'Plan succeeded');
    return number;
  }

  it('stay for directories that are applied later', async () => {
    const repository = await aRepository();
    const number = await planned(repository, ['a', 'b']);
    await repository.comment(number, 'infrastate apply dir:a');
    const first = await begun(repository, 1);
    expect(await first.readPlan()).toBe('plan 0 of a');
    await first.succeedIn(['a']);
    await said(repository, 'Apply succeeded');

    await repository.comment(number, 'infrastate apply dir:b');
    const second = await begun(repository, 2);
    expect((await second.work()).dirspaces).toMatchObject([{ dir: 'b', has_plan: true }]);
    expect(await second.readPlan()).toBe('plan 0 of b');
    await second.succeedIn(['b']);
    await said(repository, 'Apply succeeded', 2);
  });
});
