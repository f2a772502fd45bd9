import { randomUUID } from 'node:crypto';
import {
  allProcessed,
  Browser,
  type CodeHosting,
  eventually,
  startCodeHosting,
} from '../support/code-hosting.js';
import type { GithubInstallation, GithubRepository } from '../support/code-hosts/github-stand-in.js';
import type { GitlabProject } from '../support/code-hosts/gitlab-stand-in.js';
import { type Admin, aMember, anAdmin, call, must, type Person, type Reply } from '../support/identity.js';
import { aRun, aStep } from '../support/run-records.js';

type Row = Record<string, unknown>;

interface RefreshResult {
  repositories: number;
  written: number;
  removed: number;
}

const REPOSITORIES = 5000;

describe('Repositories of an installation', () => {
  let hosts: CodeHosting;
  let admin: Admin;
  let member: Person;
  let owner: Person;
  let installation: GithubInstallation;
  let group: { id: number };

  beforeAll(async () => {
    hosts = await startCodeHosting();
    admin = await anAdmin(hosts.api);
    member = await aMember(hosts.api, admin);
    owner = await aMember(hosts.api, admin);
    installation = hosts.github.install('acme');
    hosts.github.addPerson('owner', { acme: 'admin' });
    hosts.github.addPerson('developer', { acme: 'member' });
    hosts.gitlab.addUser('owner');
    hosts.gitlab.addUser('developer');
    group = hosts.gitlab.addGroup('platform', { owner: 40, developer: 30 });
    await linkGithub();
    await must(hosts.api, 'POST', `/tenants/${admin.tenantId}/vcs-installations/gitlab`, {
      as: admin.token,
      body: { name: 'platform', group_id: group.id, access_token: hosts.gitlab.addGroupToken(group.id) },
    });
    for (const provider of ['github', 'gitlab'] as const) {
      hosts[provider].signedInAs = 'owner';
      await new Browser(hosts.api, owner).walk(`/api/v1/${provider}/link/start?rd=/`);
      hosts[provider].signedInAs = 'developer';
      await new Browser(hosts.api, member).walk(`/api/v1/${provider}/link/start?rd=/`);
    }
  });
  afterAll(() => hosts.stop());
  beforeEach(() => {
    hosts.github.healed();
    hosts.gitlab.healed();
  });

  async function query<T = Row>(sql: string, parameters: unknown[] = []): Promise<T[]> {
    return (await hosts.api.pool.query(sql, parameters)).rows as T[];
  }

  async function linkGithub(): Promise<void> {
    await hosts.github.deliver(hosts.api, 'installation', {
      action: 'created',
      installation: { id: installation.id },
    });
    await allProcessed(hosts.api);
    const [row] = await query<{ id: string }>('SELECT id FROM installations WHERE installation_id = $1', [
      String(installation.id),
    ]);
    await must(hosts.api, 'PUT', `/tenants/${admin.tenantId}/vcs-installations/github/${row?.id}`, {
      as: admin.token,
    });
  }

  async function startRefresh(path = `/github/installations/${installation.id}`): Promise<string> {
    const { id = '' } = await must(hosts.api, 'POST', `${path}/repos/refresh`, { as: member.token });
    return id;
  }

  async function endOf(id: string): Promise<Row> {
    return eventually(async () => {
      const { body } = await call(hosts.api, 'GET', `/tasks/${id}`, { as: member.token });
      return ['completed', 'failed', 'aborted'].includes(String(body['state'])) && body;
    });
  }

  async function refreshed(path?: string): Promise<RefreshResult> {
    const id = await startRefresh(path);
    expect(await endOf(id)).toMatchObject({ state: 'completed' });
    return must<RefreshResult>(hosts.api, 'GET', `/tasks/${id}/result`, { as: member.token });
  }

  const listing = () => hosts.github.requests(/\/installation\/repositories/).length;

  describe('a refresh', () => {
    let many: GithubRepository[];

    beforeAll(() => {
      many = Array.from({ length: REPOSITORIES }, (_, index) =>
        hosts.github.addRepository('acme', `repository-${String(index).padStart(4, '0')}`, {}),
      );
    });

    it('reads every page once, whoever asks at the same time, and shows how far it is', async () => {
      hosts.github.latencyMs = 20;
      const [first, second] = await Promise.all([startRefresh(), startRefresh()]);
      expect(second).toBe(first);
      const seen = await eventually(async () => {
        const { body } = await call(hosts.api, 'GET', `/tasks/${first}`, { as: member.token });
        return body['progress'] !== undefined && body;
      });
      expect(seen['progress']).toMatchObject({ total: 50, message: 'pages of repositories' });
      hosts.github.latencyMs = 0;
      await endOf(first);
      expect(await must(hosts.api, 'GET', `/tasks/${first}/result`, { as: member.token })).toEqual({
        repositories: REPOSITORIES,
        written: REPOSITORIES,
        removed: 0,
      });
      expect(listing()).toBe(50);
      const names: string[] = [];
      let path: string | undefined = `/github/installations/${installation.id}/repos?limit=100`;
      while (path !== undefined) {
        const page: Reply<{ repositories: { name: string }[] }> = await call(hosts.api, 'GET', path, {
          as: member.token,
        });
        names.push(...page.body.repositories.map(({ name }) => name));
        path = /<[^>]*\/api\/v1([^>]*)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1];
      }
      expect(names).toEqual(many.map(({ name }) => name));
    });

    it('writes only what differs, and removes what the provider has no more, with its records', async () => {
      for (const repository of many.slice(0, 10)) repository.archived = true;
      const pages = listing();
      const [{ stamp } = { stamp: '' }] = await query<{ stamp: string }>(
        'SELECT max(updated_at)::text AS stamp FROM repositories',
      );
      expect(await refreshed()).toEqual({ repositories: REPOSITORIES, written: 10, removed: 0 });
      expect(listing() - pages).toBe(50);
      expect(hosts.github.requests(/\/repositories\/\d+$/)).toEqual([]);
      expect(
        await query('SELECT FROM repositories WHERE updated_at > $1::timestamptz', [stamp]),
      ).toHaveLength(10);

      const gone = many.splice(7, 3);
      await addRun(gone[0]?.id ?? 0);
      hosts.github.repositories.splice(
        hosts.github.repositories.findIndex(({ id }) => id === gone[0]?.id),
        3,
      );
      hosts.github.addRepository('acme', 'zz-new', {});
      expect(await refreshed()).toEqual({ repositories: REPOSITORIES - 2, written: 1, removed: 3 });
      expect(
        await query('SELECT FROM repositories WHERE provider_id = ANY ($1)', [
          gone.map(({ id }) => String(id)),
        ]),
      ).toEqual([]);
      expect(await query('SELECT FROM work_manifests')).toEqual([]);
    });

    it('keeps what a page skipped, and removes what the app may only read as everybody may', async () => {
      const [skipped, taken] = many as [GithubRepository, GithubRepository];
      const run = await addRun(skipped.id);
      skipped.access = 'skipped';
      taken.access = 'public';
      expect(await refreshed()).toEqual({ repositories: REPOSITORIES - 4, written: 0, removed: 1 });
      const known = await query<{ provider_id: string }>(
        'SELECT provider_id FROM repositories WHERE provider_id = ANY ($1)',
        [[skipped.id, taken.id]],
      );
      expect(known).toEqual([{ provider_id: String(skipped.id) }]);
      expect(await query('SELECT FROM work_manifests WHERE id = $1', [run])).toHaveLength(1);
      skipped.access = taken.access = 'selected';
      await query('DELETE FROM work_manifests WHERE id = $1', [run]);
      await query('DELETE FROM pull_requests');
      await refreshed();
    });

    it('waits out a limit of the provider, and changes nothing when the provider fails', async () => {
      hosts.github.fail({
        matches: /installation\/repositories\?.*page=3/,
        status: 403,
        times: 2,
        headers: { 'x-ratelimit-remaining': '0', 'retry-after': '0' },
      });
      hosts.github.fail({ matches: /page=4/, status: 429, times: 1, headers: { 'Retry-After': '1' } });
      hosts.github.fail({ matches: /page=5/, isCut: true, times: 1 });
      expect(await refreshed()).toMatchObject({ written: 0, removed: 0 });
      const count = async () => (await query('SELECT FROM repositories')).length;
      const before = await count();
      hosts.github.fail({ matches: /page=2/, status: 422, times: 1 });
      const failed = await endOf(await startRefresh());
      expect(failed).toMatchObject({ state: 'failed', error: 'PROVIDER_REFUSED' });
      expect(await count()).toBe(before);
    });

    it('shows operators what the provider still allows, by installation', async () => {
      hosts.github.headers = { 'X-RateLimit-Remaining': '4321' };
      await refreshed();
      hosts.github.headers = {};
      const metrics = await (await fetch(`${hosts.worker.internalUrl}/metrics`)).text();
      expect(metrics).toContain(
        `vcs_provider_rate_limit_remaining{provider="github",installation="${installation.id}"} 4321`,
      );
    });

    it('a refresh goes on where the provider refuses to speak of one repository, which keeps its row', async () => {
      const refused = hosts.github.addRepository('acme', 'zz-refused', {});
      const names = ['zz-gone', 'zz-taken'];
      const others = names.map((name) => hosts.github.addRepository('acme', name, {}));
      expect(await refreshed()).toMatchObject({ written: 3, removed: 0 });
      const left = async () =>
        (
          await query<{ name: string }>(
            `SELECT name FROM repositories WHERE name LIKE 'zz-%' AND name <> 'zz-new'`,
          )
        ).map(({ name }) => name);
      const remove = (repository: GithubRepository | undefined) =>
        void hosts.github.repositories.splice(
          hosts.github.repositories.findIndex(({ id }) => id === repository?.id),
          1,
        );
      refused.access = 'skipped';
      hosts.github.fail({ matches: new RegExp(`/repositories/${refused.id}$`), status: 403, times: 2 });
      remove(others[0]);
      expect(await refreshed()).toMatchObject({ written: 0, removed: 1, refused: 1 });
      expect((await left()).sort()).toEqual(['zz-refused', 'zz-taken']);
      // What a webhook names is taken over too; the delivery waits for the one that is refused.
      remove(others[1]);
      await hosts.github.deliver(hosts.api, 'installation_repositories', {
        action: 'removed',
        installation: { id: installation.id },
        repositories_removed: [{ id: refused.id }, { id: others[1]?.id }],
      });
      await eventually(async () => (await left()).length === 1);
      await allProcessed(hosts.api);
      expect(await left()).toEqual(['zz-refused']);
      expect(await query(`SELECT attempts FROM webhook_deliveries ORDER BY seq DESC LIMIT 1`)).toEqual([
        { attempts: 2 },
      ]);
      refused.access = 'selected';
    });

    it('a refresh ends when the provider refuses all that it is asked about', async () => {
      const many = Array.from({ length: 21 }, (_, n) => hosts.github.addRepository('acme', `yy-${n}`, {}));
      await refreshed();
      for (const repository of many) repository.access = 'skipped';
      hosts.github.fail({ matches: /GET .*\/repositories\/\d+$/, status: 403, times: 100 });
      const before = hosts.github.requests(/GET .*\/repositories\/\d+$/).length;
      expect(await endOf(await startRefresh())).toMatchObject({ state: 'failed', error: 'PROVIDER_REFUSED' });
      expect(hosts.github.requests(/GET .*\/repositories\/\d+$/).length - before).toBe(20);
      expect(await query(`SELECT FROM repositories WHERE name LIKE 'yy-%'`)).toHaveLength(21);
      hosts.github.healed();
      for (const repository of many) repository.access = 'selected';
    });

    it('a refresh of a group reads its projects', async () => {
      for (let n = 0; n < 120; n += 1) hosts.gitlab.addProject(group.id, `project-${n}`, {});
      const path = `/vcs_b/installations/${group.id}`;
      expect(await refreshed(path)).toEqual({ repositories: 120, written: 120, removed: 0 });
      const [skipped] = hosts.gitlab.projects;
      if (skipped) skipped.isSkipped = true;
      const removed = hosts.gitlab.projects.splice(5, 1);
      expect(await refreshed(path)).toEqual({ repositories: 118, written: 0, removed: 1 });
      if (skipped) skipped.isSkipped = false;
      hosts.gitlab.projects.push(...removed);
      expect(await refreshed(path)).toEqual({ repositories: 120, written: 1, removed: 0 });
    });
  });

  async function addRun(repoId: number): Promise<string> {
    const [row] = await query<{ id: string; installation_id: string; name: string }>(
      'SELECT id, installation_id, name FROM repositories WHERE provider_id = $1',
      [String(repoId)],
    );
    await query(
      `INSERT INTO pull_requests (repository_id, installation_id, number, title, branch, sha, base_branch, base_sha, state, created_at, updated_at)
       VALUES ($1, $2, 7, 'Seven', 'topic', 'aaaa', 'main', 'bbbb', 'open', now(), now())`,
      [row?.id, row?.installation_id],
    );
    const run = await aRun(hosts.api.pool, {
      installation: row?.installation_id ?? '',
      installationId: '',
      provider: 'github',
      repository: row?.id ?? '',
      repoId: String(repoId),
      name: row?.name ?? '',
    });
    await aStep(hosts.api.pool, run, 0);
    return run;
  }

  describe('a removal', () => {
    let archived: GithubRepository;
    let project: GitlabProject;

    beforeAll(async () => {
      archived = hosts.github.addRepository('acme', 'archived', {});
      project = hosts.gitlab.addProject(group.id, 'archived', {});
      await refreshed();
      await refreshed(`/gitlab/installations/${group.id}`);
    });

    const remove = (provider: 'github' | 'gitlab', repoId: unknown, as = owner.token) => {
      const spelling = { github: 'vcs_a', gitlab: 'vcs_b' }[provider];
      const id = provider === 'github' ? installation.id : group.id;
      return call(hosts.api, 'DELETE', `/${spelling}/installations/${id}/repos/${String(repoId)}`, { as });
    };

    it.each(['github', 'gitlab'] as const)(
      'at %s is refused with its ids, in their order',
      async (provider) => {
        const { id } = provider === 'github' ? archived : project;
        const refusal = async (...parameters: Parameters<typeof remove>) => {
          const { status, body } = await remove(...parameters);
          return [status, body['id']];
        };
        // Who may is asked first: a member of the organization, and somebody without an account.
        expect(await refusal(provider, 'x', member.token)).toEqual([403, 'FORBIDDEN']);
        expect(await refusal(provider, 'x', admin.token)).toEqual([403, expect.any(String)]);
        expect(await refusal(provider, 'x')).toEqual([400, 'INVALID_REPO_ID']);
        expect(await refusal(provider, '-1')).toEqual([400, 'INVALID_REPO_ID']);
        expect(await refusal(provider, 999_999)).toEqual([400, 'REPO_NOT_FOUND']);
        // What stands in the row is not believed, also where it says that it is archived.
        await query('UPDATE repositories SET is_archived = true WHERE provider_id = $1', [String(id)]);
        expect(await refusal(provider, id)).toEqual([400, 'REPO_NOT_ARCHIVED']);
        hosts[provider].fail({ matches: /repositories\/\d+|projects\/\d+$/, status: 503, times: 99 });
        const down = await remove(provider, id);
        expect([down.status, down.body['id'], down.headers.get('retry-after')]).toEqual([
          503,
          'PROVIDER_UNAVAILABLE',
          expect.stringMatching(/^\d+$/),
        ]);
        expect(await query('SELECT FROM repositories WHERE provider_id = $1', [String(id)])).toHaveLength(1);
      },
    );

    it('takes pull requests, runs and outputs along, and is told in the audit', async () => {
      const run = await addRun(archived.id);
      archived.archived = true;
      const answer = await remove('github', archived.id);
      expect([answer.status, answer.body]).toEqual([200, {}]);
      expect((await remove('github', archived.id)).body).toMatchObject({ id: 'REPO_NOT_FOUND' });
      for (const table of ['work_manifest_dirspaces', 'work_manifest_outputs', 'work_manifest_payloads'])
        expect(await query(`SELECT FROM ${table} WHERE work_manifest_id = $1`, [run])).toEqual([]);
      const path = `/github/installations/${installation.id}`;
      const pulls = await call<{ pull_requests: Row[] }>(hosts.api, 'GET', `${path}/pull-requests`, {
        as: member.token,
      });
      expect(pulls.body.pull_requests).toEqual([]);
      expect(
        (await call(hosts.api, 'GET', `${path}/work-manifests/${run}`, { as: member.token })).status,
      ).toBe(404);
      expect(
        await query(`SELECT data->>'repo_id' AS id FROM audit_entries WHERE action = 'repository.remove'`),
      ).toEqual([{ id: String(archived.id) }]);
    });

    it('a repository that the provider has deleted counts as archived', async () => {
      hosts.gitlab.projects.splice(hosts.gitlab.projects.indexOf(project), 1);
      expect((await remove('gitlab', project.id)).status).toBe(200);
    });
  });

  describe('while the provider', () => {
    let repository: GithubRepository;
    const configured: Record<string, number> = {};
    const CONFIGURATIONS = {
      named: 'run: {workflow: plan.yml}',
      renamed: 'run: {workflow: gone.yml}',
      pooled: 'run: {on: pool, pool: mine}',
      path: 'run: {workflow: .github/workflows/plan.yml}',
    };
    const setup = (repoId: number) =>
      call(hosts.api, 'GET', `/github/installations/${installation.id}/repos/${repoId}/setup`, {
        as: member.token,
      });

    beforeAll(async () => {
      repository = hosts.github.addRepository('acme', 'asked', { 'main.tf': '' });
      for (const [name, config] of Object.entries(CONFIGURATIONS))
        configured[name] = hosts.github.addRepository('acme', name, {
          '.infrastate/config.yml': config,
          '.github/workflows/plan.yml': 'on: workflow_dispatch',
        }).id;
      await refreshed();
    });

    it.each([
      ['named', { workflow: true, configuration: true, workflow_file: '.github/workflows/plan.yml' }],
      ['renamed', { workflow: false, configuration: true, workflow_file: '.github/workflows/gone.yml' }],
      ['pooled', { workflow: true, configuration: true }],
      // A path is a mistake, which pull requests say: the default counts here.
      ['path', { workflow: false, configuration: true, workflow_file: '.github/workflows/infrastate.yml' }],
    ])('has it, the workflow of the configuration is looked for: %s', async (name, expected) => {
      expect((await setup(configured[name] ?? 0)).body).toEqual(expected);
    });

    it('hangs, deliveries are answered, and reads end in time', async () => {
      hosts.github.fail({ matches: /\/api\/v3\//, delayMs: 60_000, times: 1000 });
      const statuses = await Promise.all(
        Array.from({ length: 20 }, () =>
          hosts.github.deliver(hosts.api, 'push', {
            ...hosts.github.payloadOf(repository),
            ref: 'refs/heads/main',
            after: 'c'.repeat(40),
          }),
        ),
      );
      expect(new Set(statuses)).toEqual(new Set([200]));
      const answer = await setup(repository.id);
      expect([answer.status, answer.body['id']]).toEqual([503, 'PROVIDER_UNAVAILABLE']);
      hosts.github.healed();
      await hosts.worker.kill9();
      await query(`UPDATE webhook_lanes SET leased_until = now() - interval '1 second'`);
      await hosts.worker.restart();
      await allProcessed(hosts.api);
      expect(await query(`SELECT FROM webhook_deliveries WHERE state = 'failed'`)).toEqual([]);
    });

    it('refuses the token, another one is asked for; revoked for good, it is said', async () => {
      for (const token of hosts.github.tokens) token.expiresAt = 0;
      expect((await setup(repository.id)).body).toEqual({
        workflow: false,
        configuration: false,
        workflow_file: '.github/workflows/infrastate.yml',
      });
      installation.isGone = true;
      for (const token of hosts.github.tokens) token.expiresAt = 0;
      expect((await setup(repository.id)).body).toMatchObject({ id: 'PROVIDER_REFUSED' });
      installation.isGone = false;
      expect((await setup(repository.id)).status).toBe(200);
    });

    it('names another pipeline file in the settings of a project, that one is looked for', async () => {
      const project = hosts.gitlab.addProject(group.id, 'pipelines', { 'ci/plan.yml': 'spec: {}' });
      await refreshed(`/gitlab/installations/${group.id}`);
      const found: Record<string, unknown> = {};
      const settings = [
        null,
        'ci/plan.yml',
        'ci/gone.yml',
        'plan.yml@acme/ci:v1',
        'https://ci.example/a.yml',
      ];
      for (const path of settings) {
        project.pipelinePath = path;
        const { body } = await call(
          hosts.api,
          'GET',
          `/gitlab/installations/${group.id}/repos/${project.id}/setup`,
          { as: member.token },
        );
        expect(body).toEqual({
          workflow: expect.any(Boolean) as boolean,
          configuration: false,
          workflow_file: path ?? '.gitlab-ci.yml',
        });
        found[path ?? 'default'] = body['workflow'];
      }
      expect(found).toEqual({
        default: false,
        'ci/plan.yml': true,
        'ci/gone.yml': false,
        'plan.yml@acme/ci:v1': true,
        'https://ci.example/a.yml': true,
      });
    });

    it('revokes a group token, reads say so until another one is given', async () => {
      const [project] = hosts.gitlab.projects;
      const path = `/gitlab/installations/${group.id}/repos/${project?.id}/setup`;
      const read = () => call(hosts.api, 'GET', path, { as: member.token });
      expect((await read()).status).toBe(200);
      for (const token of hosts.gitlab.tokens.values())
        if (token.scopes.includes('api')) token.isRevoked = true;
      expect((await read()).body).toMatchObject({ id: 'PROVIDER_REFUSED' });
      await must(hosts.api, 'PUT', `/tenants/${admin.tenantId}/vcs-installations/gitlab/${group.id}`, {
        as: admin.token,
        body: { access_token: hosts.gitlab.addGroupToken(group.id) },
      });
      expect((await read()).status).toBe(200);
    });

    it('suspends or uninstalls the app, its deliveries start nothing; installed again it is the same one', async () => {
      const tell = async (action: string) => {
        await hosts.github.deliver(hosts.api, 'installation', {
          action,
          installation: { id: installation.id },
        });
        await allProcessed(hosts.api);
        const [row] = await query<{ id: string; state: string }>(
          'SELECT id, state FROM installations WHERE installation_id = $1',
          [String(installation.id)],
        );
        return row;
      };
      const before = await tell('created');
      const pull = hosts.github.addPull(repository, 'while-away', { 'a.tf': '' });
      installation.isGone = true;
      expect(await tell('deleted')).toEqual({ id: before?.id, state: 'uninstalled' });
      await hosts.github.deliver(
        hosts.api,
        'pull_request',
        { ...hosts.github.payloadOf(repository), action: 'opened', pull_request: { number: pull.number } },
        { id: randomUUID() },
      );
      await allProcessed(hosts.api);
      expect(await query('SELECT FROM pull_requests WHERE branch = $1', ['while-away'])).toEqual([]);
      const list = await call<{ installations: Row[] }>(hosts.api, 'GET', '/user/github/installations', {
        as: member.token,
      });
      expect(list.body.installations).toEqual([]);
      installation.isGone = false;
      expect(await tell('created')).toEqual({ id: before?.id, state: 'active' });
    });
  });
});
