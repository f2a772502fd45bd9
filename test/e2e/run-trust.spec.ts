import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HostedRepository } from '../support/hosted/hosted-repository.js';
import { HostedService } from '../support/hosted/hosted-service.js';
import { PlayedRunner } from '../support/hosted/played-runner.js';

const PROVIDERS = ['github', 'gitlab'] as const;
const STAGING = 'destination_branches: [main, staging]\n';

describe('What a pull request gives itself', () => {
  let service: HostedService;
  let home: string;

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'run-trust-'));
    service = await HostedService.start(home);
  });
  afterAll(async () => {
    await service.stop();
    rmSync(home, { recursive: true, force: true });
  });

  async function aRepository(
    config: string,
    provider: (typeof PROVIDERS)[number] = 'github',
  ): Promise<HostedRepository> {
    const repository = await service.repository(
      { 'a/main.tf': '', '.infrastate/config.yml': config },
      { provider },
    );
    repository.setRole('author', 'write');
    repository.setRole('ops', 'admin');
    return repository;
  }

  const replyWith = (repository: HostedRepository, number: number, text: string) =>
    service.eventually(`a comment with ${text}`, () =>
      repository.comments(number).find((each) => each.includes(text)),
    );

  async function begun(repository: HostedRepository, n: number): Promise<PlayedRunner> {
    const { inputs } = await service.dispatch(repository, n);
    const runner = new PlayedRunner(service, inputs['work_token'] ?? '');
    await runner.initiate();
    return runner;
  }

  async function rowsOf<Row extends object>(repository: HostedRepository, sql: string): Promise<Row[]> {
    const { rows } = await service.pool.query<Row>(sql, [await service.repositoryId(repository)]);
    return rows;
  }

  /** The nth run is a plan with changes; until its comment stands, and a second longer: providers round to seconds. */
  async function planned(repository: HostedRepository, n: number, text = 'the plan'): Promise<void> {
    const runner = await begun(repository, n);
    await runner.plan(text);
    await runner.results({ has_changes: true });
    await service.eventually('the comment', async () => {
      const [row] = await rowsOf<{ isRead: boolean }>(
        repository,
        `SELECT bool_and(reported_at IS NOT NULL AND comment_at < now() - interval '1 second') AS "isRead"
           FROM work_manifests WHERE repository_id = $1 AND run_type = 'plan' AND state = 'completed'`,
      );
      return row?.isRead;
    });
  }

  it('another tag takes no requirement of the base branch away, and adds those of its own', async () => {
    const config = (tag: string) =>
      `dirs: {a: {tags: [${tag}]}}\napply_requirements: {checks: [
        {tag_query: prod, approved: {enabled: true, any_of: ["user:ops"]}},
        {tag_query: strict, approved: {enabled: true, all_of: ["user:boss"]}}]}\n`;
    const repository = await aRepository(config('prod'));
    const number = await repository.open('topic', {
      'a/main.tf': '#',
      '.infrastate/config.yml': config('harmless'),
    });
    await planned(repository, 0);
    await repository.comment(number, 'infrastate apply');
    await replyWith(repository, number, '1 more approval needed');
    repository.commit('topic', { '.infrastate/config.yml': config('strict') });
    await repository.announce(number, 'updated');
    await planned(repository, 1);
    await repository.comment(number, 'infrastate apply');
    const both = await replyWith(repository, number, 'user:boss');
    expect(both).toContain('1 more approval needed');
    repository.approvals(number, ['ops', 'boss']);
    await repository.comment(number, 'infrastate apply');
    await begun(repository, 2);
  });

  it.each(PROVIDERS)(
    'at %s another base branch has to be planned for, and its plan is none of the first one',
    async (provider) => {
      const repository = await aRepository(`${STAGING}access_control: {apply: ["role:admin"]}\n`, provider);
      repository.commit('staging', { '.infrastate/config.yml': STAGING });
      const number = await repository.open('topic', { 'a/main.tf': '#' });
      await planned(repository, 0, 'merged with main');
      await repository.comment(number, 'infrastate apply');
      await replyWith(repository, number, 'may not do this');
      await repository.retarget(number, 'staging');
      await service.dispatch(repository, 1);
      await repository.comment(number, 'infrastate apply');
      await replyWith(repository, number, 'nothing is planned with changes');
      await planned(repository, 1, 'merged with staging');
      await repository.comment(number, 'infrastate apply');
      expect(await (await begun(repository, 2)).readPlan()).toBe('merged with staging');
    },
  );

  it('unlocks nothing that the base branch of its apply protects', async () => {
    const repository = await aRepository(
      `${STAGING}access_control: {apply: ["role:admin"], unlock: ["role:admin"]}\n`,
    );
    repository.commit('staging', { '.infrastate/config.yml': STAGING });
    const held = await repository.open('topic', { 'a/main.tf': '#' });
    await planned(repository, 0);
    await repository.comment(held, 'infrastate apply', { username: 'ops' });
    await (await begun(repository, 1)).results();
    const holds = () => rowsOf(repository, 'SELECT FROM dirspace_holds WHERE repository_id = $1');
    const own = await repository.open('own', { 'z/main.tf': '#' }, { base: 'staging' });
    await repository.comment(own, `infrastate unlock ${held}`);
    await replyWith(repository, own, '`access_control.unlock` of `main`');
    // Whoever may write may choose another base for the pull request of somebody else.
    await repository.retarget(held, 'staging');
    await repository.comment(held, 'infrastate unlock');
    await replyWith(repository, held, '`access_control.unlock` of `main`');
    expect(await holds()).toHaveLength(1);
    await repository.comment(own, `infrastate unlock ${held}`, { username: 'ops' });
    await replyWith(repository, own, 'Unlocked: 1 directory');
    expect(await holds()).toEqual([]);
  });

  it('unlocks what an aborted apply left, also where runs are switched off by now', async () => {
    const repository = await aRepository('access_control: {unlock: ["role:admin"]}\n');
    const number = await repository.open('topic', { 'a/main.tf': '#' });
    await planned(repository, 0);
    await repository.comment(number, 'infrastate apply');
    await begun(repository, 1);
    await repository.close(number);
    await repository.jobFailed((await service.dispatch(repository, 1)).runId);
    const holds = () => rowsOf(repository, 'SELECT FROM dirspace_holds WHERE repository_id = $1');
    await service.eventually('the end', async () => {
      const ended = "SELECT FROM work_manifests WHERE repository_id = $1 AND state = 'aborted'";
      return (await rowsOf(repository, ended)).length === 1;
    });
    expect(await holds()).toHaveLength(1);
    repository.commit('main', {
      '.infrastate/config.yml': 'enabled: false\naccess_control: {unlock: ["role:admin"]}\n',
    });
    await repository.comment(number, 'infrastate plan');
    await replyWith(repository, number, 'Nothing is run: the configuration of the base branch');
    await repository.comment(number, 'infrastate repo-config');
    const shown = await replyWith(repository, number, 'enabled: false  # base');
    expect(shown).toMatch(/^Nothing is run: /);
    await repository.comment(number, 'infrastate unlock');
    await replyWith(repository, number, 'may not do this: `unlock` is for `role:admin`');
    expect(await holds()).toHaveLength(1);
    await repository.comment(number, 'infrastate unlock', { username: 'ops' });
    await replyWith(repository, number, 'Unlocked: 1 directory');
    expect(await holds()).toEqual([]);
  });

  it('unlocks nothing by the word of a base branch that the default branch does not name, nor of a fork', async () => {
    const repository = await aRepository('access_control: {unlock: ["role:admin"]}\n');
    const held = await repository.open('topic', { 'a/main.tf': '#' });
    await planned(repository, 0);
    await repository.comment(held, 'infrastate apply');
    await (await begun(repository, 1)).results();
    repository.commit('mine', {
      '.infrastate/config.yml': "destination_branches: ['**']\naccess_control: {unlock: ['*']}\n",
    });
    const own = await repository.open('own', { 'z/main.tf': '#' }, { base: 'mine' });
    for (const command of ['unlock', `unlock ${held}`]) {
      const before = repository.comments(own).length;
      await repository.comment(own, `infrastate ${command}`);
      const reply = await service.eventually('the reply', () => repository.comments(own)[before]);
      expect(reply).toContain('`access_control.unlock` of `main`');
    }
    const fork = await repository.open('fork', { 'z/main.tf': '##' }, { isFork: true });
    for (const command of [`unlock ${held}`, 'repo-config']) {
      const before = repository.comments(fork).length;
      await repository.comment(fork, `infrastate ${command}`, { username: 'ops' });
      const reply = await service.eventually('the reply', () => repository.comments(fork)[before]);
      expect(reply).toContain('Nothing is run: pull requests from forks are never run.');
    }
    expect(await rowsOf(repository, 'SELECT FROM dirspace_holds WHERE repository_id = $1')).toHaveLength(1);
  });

  it.each(PROVIDERS)('at %s the approval of somebody who may not write is none', async (provider) => {
    const repository = await aRepository('apply_requirements: {approved: {enabled: true}}\n', provider);
    const number = await repository.open('topic', { 'a/main.tf': '#' });
    await planned(repository, 0);
    repository.approvals(number, ['stranger']);
    await repository.comment(number, 'infrastate apply');
    await replyWith(repository, number, '1 more approval needed');
    expect(repository.dispatches()).toHaveLength(1);
    repository.approvals(number, ['stranger', 'ops']);
    await repository.comment(number, 'infrastate apply');
    await begun(repository, 1);
  });

  it('gives no runner the token of a GitLab group that clones with the token of its job', async () => {
    const repository = await aRepository('', 'gitlab');
    await repository.open('topic', { 'a/main.tf': '#' });
    const { inputs, env } = await service.dispatch(repository, 0);
    const runner = new PlayedRunner(service, inputs['work_token'] ?? '');
    const fields = { runner: { version: '0.1.0', protocol: 1, has_checkout: true } };
    await runner.initiate(fields);
    expect((await runner.work()).checkout).toMatchObject({ username: '', password: '' });
    await runner.initiate(fields);
    expect((await runner.work()).checkout.password).toBe('');
    await runner.results({ has_changes: false });

    await repository.comment(1, 'infrastate plan');
    expect(await service.ciJob(repository, 1)).toMatchObject({ code: 0 });
    const { gitUsers } = service.hosting.gitlab;
    expect([...gitUsers]).toEqual([new URL(env['CI_REPOSITORY_URL'] ?? '').username]);
  });
});
