import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HostedRepository } from '../support/hosted/hosted-repository.js';
import { HostedService } from '../support/hosted/hosted-service.js';
import { PlayedRunner } from '../support/hosted/played-runner.js';
import { must } from '../support/identity.js';

interface Outcome {
  run_type: string;
  state: string;
  failed: boolean;
  dirspaces: { success?: boolean }[];
}

describe('What the records say of how a run ended', () => {
  let service: HostedService;
  let home: string;

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'run-outcomes-'));
    service = await HostedService.start(home);
  });
  afterAll(async () => {
    await service.stop();
    rmSync(home, { recursive: true, force: true });
  });

  async function begun(repository: HostedRepository, n: number): Promise<PlayedRunner> {
    const runner = new PlayedRunner(
      service,
      (await service.dispatch(repository, n)).inputs['work_token'] ?? '',
    );
    await runner.initiate();
    return runner;
  }

  /** The runs of a repository, newest first. */
  async function runsOf(repository: HostedRepository): Promise<Outcome[]> {
    const { rows } = await service.pool.query<{ id: string }>(
      'SELECT installation_id AS id FROM installations WHERE name = $1',
      [repository.owner],
    );
    const q = encodeURIComponent(`repo:${repository.name}`);
    const path = `/github/installations/${rows[0]?.id}/work-manifests?q=${q}`;
    const { work_manifests: runs } = await must<{ work_manifests: Outcome[] }>(service.api, 'GET', path, {
      as: service.admin.token,
    });
    return runs;
  }

  it('shows that a hook failed though the directory succeeded', async () => {
    const repository = await service.repository({ 'a/main.tf': '' }, { owner: 'hooked' });
    await repository.open('topic', { 'a/main.tf': '#' });
    const plan = await begun(repository, 0);
    await plan.plan('the plan');
    await plan.results({ has_changes: true }, { success: false });
    expect(await runsOf(repository)).toMatchObject([
      { run_type: 'plan', state: 'completed', failed: true, dirspaces: [{ success: true }] },
    ]);
  });

  it.each([true, false])('shows of a run without directories whether it succeeded: %s', async (success) => {
    const repository = await service.repository(
      { 'a/main.tf': '', '.infrastate/config.yml': 'indexer: {enabled: true}\n' },
      { owner: `indexed-${success}` },
    );
    await repository.open('topic', { 'a/main.tf': '#' });
    const index = await begun(repository, 0);
    await index.send('POST', 'results', { success, dirspaces: [] });
    expect((await runsOf(repository)).at(-1)).toMatchObject({
      run_type: 'index',
      state: 'completed',
      failed: !success,
      dirspaces: [],
    });
  });

  it('blames no hook when the directories of a run were not reported', async () => {
    const repository = await service.repository({ 'a/main.tf': '' }, { owner: 'silent' });
    await repository.open('topic', { 'a/main.tf': '#' });
    const plan = await begun(repository, 0);
    await plan.send('POST', 'results', { success: false, dirspaces: [] });
    expect(await runsOf(repository)).toMatchObject([{ state: 'completed', failed: true }]);
    const { rows } = await service.pool.query(
      'SELECT hooks_failed FROM work_manifests WHERE repository_id = $1',
      [await service.repositoryId(repository)],
    );
    expect(rows).toEqual([{ hooks_failed: false }]);
  });
});
