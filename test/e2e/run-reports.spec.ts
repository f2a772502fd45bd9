import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HostedGithubRepository } from '../support/hosted/github-repository.js';
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

  it('merges where the branch requires the status of the apply, and says once what keeps it from merging', async () => {
    const config = 'automerge: {enabled: true}\n';
    const repository = await aRepository('github', config);
    if (!(repository instanceof HostedGithubRepository)) throw new Error('a repository of GitHub was made');
    repository.repository.requiredStatuses.push('infrastate plan', 'infrastate apply');
    const first = await repository.open('first', { 'a/main.tf': '#' });
    await runs(repository, 0);
    await repository.comment(first, 'infrastate apply');
    // The first answer comes before the provider counts the new status.
    service.hosting.github.fail({ matches: /\/merge$/, status: 405 });
    await runs(repository, 1);
    expect(repository.isMerged(first)).toBe(true);
    expect(repository.comments(first).join()).not.toContain('refused to merge');
    await repository.announce(first, 'updated');
    const merges = () =>
      service.pool.query(
        `SELECT a.object_id AS of, u.type AS actor, a.data FROM audit_entries a JOIN users u ON u.id = a.actor_id
          WHERE a.action = 'pull-request.automerge'`,
      );
    const merged = {
      of: `${repository.owner}/${repository.name}#${first}`,
      actor: 'system',
      data: { provider: 'github', sha: repository.sha('first') },
    };
    expect((await merges()).rows).toEqual([merged]);

    repository.repository.requiredStatuses.push('lint');
    const second = await repository.open('second', { 'a/main.tf': '##' });
    await runs(repository, 2);
    await repository.comment(second, 'infrastate apply');
    await runs(repository, 3);
    expect(repository.isMerged(second)).toBe(false);
    const refusals = () => repository.comments(second).filter((text) => text.includes('refused to merge'));
    expect(refusals()).toHaveLength(1);
    expect((await merges()).rows).toEqual([merged]);
    expect(refusals()[0]).toContain('Required status check "lint" is expected.');
    await repository.comment(second, 'infrastate apply-autoapprove');
    await runs(repository, 4);
    expect(refusals()).toHaveLength(1);
  });

  it('asks anybody where a gate says so, and shows a gate no more that people of a team or role have met', async () => {
    const repository = await aRepository('github');
    repository.setRole('reader', 'read');
    service.hosting.github.teams.set('ops', ['ops-1']);
    const number = await repository.open('topic', { 'a/main.tf': '#' });
    const gates = [
      { token: 'all', any_of: ['*'] },
      { token: 'team', all_of: ['team:ops'] },
      { token: 'role', any_of: ['user:author', 'role:admin'], any_of_count: 2 },
    ];
    await runs(repository, 0, { gates });
    const shown = () => repository.comments(number).findLast((text) => text.includes('### ')) ?? '';
    for (const { token } of gates) expect(shown()).toContain(`infrastate gate approve ${token}\``);
    expect(await answers(repository, number, 'infrastate gate approve all', 'reader')).toContain('approved');
    expect(await answers(repository, number, 'infrastate gate approve team', 'ops-1')).toContain('approved');
    expect(await answers(repository, number, 'infrastate gate approve role')).toContain('approved');
    expect(await answers(repository, number, 'infrastate plan')).toBe('');
    await runs(repository, 1);
    expect(shown()).not.toContain('infrastate gate approve all`');
    expect(shown()).not.toContain('infrastate gate approve team`');
    // Its author is an admin too, and one person.
    expect(shown()).toContain('needs 1 of author, role:admin');
    expect(await answers(repository, number, 'infrastate apply')).toContain(
      'the gate `role` needs 1 of author, role:admin',
    );
  });

  it.each(['github', 'gitlab'] as const)(
    'reacts at %s before it reads what a command is about, and carries it out where no reaction is taken',
    async (provider) => {
      const repository = await aRepository(provider);
      const number = await repository.open('topic', { 'a/main.tf': '#' });
      await runs(repository, 0);
      const host = service.hosting[provider];
      const reaction = /^POST .*\/(reactions|award_emoji)$/;
      // Who speaks is read with the delivery, what they may and what it is about with the command.
      const read = /\/(collaborators|members|files|diffs|statuses)\b/;
      const id = provider === 'github' ? 830_000 : 840_000;
      const asked = async (of: number) => {
        const before = host.log.length;
        await repository.comment(number, 'infrastate plan', { id: of });
        return host.log.slice(before);
      };
      const first = await asked(id);
      expect(first.filter((line) => reaction.test(line))).toHaveLength(1);
      expect(first.findIndex((line) => reaction.test(line))).toBeLessThan(
        first.findIndex((line) => read.test(line)),
      );
      expect(repository.reactions(id)).toEqual(['eyes']);
      await runs(repository, 1);
      host.fail({ matches: reaction, status: 403, times: 10 });
      await asked(id + 1);
      host.healed();
      expect(repository.reactions(id + 1)).toEqual([]);
      await runs(repository, 2);
    },
  );

  it('asks the people and teams of a gate for a review, though it names somebody whom nobody knows', async () => {
    const repository = await aRepository('github');
    if (!(repository instanceof HostedGithubRepository)) throw new Error('a repository of GitHub was made');
    repository.setRole('reader', 'read');
    service.hosting.github.teams.set('ops', []);
    await repository.open('topic', { 'a/main.tf': '#' });
    const add_reviewers = ['user:reader', 'team:ops', 'user:nobody', 'author', 'role:admin'];
    await runs(repository, 0, { gates: [{ token: 'look', add_reviewers }] });
    expect(repository.repository.pulls[0]?.requested).toEqual({ users: ['reader'], teams: ['ops'] });
  });

  it('says what to change when the code host refuses to start a run', async () => {
    const repository = await aRepository('github', 'run: {workflow: absent.yml}\n');
    const number = await repository.open('topic', { 'a/main.tf': '#' });
    const comment = await service.eventually('the comment', () => repository.comments(number)[0]);
    expect(comment).toContain('`WORKFLOW_NOT_FOUND`');
    expect(comment).toContain('**What to do**: Commit the file that `infrastate ci github`');
  });
});
