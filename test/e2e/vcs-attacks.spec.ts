import { createHmac, randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { allProcessed, Browser, type CodeHosting, startCodeHosting } from '../support/code-hosting.js';
import type { GithubPull, GithubRepository } from '../support/code-hosts/github-stand-in.js';
import type { GitlabMergeRequest, GitlabProject } from '../support/code-hosts/gitlab-stand-in.js';
import { type Admin, anAdmin, aTenant, call, must } from '../support/identity.js';

type Row = Record<string, unknown>;

const MARKER = 'marker-of-a-payload';

describe('What a stranger tries with webhooks, claims and links', () => {
  let hosts: CodeHosting;
  let admin: Admin;
  let repository: GithubRepository;
  let pull: GithubPull;
  let project: GitlabProject;
  let request: GitlabMergeRequest;
  let secret: string;
  const url = () => `${hosts.api.url}/api/v1/gitlab/events`;

  beforeAll(async () => {
    hosts = await startCodeHosting();
    admin = await anAdmin(hosts.api);
    const installation = hosts.github.install('acme');
    repository = hosts.github.addRepository('acme', 'infra', { 'main.tf': '' });
    repository.permissions.set('ada', 'admin');
    await hosts.github.deliver(hosts.api, 'installation', {
      action: 'created',
      installation: { id: installation.id },
    });
    await allProcessed(hosts.api);
    const [row] = await query<{ id: string }>('SELECT id FROM installations');
    await must(hosts.api, 'PUT', `/tenants/${admin.tenantId}/vcs-installations/github/${row?.id}`, {
      as: admin.token,
    });
    pull = hosts.github.addPull(repository, 'change', { 'docs.md': '' });
    await tellPull('opened');

    hosts.gitlab.addUser('owner');
    hosts.gitlab.addUser('maintainer');
    secret = await aGroup('platform');
    project = hosts.gitlab.addProject(groupOf('platform'), 'network', {
      'main.tf': '',
      '.gitlab-ci.yml': 'x',
    });
    request = hosts.gitlab.addMergeRequest(project, 'change', { 'docs.md': '' });
    await hosts.gitlab.deliver(url(), secret, { object_kind: 'push' });
    await hosts.gitlab.deliver(
      url(),
      secret,
      hook('merge_request', { object_attributes: { iid: 1, action: 'open' } }),
    );
    await allProcessed(hosts.api);
  });
  afterAll(() => hosts.stop());

  async function query<T = Row>(sql: string, parameters: unknown[] = []): Promise<T[]> {
    return (await hosts.api.pool.query(sql, parameters)).rows as T[];
  }

  const groupOf = (path: string) => hosts.gitlab.groups.find((group) => group.path === path)?.id ?? 0;

  async function aGroup(path: string, tenantId = admin.tenantId): Promise<string> {
    const group = hosts.gitlab.addGroup(path, { owner: 50, maintainer: 40 });
    const made = await must(hosts.api, 'POST', `/tenants/${tenantId}/vcs-installations/gitlab`, {
      as: admin.token,
      body: { name: path, group_id: group.id, access_token: hosts.gitlab.addGroupToken(group.id) },
    });
    return made['webhook_secret'] ?? '';
  }

  const hook = (kind: string, further: Row): Row => ({
    object_kind: kind,
    project: hosts.gitlab.hookProject(project),
    ...further,
  });

  async function tellPull(action: string): Promise<void> {
    await hosts.github.deliver(hosts.api, 'pull_request', {
      ...hosts.github.payloadOf(repository),
      action,
      pull_request: { number: pull.number },
    });
    await allProcessed(hosts.api);
  }

  const sign = (bytes: Buffer | string, key = hosts.github.webhookSecret) =>
    `sha256=${createHmac('sha256', key).update(bytes).digest('hex')}`;

  async function post(
    body: Buffer | string,
    headers: Record<string, string>,
    path = '/api/v1/github/events',
  ): Promise<{ status: number; text: string }> {
    const answer = await fetch(`${hosts.api.url}${path}`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'X-GitHub-Event': 'push',
        'X-GitHub-Delivery': randomUUID(),
        ...headers,
      },
      body,
    });
    return { status: answer.status, text: await answer.text() };
  }

  describe('a signed body', () => {
    it('a delivery that is repeated under other ids has no further effect', async () => {
      const payload = {
        ...hosts.github.payloadOf(repository),
        action: 'created',
        issue: { number: pull.number, pull_request: {} },
        comment: { id: 4711, body: 'infrastate plan dir:.', user: { login: 'ada', type: 'User' } },
      };
      for (let times = 0; times < 4; times += 1) {
        expect(await hosts.github.deliver(hosts.api, 'issue_comment', payload)).toBe(200);
        await allProcessed(hosts.api);
      }
      const runs = await query(`SELECT FROM work_manifests WHERE trigger_key LIKE '%comment:4711%'`);
      expect(runs.length).toBeLessThanOrEqual(1);
      // A pull request that was closed meanwhile does not open again by an old delivery.
      pull.state = 'closed';
      pull.closedAt = new Date().toISOString();
      pull.updatedAt = pull.closedAt;
      await tellPull('closed');
      await tellPull('opened');
      expect(
        await query('SELECT state FROM pull_requests WHERE branch = $1 AND number = $2 AND username = $3', [
          'change',
          pull.number,
          'ada',
        ]),
      ).toContainEqual({ state: 'closed' });
    });

    it('is not taken with the secrets of the other provider, twice signed, or compressed otherwise', async () => {
      const body = '{}';
      expect((await post(body, { 'X-Hub-Signature-256': sign(body, secret) })).status).toBe(401);
      expect(
        (await post(body, { 'X-Gitlab-Token': hosts.github.webhookSecret }, '/api/v1/gitlab/events')).status,
      ).toBe(500);
      expect((await post(body, { 'X-Hub-Signature-256': `${sign(body)}, ${sign(body)}` })).status).toBe(401);
      const zipped = gzipSync(body);
      const encoded = { 'Content-Encoding': 'gzip' };
      expect((await post(zipped, { ...encoded, 'X-Hub-Signature-256': sign(zipped) })).status).toBe(401);
      const bomb = gzipSync(Buffer.alloc(200 * 1024 * 1024));
      expect((await post(bomb, { ...encoded, 'X-Hub-Signature-256': sign(bomb) })).status).toBe(413);
      const form = `payload=${encodeURIComponent('{}')}`;
      expect(
        (
          await post(form, {
            'Content-Type': 'application/x-www-form-urlencoded',
            'X-Hub-Signature-256': sign(form),
          })
        ).status,
      ).toBe(400);
    });

    it.each([
      ['is nested deeply', () => `${'['.repeat(100_000)}${']'.repeat(100_000)}`, 400],
      ['has millions of members', () => `[${'0,'.repeat(5_000_000)}0]`, 400],
      ['is nearly as large as it may be', () => JSON.stringify({ a: 'x'.repeat(24 * 1024 * 1024) }), 200],
      [
        'names the prototype',
        () => '{"__proto__":{"installation":{"id":1}},"constructor":{"prototype":{}}}',
        200,
      ],
      ['is an array', () => '[]', 200],
      ['is not UTF-8', () => Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), undefined],
      ['is a number', () => '5', 400],
      ['has numbers beyond every type', () => '{"installation":{"id":1e999},"repository":{"id":-0}}', 200],
      ['is empty', () => '', 400],
    ])('that %s is answered without a failure', async (_, make, status) => {
      const body = make();
      const answer = await post(body, { 'X-Hub-Signature-256': sign(body) });
      expect(status === undefined ? [200, 400] : [status]).toContain(answer.status);
    });
  });

  describe('whoever knows the webhook secret of a group', () => {
    const replies = () => request.notes.filter(({ author }) => hosts.gitlab.isGroupBot(author)).length;

    it('speaks for nobody else: a comment counts as GitLab has it', async () => {
      const written = hosts.gitlab.say(project, request, 'infrastate help', 'maintainer');
      await hosts.gitlab.deliver(url(), secret, { ...written, user: { username: 'owner' } });
      const invented = {
        id: 999_999,
        note: 'infrastate help',
        action: 'create',
        noteable_type: 'MergeRequest',
      };
      await hosts.gitlab.deliver(url(), secret, { ...written, object_attributes: invented });
      const changed = { ...(written['object_attributes'] as Row), note: 'infrastate apply-force' };
      await hosts.gitlab.deliver(url(), secret, { ...written, object_attributes: changed });
      await allProcessed(hosts.api);
      expect(replies()).toBe(0);
      await hosts.gitlab.deliver(url(), secret, written);
      await allProcessed(hosts.api);
      expect(replies()).toBe(1);
    });

    it('commands nothing as a service account; a person whose token the service has still may', async () => {
      const { gitlab } = hosts;
      const groupId = groupOf('platform');
      const use = (access_token: string) =>
        must(hosts.api, 'PUT', `/tenants/${admin.tenantId}/vcs-installations/gitlab/${groupId}`, {
          as: admin.token,
          body: { access_token },
        });
      const answers = () => request.notes.filter(({ body }) => body.includes('<!-- infrastate:')).length;
      const answersTo = async (author: string): Promise<number> => {
        const before = answers();
        await gitlab.deliver(url(), secret, gitlab.say(project, request, 'infrastate help', author));
        await allProcessed(hosts.api);
        return answers() - before;
      };
      const hash = '0a'.repeat(16);
      for (const bot of [`service_account_group_${groupId}_${hash}`, `service_account_${hash}`])
        expect(await answersTo(bot)).toBe(0);
      // A service account that was given a name, as the account of the service.
      await use(gitlab.addToken({ ...gitlab.addUser('planner'), bot: true }, { groupId }));
      expect(await answersTo('Planner')).toBe(0);
      expect(await answersTo('maintainer')).toBe(1);
      await use(gitlab.addToken(gitlab.findOrAddUser('maintainer'), { groupId }));
      expect(await answersTo('maintainer')).toBe(1);
      await use(gitlab.addGroupToken(groupId));
    });

    it('reaches no project of another group, and uses up none of its delivery ids', async () => {
      const otherSecret = await aGroup('other', await aTenant(hosts.api, admin));
      const theirs = hosts.gitlab.addProject(groupOf('other'), 'theirs', { 'main.tf': '' });
      const change = hosts.gitlab.addMergeRequest(theirs, 'change', { 'main.tf': 'x' });
      // The first delivery of a group makes it installed, and records no project that GitLab does not show to its token.
      const first = { object_kind: 'push', project: hosts.gitlab.hookProject(project) };
      expect(await hosts.gitlab.deliver(url(), otherSecret, first)).toBe(200);
      await allProcessed(hosts.api);
      const repositoriesOf = (name: string) =>
        query<{ state: string; repositories: string[] }>(
          `SELECT i.state, array_remove(array_agg(r.name), NULL) AS repositories FROM installations i
             LEFT JOIN repositories r ON r.installation_id = i.id WHERE i.name = $1 GROUP BY i.id`,
          [name],
        );
      expect(await repositoriesOf('other')).toEqual([{ state: 'installed', repositories: [] }]);
      const id = randomUUID();
      const payload = {
        object_kind: 'merge_request',
        project: hosts.gitlab.hookProject(theirs),
        object_attributes: { iid: change.iid, action: 'open' },
      };
      const pullsOfTheirs = () =>
        query<{ name: string }>(
          `SELECT i.name FROM pull_requests p JOIN repositories r ON r.id = p.repository_id
             JOIN installations i ON i.id = r.installation_id WHERE r.provider_id = $1`,
          [String(theirs.id)],
        );
      expect(await hosts.gitlab.deliver(url(), secret, payload, { id })).toBe(200);
      await allProcessed(hosts.api);
      expect(await pullsOfTheirs()).toEqual([]);
      expect(await hosts.gitlab.deliver(url(), otherSecret, payload, { id })).toBe(200);
      await allProcessed(hosts.api);
      expect(await pullsOfTheirs()).toEqual([{ name: 'other' }]);
    });
  });

  describe('ids and addresses', () => {
    it('ids of groups must be numbers, and tokens cannot change a request', async () => {
      const path = `/tenants/${admin.tenantId}/vcs-installations/gitlab`;
      const asked = () => hosts.gitlab.requests(/personal_access_tokens|\/user|\/members\//);
      const before = asked();
      for (const group_id of [
        '1/../../x',
        -1,
        1.5,
        '',
        null,
        [1],
        2 ** 60,
        '0x10',
        '1?x=',
        'http://169.254.169.254/',
      ])
        expect(
          (
            await call(hosts.api, 'POST', path, {
              as: admin.token,
              body: { name: 'x', group_id, access_token: 'x' },
            })
          ).status,
        ).toBe(400);
      for (const access_token of ['x\r\nX-Other: 1', 'x y', '\u0000', 'ü'])
        expect(
          (
            await call(hosts.api, 'POST', path, {
              as: admin.token,
              body: { name: 'x', group_id: 987_654, access_token },
            })
          ).status,
        ).toBe(400);
      for (const id of ['..%2f..%2fuser', '1%2F..', '1%3Fx', '%2e%2e'])
        expect([400, 404]).toContain(
          (await call(hosts.api, 'GET', `/gitlab/installations/${id}/webhook`, { as: admin.token })).status,
        );
      expect(asked()).toEqual(before);
    });
  });

  it('links, claims and unlinks at the same time leave one owner with one user, or none', async () => {
    const installation = hosts.github.install('raced');
    hosts.github.addPerson('raced-owner', { raced: 'admin' });
    hosts.github.signedInAs = 'raced-owner';
    const tenants = [await aTenant(hosts.api, admin), await aTenant(hosts.api, admin)];
    const browsers = await Promise.all(
      tenants.map(async (tenantId) => {
        const browser = new Browser(hosts.api, admin);
        await browser.walk(`/api/v1/tenants/${tenantId}/vcs-installations/github/claim/start?rd=/x`);
        return browser;
      }),
    );
    const [row] = await query<{ id: string }>('SELECT id FROM installations WHERE installation_id = $1', [
      String(installation.id),
    ]);
    const id = row?.id ?? '';
    const acts = tenants.flatMap((tenantId, index) => {
      const base = `/tenants/${tenantId}/vcs-installations/github`;
      const claim = () => browsers[index]?.send('POST', `/api/v1${base}/claim`, { installation_core_id: id });
      const link = () => call(hosts.api, 'PUT', `${base}/${id}`, { as: admin.token });
      const unlink = () => call(hosts.api, 'DELETE', `${base}/${id}`, { as: admin.token });
      return [claim, unlink, link, unlink, claim, link];
    });
    const statuses = await Promise.all(acts.map(async (act) => (await act())?.status));
    for (const status of statuses) expect([200, 204, 404, 409]).toContain(status);
    const [state] = await query<{ tenant_id: string | null; system_user_id: string | null }>(
      'SELECT tenant_id, system_user_id FROM installations WHERE id = $1',
      [id],
    );
    const live = await query<{ id: string; tenant_id: string }>(
      `SELECT u.id, m.tenant_id FROM users u JOIN tenant_members m ON m.user_id = u.id
        WHERE u.type = 'system' AND u.name = 'raced' AND u.deleted_at IS NULL`,
    );
    expect(live).toEqual(
      state?.tenant_id == null ? [] : [{ id: state.system_user_id, tenant_id: state.tenant_id }],
    );
  });

  it('leaves neither user nor secrets of a group to whoever links it next', async () => {
    const former = await aGroup('left');
    const group = groupOf('left');
    const row = async () =>
      (
        await query(
          `SELECT i.id, i.state, i.system_user_id AS user, c.access_token IS NOT NULL AS "hasToken",
                  u.deleted_at IS NULL AS lives
             FROM installations i JOIN group_credentials c ON c.installation_id = i.id
             LEFT JOIN users u ON u.id = i.system_user_id WHERE i.installation_id = $1`,
          [String(group)],
        )
      )[0] ?? {};
    const tell = (with_: unknown) => hosts.gitlab.deliver(url(), String(with_), { object_kind: 'push' });
    const as = admin.token;
    expect(await tell(former)).toBe(200);
    const { id, user } = await row();
    // Runs act as this user.
    const deletion = await call(hosts.api, 'DELETE', `/users/delete?user_id=${String(user)}`, { as });
    expect([deletion.status, deletion.body['id']]).toEqual([409, 'SYSTEM_USER_IN_USE']);
    const linked = { id, state: 'installed', hasToken: true, lives: true };
    expect(await row()).toEqual({ ...linked, user });
    const link = (tenant: string) => `/tenants/${tenant}/vcs-installations/gitlab/${String(id)}`;
    expect((await call(hosts.api, 'DELETE', link(admin.tenantId), { as })).status).toBe(204);
    expect(await row()).toMatchObject({ state: 'pending', user: null, hasToken: false });
    const [ended] = await query('SELECT deleted_at IS NULL AS lives FROM users WHERE id = $1', [user]);
    expect(ended).toEqual({ lives: false });
    expect(await tell(former)).toBe(500);
    const next = await aTenant(hosts.api, admin);
    expect((await call(hosts.api, 'PUT', link(next), { as })).body).toMatchObject({ state: 'pending' });
    expect(await tell(former)).toBe(500);
    const { body: changed } = await call(
      hosts.api,
      'PUT',
      `/tenants/${next}/vcs-installations/gitlab/${group}`,
      { as, body: { access_token: hosts.gitlab.addGroupToken(group), regenerate_webhook_secret: true } },
    );
    expect(await tell(changed['webhook_secret'])).toBe(200);
    expect(await row()).toMatchObject(linked);
  });

  it('finds nothing of payloads, codes, tokens and secrets in logs and error bodies', async () => {
    const odd = JSON.stringify({ [MARKER]: MARKER, action: MARKER });
    const answers = [
      await post(odd, { 'X-Hub-Signature-256': sign(`${odd} `) }),
      await post(`${odd}}`, { 'X-Hub-Signature-256': sign(`${odd}}`) }),
      await post(odd, { 'X-Gitlab-Token': `${MARKER}-secret` }, '/api/v1/gitlab/events'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([401, 400, 500]);
    await post(odd, { 'X-Hub-Signature-256': sign(odd), 'X-GitHub-Event': MARKER });
    hosts.gitlab.fail({
      matches: /\/api\/v4\//,
      status: 400,
      times: 1,
      json: { message: `${MARKER}-words` },
    });
    const refused = await call(hosts.api, 'POST', `/tenants/${admin.tenantId}/vcs-installations/gitlab`, {
      as: admin.token,
      body: { name: 'x', group_id: 5, access_token: `${MARKER}-token` },
    });
    await allProcessed(hosts.api);
    const metrics = await (await fetch(`${hosts.api.internalUrl}/metrics`)).text();
    const text = [
      hosts.api.output(),
      hosts.worker.output(),
      metrics,
      JSON.stringify(refused.body),
      ...answers.map((answer) => answer.text),
    ].join('\n');
    const secrets = [
      MARKER,
      secret,
      hosts.github.webhookSecret,
      hosts.github.clientSecret,
      hosts.gitlab.clientSecret,
      ...hosts.github.grants.keys(),
      ...hosts.gitlab.tokens.keys(),
      ...hosts.github.tokens.map(({ token }) => token),
      ...hosts.github.codesGiven,
    ];
    expect(secrets.length).toBeGreaterThan(8);
    expect(secrets.filter((one) => text.includes(one))).toEqual([]);
  });
});
