import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HostedGitlabRepository } from '../support/hosted/gitlab-repository.js';
import type { HostedRepository } from '../support/hosted/hosted-repository.js';
import { HostedService } from '../support/hosted/hosted-service.js';
import { PlayedRunner } from '../support/hosted/played-runner.js';

describe('What a run says at the code host, and what follows from it', () => {
  let service: HostedService;
  let home: string;

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'run-reports-'));
    service = await HostedService.start(home);
  });
  afterAll(async () => {
    await service.stop();
    rmSync(home, { recursive: true, force: true });
  });

  async function aRepository(provider: 'github' | 'gitlab', config = ''): Promise<HostedRepository> {
    const files = { 'a/main.tf': '', '.infrastate/config.yml': config };
    const repository = await service.repository(files, { provider });
    repository.setRole('author', 'admin');
    return repository;
  }

  /** Does the nth run of a repository; until the service has said how it ended. */
  async function runs(
    repository: HostedRepository,
    n: number,
    results: object = {},
    steps: readonly object[] = [],
  ): Promise<void> {
    const { inputs } = await service.dispatch(repository, n);
    const runner = new PlayedRunner(service, inputs['work_token'] ?? '');
    await runner.initiate();
    if (steps.length > 0) await runner.send('POST', 'steps', { steps });
    const dirspaces = [{ dir: 'a', workspace: 'default', success: true, has_changes: true }];
    await runner.send('POST', 'results', { success: true, dirspaces, ...results });
    await service.eventually('the report', async () => {
      const { rowCount } = await service.pool.query(
        'SELECT 1 FROM work_manifests WHERE repository_id = $1 AND reported_at IS NOT NULL',
        [await service.repositoryId(repository)],
      );
      return rowCount === n + 1;
    });
  }

  /** What the service answers to a comment. */
  async function answers(
    repository: HostedRepository,
    number: number,
    text: string,
    username = 'author',
  ): Promise<string> {
    const before = repository.comments().length;
    await repository.comment(number, text, { username });
    return repository.comments().slice(before).join('\n');
  }

  it('does nothing at GitLab that the output of a hook asks for', async () => {
    const config = 'apply_requirements: {approved: {enabled: true}}\n';
    const repository = await aRepository('gitlab', config);
    if (!(repository instanceof HostedGitlabRepository)) throw new Error('a project of GitLab was made');
    const number = await repository.open('topic', { 'a/main.tf': '#' });
    const asked = '/approve\n/merge\n> /approve\n- /merge\n/title taken over\n/close';
    const fence = ['````', '```', asked, '```', '````'].join('\n');
    const steps = ['raw', 'markdown', 'code'].map((format, seq) => ({
      ...{ seq, scope: { type: 'run', flow: 'hooks', subflow: 'post' }, step: 'run', state: 'success' },
      ...{ format, visible_on: 'always', payload: { text: `${asked}\n${fence}\n\`\n${asked}` } },
    }));
    await runs(repository, 0, {}, steps);
    expect(repository.comments(number)[0]).toContain('/approve');
    expect(repository.project.mergeRequests[0]).toMatchObject({
      ...{ state: 'opened', title: 'Change topic', approvedBy: [] },
    });
    expect(await answers(repository, number, 'infrastate apply')).toContain('1 more approval needed');
  });
});
