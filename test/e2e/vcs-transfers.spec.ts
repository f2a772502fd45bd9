import { randomUUID } from 'node:crypto';
import { allProcessed, type CodeHosting, startCodeHosting } from '../support/code-hosting.js';
import type { GithubInstallation, GithubRepository } from '../support/code-hosts/github-stand-in.js';
import { type Admin, anAdmin, call, must } from '../support/identity.js';

type Row = Record<string, unknown>;

interface Named {
  owner: string;
  name: string;
  pull_number: number;
}

describe('Repositories that move, are renamed, or get another default branch', () => {
  let hosts: CodeHosting;
  let admin: Admin;

  beforeAll(async () => {
    hosts = await startCodeHosting();
    admin = await anAdmin(hosts.api);
  });
  afterAll(() => hosts.stop());

  async function query<T = Row>(sql: string, parameters: unknown[] = []): Promise<T[]> {
    return (await hosts.api.pool.query(sql, parameters)).rows as T[];
  }

  async function linkGithub(id: number): Promise<void> {
    const [row] = await query<{ id: string }>('SELECT id FROM installations WHERE installation_id = $1', [
      String(id),
    ]);
    await must(hosts.api, 'PUT', `/tenants/${admin.tenantId}/vcs-installations/github/${row?.id}`, {
      as: admin.token,
    });
  }

  async function connectedGroup(name: string) {
    const { id } = hosts.gitlab.addGroup(name);
    const { webhook_url: url = '', webhook_secret: secret = '' } = await must(
      hosts.api,
      'POST',
      `/tenants/${admin.tenantId}/vcs-installations/gitlab`,
      { as: admin.token, body: { name, group_id: id, access_token: hosts.gitlab.addGroupToken(id) } },
    );
    // The first delivery only says that the webhook is there.
    await hosts.gitlab.deliver(url, secret, { object_kind: 'push' });
    await allProcessed(hosts.api);
    return { id, url, secret };
  }

  const knownAs = (id: number) =>
    query(
      `SELECT r.id, r.owner, r.name, r.default_branch, i.name AS installation
         FROM repositories r JOIN installations i ON i.id = r.installation_id
        WHERE r.provider_id = $1 ORDER BY i.name`,
      [String(id)],
    );
  const pullsOf = async (account: GithubInstallation) => {
    const path = `/github/installations/${account.id}/pull-requests`;
    const { body } = await call<{ pull_requests: Named[] }>(hosts.api, 'GET', path, {
      as: admin.token,
    });
    return body.pull_requests.map(({ owner, name, pull_number: number }) => `${owner}/${name}#${number}`);
  };

  async function installed(account: string): Promise<GithubInstallation> {
    const made = hosts.github.install(account);
    await hosts.github.deliver(hosts.api, 'installation', {
      action: 'created',
      installation: { id: made.id },
    });
    await allProcessed(hosts.api);
    return made;
  }

  async function transferred(moved: GithubRepository, to: string): Promise<void> {
    moved.owner = to;
    await hosts.github.deliver(hosts.api, 'repository', {
      ...hosts.github.payloadOf(moved),
      action: 'transferred',
    });
    await allProcessed(hosts.api);
  }

  it('keep their records within a tenant, and leave them behind when they go to somebody else', async () => {
    const from = await installed('moves-from');
    const to = await installed('moves-to');
    await linkGithub(from.id);
    await linkGithub(to.id);
    const moved = hosts.github.addRepository('moves-from', 'moving');
    const pull = hosts.github.addPull(moved, 'change', { 'a.tf': '' });
    await hosts.github.deliver(hosts.api, 'pull_request', {
      ...hosts.github.payloadOf(moved),
      action: 'opened',
      pull_request: { number: pull.number },
    });
    await allProcessed(hosts.api);
    const [before] = await knownAs(moved.id);
    expect(await pullsOf(from)).toEqual(['moves-from/moving#1']);

    await transferred(moved, 'moves-to');
    expect(await knownAs(moved.id)).toEqual([{ ...before, owner: 'moves-to', installation: 'moves-to' }]);
    expect([await pullsOf(from), await pullsOf(to)]).toEqual([[], ['moves-to/moving#1']]);
    // What the former owner is told afterwards takes nothing away.
    await hosts.github.deliver(hosts.api, 'installation_repositories', {
      action: 'removed',
      installation: { id: from.id },
      repositories_removed: [{ id: moved.id }],
    });
    await allProcessed(hosts.api);
    expect(await knownAs(moved.id)).toHaveLength(1);

    await installed('moves-away');
    await transferred(moved, 'moves-away');
    const rows = await knownAs(moved.id);
    expect(rows.map(({ owner, installation: of }) => [owner, of])).toEqual([
      ['moves-away', 'moves-away'],
      ['moves-to', 'moves-to'],
    ]);
    expect(rows[1]?.['id']).toBe(before?.['id']);
    const theirs = await query('SELECT FROM pull_requests WHERE repository_id = $1', [rows[0]?.['id']]);
    expect(theirs).toEqual([]);
  });

  it('at GitHub have another default branch at once, and are looked at there', async () => {
    await linkGithub((await installed('branches')).id);
    const changed = hosts.github.addRepository('branches', 'branching', { 'main.tf': '' });
    const pushed = async (branch: string): Promise<string> => {
      const id = randomUUID();
      const push = { ref: `refs/heads/${branch}`, after: changed.git.sha(branch) };
      await hosts.github.deliver(hosts.api, 'push', { ...hosts.github.payloadOf(changed), ...push }, { id });
      await allProcessed(hosts.api);
      const [row] = await query<{ state: string }>(
        'SELECT state FROM webhook_deliveries WHERE delivery_id = $1',
        [id],
      );
      return row?.state ?? '';
    };
    const branchOf = async () => (await knownAs(changed.id))[0]?.['default_branch'];
    expect([await pushed('main'), await branchOf()]).toEqual(['processed', 'main']);
    changed.git.changeDefaultBranch('trunk');
    await hosts.github.deliver(hosts.api, 'repository', {
      ...hosts.github.payloadOf(changed),
      action: 'edited',
      changes: { default_branch: { from: 'main' } },
    });
    await allProcessed(hosts.api);
    expect(await branchOf()).toBe('trunk');
    changed.git.commit('trunk', {
      '.github/workflows/infrastate.yml': 'on: workflow_dispatch',
      '.infrastate/config.yml': 'version: 1\n',
    });
    expect(await pushed('main')).toBe('ignored');
    const setup = () =>
      query('SELECT has_workflow, has_configuration FROM repositories WHERE provider_id = $1', [
        String(changed.id),
      ]);
    expect(await setup()).toEqual([{ has_workflow: false, has_configuration: false }]);
    expect(await pushed('trunk')).toBe('processed');
    expect(await setup()).toEqual([{ has_workflow: true, has_configuration: true }]);
    // The delivery that says so was lost: any other one shows it.
    changed.git.changeDefaultBranch('stable');
    expect([await pushed('stable'), await branchOf()]).toEqual(['processed', 'stable']);
  });

  it('at GitLab have another name, group or default branch at once, and go when they are gone', async () => {
    const { id: home, url, secret } = await connectedGroup('platform');
    const project = hosts.gitlab.addProject(home, 'network');
    const request = hosts.gitlab.addMergeRequest(project, 'first', { 'a.tf': '' });
    const hook = (kind: string, further: Row): Row => ({
      object_kind: kind,
      project: hosts.gitlab.hookProject(project),
      ...further,
    });
    const opened = hook('merge_request', { object_attributes: { iid: request.iid, action: 'open' } });
    expect(await hosts.gitlab.deliver(url, secret, opened)).toBe(200);
    await allProcessed(hosts.api);
    const known = () =>
      query(
        `SELECT r.owner, r.name, r.default_branch, i.name AS installation
           FROM repositories r JOIN installations i ON i.id = r.installation_id WHERE r.provider_id = $1`,
        [String(project.id)],
      );
    const told = async (event: string, at = { url, secret }): Promise<void> => {
      const payload = { event_name: event, project_id: project.id, path_with_namespace: project.path };
      expect(await hosts.gitlab.deliver(at.url, at.secret, payload)).toBe(200);
      await allProcessed(hosts.api);
    };
    const before = { owner: 'platform', default_branch: 'main', installation: 'platform' };
    project.path = 'platform/renamed';
    await told('project_rename');
    expect(await known()).toEqual([{ ...before, name: 'renamed' }]);
    project.git.changeDefaultBranch('trunk');
    await told('project_update');
    expect(await known()).toEqual([{ ...before, name: 'renamed', default_branch: 'trunk' }]);
    // A hook of any kind shows where the project is.
    project.path = 'platform/sub/again';
    expect(
      await hosts.gitlab.deliver(url, secret, hook('push', { ref: 'refs/heads/trunk', after: 'a' })),
    ).toBe(200);
    await allProcessed(hosts.api);
    expect(await known()).toEqual([
      { ...before, owner: 'platform/sub', name: 'again', default_branch: 'trunk' },
    ]);

    // To another group of the same tenant its records go along.
    const there = await connectedGroup('elsewhere');
    Object.assign(project, { path: 'elsewhere/again', group: there.id });
    await told('project_transfer', there);
    expect(await known()).toEqual([
      { owner: 'elsewhere', name: 'again', default_branch: 'trunk', installation: 'elsewhere' },
    ]);
    const { body } = await call<{ pull_requests: Row[] }>(
      hosts.api,
      'GET',
      `/gitlab/installations/${there.id}/pull-requests`,
      { as: admin.token },
    );
    expect(body.pull_requests).toMatchObject([{ pull_number: 1, owner: 'elsewhere' }]);
    // The former group is told so too, and a project that GitLab does not have any more goes.
    await told('project_transfer');
    expect(await known()).toHaveLength(1);
    hosts.gitlab.projects.splice(hosts.gitlab.projects.indexOf(project), 1);
    await told('project_destroy', there);
    expect(await known()).toEqual([]);
  });
});
