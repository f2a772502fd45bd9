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

  async function aRepository(provider: 'github' | 'gitlab', config = ''): Promise<HostedRepository> {
    const files = { 'a/main.tf': '', '.infrastate/config.yml': config };
    const repository = await service.repository(files, { provider });
    repository.setRole('author', 'admin');
    return repository;
  }

  /** Does the nth run of a repository; until the service has said how it ended. */
  async function runs(repository: HostedRepository, n: number, results: object = {}): Promise<void> {
    const { inputs } = await service.dispatch(repository, n);
    const runner = new PlayedRunner(service, inputs['work_token'] ?? '');
    await runner.initiate();
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

  describe.each(['github', 'gitlab'] as const)('at %s', (provider) => {
    it('are answered once each: a reaction, a reply to what was refused, and a row in the audit', async () => {
      const repository = await aRepository(provider);
      const number = await repository.open('topic', { 'a/main.tf': '#' });
      const [taken, refused] = ['eyes', 'confused'];
      let id = provider === 'github' ? 810_000 : 820_000;

      /** Says something, twice over; answers the comment's id. */
      async function says(text: string, reaction: string, reply?: string, username = 'author') {
        id += 1;
        const before = repository.comments().length;
        await repository.comment(number, text, { id, username });
        await repository.comment(number, text, { id, username });
        const said = repository.comments().slice(before);
        expect([text, repository.reactions(id)]).toEqual([text, [reaction]]);
        expect([text, said.length]).toEqual([text, reply === undefined ? 0 : 1]);
        expect(said[0] ?? '').toContain(reply ?? '');
        return id;
      }

      await runs(repository, 0, { gates: [{ token: 'ok', any_of: ['author'] }] });
      await says('infrastate apply', refused, '@stranger may not do this', 'stranger');
      await says('infrastate apply', refused, 'the gate `ok` needs 1 of author');
      const expected: [string, number][] = [];
      expected.push(['apply-force', await says('infrastate apply-force', taken)]);
      await runs(repository, 1);
      expected.push(['plan', await says('tofu plan', taken)]);
      await runs(repository, 2);
      await says('infrastate gate approve other', refused, 'no such gate');
      await repository.comment(number, 'infrastate gate approve ok', {
        writtenAt: new Date(Date.now() - 600_000),
      });
      expect(repository.comments().at(-1)).toContain('The gate is newer than the comment');
      expected.push(['gate-approve', await says('infrastate gate approve ok', taken, 'approved the gate')]);
      expected.push(['apply', await says('terraform apply dir:a', taken)]);
      await says('infrastate unlock', refused, `an apply of #${number} is under way`);
      await runs(repository, 3);
      expected.push(['unlock', await says('infrastate unlock', taken, 'Unlocked: 1 directory')]);
      expected.push(['apply-autoapprove', await says('infrastate apply-autoapprove', taken)]);
      await runs(repository, 4);
      await says('infrastate help', taken, 'Write a comment with one of these');
      await says('infrastate repo-config', taken, 'access_control');
      await says('infrastate dance', refused, '`dance` is not a command');
      expect(repository.dispatches()).toHaveLength(5);

      const { rows } = await service.pool.query(
        `SELECT action, data FROM audit_entries WHERE tenant_id = $1 AND object_type = 'pull-request' AND object_id = $2 ORDER BY id`,
        [service.admin.tenantId, `${repository.owner}/${repository.name}#${number}`],
      );
      expect(rows).toEqual(
        expected.map(([command, comment]) => ({
          action: `pull-request.${command}`,
          data: { provider, username: 'author', commentId: String(comment) },
        })),
      );
    }, 120_000);

    it('apply only what the provider lets through at that moment, and nobody approves alone what they pushed', async () => {
      const repository = await aRepository(
        provider,
        `apply_requirements:
  approved: {enabled: true, any_of_count: 2}
  status_checks: {ignore_matching: ["optional/*"]}
`,
      );
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
});
