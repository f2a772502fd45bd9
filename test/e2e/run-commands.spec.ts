import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HostedRepository } from '../support/hosted/hosted-repository.js';
import { HostedGitlabRepository } from '../support/hosted/gitlab-repository.js';
import { HostedService } from '../support/hosted/hosted-service.js';
import { PlayedRunner } from '../support/hosted/played-runner.js';

describe('Comments on a pull request', () => {
  let service: HostedService;
  let home: string;

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'run-commands-'));
    service = await HostedService.start(home);
  });
  afterAll(async () => {
    await service.stop();
    rmSync(home, { recursive: true, force: true });
  });
  // A test that fails leaves no refusal of the provider to the next one.
  afterEach(() => {
    for (const host of [service.hosting.github, service.hosting.gitlab]) host.healed();
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
    for (let at = 0; at < steps.length; at += 100)
      await runner.send('POST', 'steps', { steps: steps.slice(at, at + 100) });
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

  async function namesOf(repository: HostedRepository) {
    const { rows } = await service.pool.query<{ installation: string; project: string }>(
      `SELECT i.installation_id AS installation, r.provider_id AS project
         FROM repositories r JOIN installations i ON i.id = r.installation_id WHERE r.id = $1`,
      [await service.repositoryId(repository)],
    );
    return rows[0] ?? { installation: '', project: '' };
  }

  async function runIds(repository: HostedRepository): Promise<string[]> {
    const { rows } = await service.pool.query<{ id: string }>(
      'SELECT id FROM work_manifests WHERE repository_id = $1 ORDER BY created_at',
      [await service.repositoryId(repository)],
    );
    return rows.map(({ id }) => id);
  }

  it('say of 300 directories what there is room for, and how many are planned', async () => {
    const count = 300;
    const dirs = Array.from({ length: count }, (_, n) => `env/service-${n}`);
    const files = (text: string) => Object.fromEntries(dirs.map((dir) => [`${dir}/main.tf`, text]));
    const repository = await service.repository({
      ...files(''),
      '.infrastate/config.yml': 'when_modified: {autoplan: false}\n',
    });
    repository.setRole('author', 'admin');
    const number = await repository.open('topic', files('#'));
    const status = (context: string) => repository.statuses(repository.sha('topic'))[context];
    const only = '; only 49 of them have their own status';
    expect(status('infrastate plan')).toMatchObject({
      state: 'success',
      description: `0 of ${count} directories planned${only}`,
    });
    const results = (of: readonly string[]) => ({
      dirspaces: of.map((dir) => ({ dir, workspace: 'default', success: true, has_changes: true })),
    });
    await repository.comment(number, 'infrastate plan dir:env/service-7');
    await runs(repository, 0, results(['env/service-7']));
    expect(status('infrastate plan')).toMatchObject({
      state: 'success',
      description: `1 of ${count} directories planned${only}`,
    });
    expect(status('infrastate apply')?.state).toBe('pending');
    await repository.comment(number, 'infrastate plan');
    const steps = dirs.map((dir, seq) => ({
      ...{ seq, scope: { type: 'dirspace', dir, workspace: 'default' }, step: 'tf/plan', state: 'success' },
      payload: { text: '', plan: `+ resource of ${dir}\n${'x'.repeat(2_000)}\n`, has_changes: true },
    }));
    await runs(repository, 1, results(dirs), steps);
    expect(status('infrastate plan')?.description).toBe(`${count} directories planned${only}`);
    expect(status('infrastate plan: env/service-1 default')?.state).toBe('success');
    expect(status('infrastate plan: env/service-99 default')).toBeUndefined();
    const [first, second = ''] = repository.comments(number);
    expect(first).toContain('This plan is outdated');
    const shown = second.match(/^<details>/gm)?.length ?? 0;
    expect(second).toContain(`**Not shown here**: the output of ${count - shown} directories.`);
    expect(second.match(/^```$/gm)).toHaveLength(2 * shown);
    const links = second.split('\n').at(-1);
    expect(links).toContain(`/runs/${(await runIds(repository))[1]})`);
  }, 120_000);

  it.each([
    ['github', 10],
    ['github', 3000],
    ['gitlab', 3000],
  ] as const)(
    'cost 12 requests at most at %s for 100 files among %i directories, until everything stands',
    async (provider, count) => {
      const others = Array.from({ length: count }, (_, n) => [`other/${n}/main.tf`, '']);
      const files = { 'a/main.tf': '', ...(Object.fromEntries(others) as Record<string, string>) };
      const repository = await service.repository(files, { provider });
      const changed = Array.from({ length: 100 }, (_, n) => [`a/file-${n}.tf`, '#']);
      const host = service.hosting[provider];
      const id =
        repository instanceof HostedGitlabRepository ? `projects/${repository.project.id}/` : repository.name;
      const asked = () => host.requests(new RegExp(`/(${id}|access_tokens|repositories)`));
      // The repository and its default branch are known: a push tells of them.
      await repository.pushed();
      const before = asked().length;
      const number = await repository.open('topic', Object.fromEntries(changed) as Record<string, string>);
      await service.dispatch(repository, 0);
      const statuses = () => repository.statuses(repository.sha('topic'));
      await service.eventually('the statuses', () => statuses()['infrastate plan: a default'] !== undefined);
      await service.eventually('the apply’s status', () => statuses()['infrastate apply'] !== undefined);
      expect(asked().slice(before).length).toBeLessThanOrEqual(12);
      expect(repository.comments(number)).toEqual([]);
    },
  );

  it.each(['github', 'gitlab'] as const)(
    'cost 12 requests at %s for a repository that no process has read, and at GitLab a page for each 100 entries',
    async (provider) => {
      const dirs = Array.from({ length: 300 }, (_, n) => [`other/${n}/main.tf`, '']);
      const files = { 'a/main.tf': '', ...(Object.fromEntries(dirs) as Record<string, string>) };
      const repository = await service.repository(files, { provider });
      const host = service.hosting[provider];
      const before = host.requests(/./).length;
      await repository.open('topic', { 'a/main.tf': '#' });
      await service.dispatch(repository, 0);
      const statuses = () => repository.statuses(repository.sha('topic'));
      await service.eventually('the apply’s status', () => statuses()['infrastate apply'] !== undefined);
      const asked = host.requests(/./).slice(before);
      const pages = asked.filter((request) => /repository\/tree\?.*page=[2-9]/.test(String(request)));
      // 300 directories with a file each, two more for `a`, the folder above and the workflow or pipeline file.
      expect(pages.length).toBe(provider === 'gitlab' ? 6 : 0);
      expect(asked.length - pages.length).toBeLessThanOrEqual(12);
    },
  );

  describe.each(['github', 'gitlab'] as const)('at %s', (provider) => {
    it('are answered once each: a reaction, a reply to what was refused, and a row in the audit', async () => {
      const repository = await aRepository(provider);
      const number = await repository.open('topic', { 'a/main.tf': '#' });
      const [taken, refused] = ['eyes', 'confused'];
      let id = provider === 'github' ? 810_000 : 820_000;

      /** Says something, twice over; answers the comment's id. */
      async function says(text: string, reaction?: string, reply?: string, username = 'author') {
        id += 1;
        const before = repository.comments().length;
        await repository.comment(number, text, { id, username });
        await repository.comment(number, text, { id, username });
        const said = repository.comments().slice(before);
        expect([text, repository.reactions(id)]).toEqual([text, reaction === undefined ? [] : [reaction]]);
        expect([text, said.length]).toEqual([text, reply === undefined ? 0 : 1]);
        expect(said[0] ?? '').toContain(reply ?? '');
        return id;
      }

      await runs(repository, 0, { gates: [{ token: 'ok', any_of: ['author'] }] });
      const { installation, project } = await namesOf(repository);
      const base = `${service.api.url}/installations/${provider}/${installation}`;
      const statuses = () => repository.statuses(repository.sha('topic'));
      const [planned] = await runIds(repository);
      for (const context of ['infrastate plan', 'infrastate plan: a default'])
        expect(statuses()[context]).toMatchObject({
          state: 'success',
          targetUrl: `${base}/runs/${planned}`,
        });
      // Nothing is applied yet: all of the pull request's runs are on its page.
      expect(statuses()['infrastate apply']).toMatchObject({
        state: 'pending',
        targetUrl: `${base}/pull-requests/${project}/${number}`,
      });
      await says('infrastate apply', taken, '@stranger may not do this', 'stranger');
      await says('infrastate apply', taken, 'the gate `ok` needs 1 of author');
      const expected: [string, number][] = [];
      expected.push(['apply-force', await says('infrastate apply-force', taken)]);
      await runs(repository, 1);
      expected.push(['plan', await says('tofu plan', taken)]);
      expect(repository.comments(number)[0]).toContain('To apply: comment `infrastate apply`');
      await runs(repository, 2);
      // The plan before is of the same commit, and nobody can apply it any more.
      expect(repository.comments(number)[0]).toBe(
        `This plan is outdated; a newer one takes its place. [Details](${base}/runs/${planned})`,
      );
      await says('infrastate gate approve other', taken, 'no such gate');
      await repository.comment(number, 'infrastate gate approve ok', {
        writtenAt: new Date(Date.now() - 600_000),
      });
      expect(repository.comments().at(-1)).toContain('The gate is newer than the comment');
      expected.push(['gate-approve', await says('infrastate gate approve ok', taken, 'approved the gate')]);
      expected.push(['apply', await says('terraform apply dir:a', taken)]);
      await says('infrastate unlock', taken, `an apply of #${number} is under way`);
      await runs(repository, 3);
      const applied = (await runIds(repository))[3];
      for (const context of ['infrastate apply', 'infrastate apply: a default'])
        expect(statuses()[context]).toMatchObject({
          state: 'success',
          targetUrl: `${base}/runs/${applied}`,
        });
      expected.push(['unlock', await says('infrastate unlock', taken, 'Unlocked: 1 directory')]);
      expected.push(['apply-autoapprove', await says('infrastate apply-autoapprove', taken)]);
      await runs(repository, 4);
      await says('infrastate help', taken, 'Write a comment with one of these');
      await says('infrastate repo-config', taken, 'access_control');
      await says('infrastate dance', refused, '`dance` is not a command');
      await says('infrastate apply not legacy', refused, 'no directory has the tag `legacy`');
      for (const sentence of [
        'infrastate is great',
        'Terraform apply worked for me',
        'terraform apply not now',
      ])
        await says(sentence, undefined, undefined, 'stranger');
      expect(repository.dispatches()).toHaveLength(5);

      const { rows } = await service.pool.query(
        `SELECT action, data FROM audit_entries WHERE tenant_id = $1 AND object_type = 'pull-request' AND object_id = $2 ORDER BY id`,
        [service.admin.tenantId, `${repository.owner}/${repository.name}#${number}`],
      );
      expect(rows).toEqual(
        expected.map(([command, comment]) => ({
          action: `pull-request.${command}`,
          data: {
            provider,
            username: 'author',
            commentId: String(comment),
            ...(command === 'apply' ? { tagQuery: 'dir:a' } : {}),
          },
        })),
      );
    }, 120_000);

    it('apply nothing that another pull request holds, whatever the lock policy of the head', async () => {
      const repository = await aRepository(provider);
      const holder = await repository.open('holder', { 'a/main.tf': '# holder' });
      await runs(repository, 0);
      const none = 'dirs: {a: {lock_policy: none}}\n';
      const files = { 'a/main.tf': '# other', '.infrastate/config.yml': none };
      const other = await repository.open('other', files);
      await runs(repository, 1);
      await repository.comment(holder, 'infrastate apply');
      await runs(repository, 2);
      for (const command of ['apply-autoapprove', 'apply-force'])
        await repository.comment(other, `infrastate ${command}`);
      const replies = repository
        .comments(other)
        .filter((text) => text.startsWith('Not applied') || text.includes('held by'));
      expect(replies.filter((text) => text.includes(`held by #${holder}`))).toHaveLength(1);
      expect(repository.dispatches()).toHaveLength(3);
      await repository.close(holder);
      // Where nobody holds it applies, and holds nothing itself.
      await repository.comment(other, 'infrastate apply-autoapprove');
      await service.dispatch(repository, 3);
      const { rowCount } = await service.pool.query('SELECT 1 FROM dirspace_holds WHERE repository_id = $1', [
        await service.repositoryId(repository),
      ]);
      expect(rowCount).toBe(0);
    });

    it('apply only what the provider lets through at that moment, and nobody approves alone what they pushed', async () => {
      const repository = await aRepository(
        provider,
        `apply_requirements:
  approved: {enabled: true, any_of_count: 2}
  status_checks: {ignore_matching: ["optional/*"]}
`,
      );
      // Where nobody is named, approvals of those count who may write.
      for (const reviewer of ['ada', 'bob', 'eve']) repository.setRole(reviewer, 'write');
      const host = service.hosting[provider];
      const unsaid = /^GET .*\/(activity|events)\?/;
      host.fail({ matches: unsaid, status: 404, times: 1000 });
      const number = await repository.open('topic', { 'a/main.tf': '#' });
      const applies = async (): Promise<string> => {
        const before = repository.comments().length;
        await repository.comment(number, 'infrastate apply');
        return repository.comments().slice(before).join('\n');
      };
      await runs(repository, 0);
      repository.setDraft(number, true);
      repository.setStatus(repository.sha('topic'), 'lint', 'failure');
      repository.setStatus(repository.sha('topic'), 'optional/x', 'failure');
      repository.approvals(number, ['ada', 'bob', 'author']);
      const first = await applies();
      expect(first).toContain('it is a draft');
      expect(first).toContain('status checks have not succeeded: `lint`\n');
      // Nobody knows who pushed: one of the two may have.
      expect(first).toContain('1 more approval needed (the provider does not say who pushed');

      // Only the webhook says who pushed. Whoever maintains a group of GitLab can write such a webhook.
      repository.setDraft(number, false);
      await repository.push(number, { branch: 'topic', files: { 'a/main.tf': '##' }, username: 'eve' });
      await runs(repository, 1);
      repository.approvals(number, ['ada', 'eve']);
      const unproved = provider === 'github' ? 'eve pushed the newest commit' : 'the provider does not say';
      expect(await applies()).toContain(`1 more approval needed (${unproved}`);

      // What the provider says goes before what a webhook claims.
      host.healed();
      const files = { 'a/main.tf': '###' };
      await repository.push(number, { branch: 'topic', files, username: 'eve', toldAs: 'mallory' });
      await runs(repository, 2);
      repository.approvals(number, ['ada', 'eve']);
      expect(await applies()).toContain('1 more approval needed (eve pushed the newest commit)');
      repository.approvals(number, ['ada', 'bob']);
      expect(await applies()).toBe('');
      await runs(repository, 3);
      expect(repository.dispatches()).toHaveLength(4);
    }, 120_000);
  });

  it.each(['github', 'gitlab'] as const)(
    'applies by itself while the job of the plan goes on, and says why it does not (%s)',
    async (provider) => {
      const repository = await aRepository(provider, 'when_modified: {autoapply: true}\n');
      // GitLab applies nothing by itself while it does not say who pushed.
      const push = (branch: string, text: string): void => {
        const sha = repository.commit(branch, { 'a/main.tf': text });
        if (repository instanceof HostedGitlabRepository)
          repository.project.pushes.push({ branch, sha, user: 'author' });
      };
      push('topic', '#');
      push('draft', '##');
      const number = await repository.open('topic', {});
      await runs(repository, 0);
      // The jobs of both runs have not ended.
      await service.dispatch(repository, 1);
      const { rows } = await service.pool.query(
        `SELECT a.action, u.type AS actor, a.tenant_id, a.data FROM audit_entries a JOIN users u ON u.id = a.actor_id WHERE a.object_id = $1`,
        [`${repository.owner}/${repository.name}#${number}`],
      );
      expect(rows).toEqual([
        {
          action: 'pull-request.autoapply',
          actor: 'system',
          tenant_id: service.admin.tenantId,
          data: { provider, username: 'author', runs: [(await runIds(repository))[1]] },
        },
      ]);
      await runs(repository, 1);
      await repository.close(number);

      const draft = await repository.open('draft', {}, { isDraft: true });
      repository.setStatus(repository.sha('draft'), 'infrastate', 'failure');
      await runs(repository, 2);
      const said = repository.comments(draft).filter((text) => text.includes('`autoapply`'));
      expect(said).toEqual([
        expect.stringMatching(/it is a draft\n- status checks have not succeeded: `infrastate`\n/),
      ]);
      expect(repository.dispatches()).toHaveLength(3);
    },
    120_000,
  );
});
