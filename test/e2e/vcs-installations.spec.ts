import { randomUUID } from 'node:crypto';
import { Browser, type CodeHosting, startCodeHosting } from '../support/code-hosting.js';
import { whileHeld } from '../support/held-lock.js';
import {
  type Admin,
  aKey,
  aManager,
  aMember,
  anAdmin,
  anOutsider,
  aTenant,
  call,
  matrix,
  must,
  type Person,
} from '../support/identity.js';

type Row = Record<string, unknown>;

describe('Installations of code hosts', () => {
  let hosts: CodeHosting;
  let admin: Admin;
  let tenantAdmin: Person;
  let member: Person;
  let outsider: Person;

  beforeAll(async () => {
    hosts = await startCodeHosting();
    admin = await anAdmin(hosts.api);
    tenantAdmin = await aManager(hosts.api, admin, { tenant_admin: true });
    member = await aMember(hosts.api, admin);
    outsider = await anOutsider(hosts.api, admin);
  });
  afterAll(() => hosts.stop());
  beforeEach(() => {
    hosts.github.healed();
    hosts.gitlab.healed();
  });

  const base = (tenantId = admin.tenantId): string => `/api/v1/tenants/${tenantId}/vcs-installations`;

  async function claimed(person: Person, tenantId: string, coreId: string): Promise<number> {
    const browser = new Browser(hosts.api, person);
    await browser.walk(`${base(tenantId)}/github/claim/start?rd=/x`);
    return (await browser.send('POST', `${base(tenantId)}/github/claim`, { installation_core_id: coreId }))
      .status;
  }

  async function coreIdOf(installationId: number): Promise<string> {
    const { rows } = await hosts.api.pool.query<{ id: string }>(
      'SELECT id FROM installations WHERE installation_id = $1',
      [String(installationId)],
    );
    return rows[0]?.id ?? '';
  }

  async function auditOf(action: string): Promise<Row[]> {
    const { rows } = await hosts.api.pool.query<Row>(
      'SELECT * FROM audit_entries WHERE action = $1 ORDER BY id',
      [action],
    );
    return rows;
  }

  it('shows the configuration of both providers and the client id', async () => {
    const { body } = await call(hosts.api, 'GET', '/server/config');
    expect(body).toEqual({
      github: {
        api_base_url: `${hosts.github.url}/api/v3`,
        app_client_id: 'Iv1.client',
        app_url: `${hosts.github.url}/apps/infrastate`,
        web_base_url: hosts.github.url,
      },
      gitlab: {
        api_base_url: `${hosts.gitlab.url}/api/v4`,
        app_id: 'gitlab-app',
        redirect_url: `${hosts.api.url}/api/v1/gitlab/link/callback`,
        web_base_url: hosts.gitlab.url,
      },
    });
    for (const spelling of ['github', 'vcs_a'])
      expect((await call(hosts.api, 'GET', `/${spelling}/client_id`)).body).toEqual({
        client_id: 'Iv1.client',
      });
    const { body: flags } = await call(hosts.api, 'GET', '/capabilities', { as: member.token });
    expect(flags).toMatchObject({
      app_url: `${hosts.github.url}/apps/infrastate`,
      github_app_url: expect.any(String),
    });
  });

  describe('access', () => {
    it('opens each route to those it is for', async () => {
      const callers = {
        anonymous: undefined,
        outsider: outsider.token,
        member: member.token,
        'plan-only key': await aKey(hosts.api, member, { preview: {} }),
        'tenant admin': tenantAdmin.token,
        'installation admin': admin.token,
      };
      const tenant = `/tenants/${admin.tenantId}/vcs-installations`;
      const on = (method: string, path: string, body?: unknown) =>
        matrix(callers, (as) =>
          call(hosts.api, method, path, { ...(as === undefined ? {} : { as }), ...(body ? { body } : {}) }),
        );
      const open = {
        anonymous: 401,
        outsider: 200,
        member: 200,
        'plan-only key': 200,
        'tenant admin': 200,
        'installation admin': 200,
      };
      const tenantAdmins = { anonymous: 401, outsider: 404, member: 403, 'plan-only key': 403 };
      for (const [github, gitlab] of [
        ['github', 'gitlab'],
        ['vcs_a', 'vcs_b'],
      ]) {
        expect(await on('GET', tenant)).toEqual({ ...open, outsider: 404 });
        expect(await on('GET', `${tenant}/deliveries`)).toMatchObject({
          ...tenantAdmins,
          'tenant admin': 200,
        });
        expect(await on('GET', `${tenant}/${github}/claimable`)).toMatchObject({
          ...tenantAdmins,
          'tenant admin': 412,
          'installation admin': 412,
        });
        expect(
          await on('POST', `${tenant}/${github}/claim`, { installation_core_id: randomUUID() }),
        ).toMatchObject({ ...tenantAdmins, 'tenant admin': 412 });
        expect(await on('POST', `${tenant}/${gitlab}`, {})).toMatchObject({
          ...tenantAdmins,
          'tenant admin': 400,
        });
        expect(await on('PUT', `${tenant}/${gitlab}/77`, {})).toMatchObject({
          ...tenantAdmins,
          'tenant admin': 400,
        });
        expect(await on('PUT', `${tenant}/${gitlab}/neither`, {})).toMatchObject({
          ...tenantAdmins,
          'tenant admin': 400,
        });
        expect(await on('PUT', `${tenant}/${gitlab}/${randomUUID()}`)).toMatchObject({
          ...tenantAdmins,
          'tenant admin': 403,
          'installation admin': 404,
        });
        expect(await on('PUT', `${tenant}/${github}/${randomUUID()}`)).toMatchObject({
          outsider: 403,
          member: 403,
          'tenant admin': 403,
          'installation admin': 404,
        });
        expect(await on('DELETE', `${tenant}/${github}/${randomUUID()}`)).toMatchObject({
          ...tenantAdmins,
          'tenant admin': 404,
        });
        expect(await on('GET', `/vcs-installations/${github}/unclaimed`)).toEqual({
          anonymous: 401,
          outsider: 403,
          member: 403,
          'plan-only key': 403,
          'tenant admin': 403,
          'installation admin': 200,
        });
        expect(await on('GET', `/user/${github}/installations`)).toEqual(open);
        expect(await on('GET', `/${gitlab}/installations`)).toEqual(open);
        for (const path of [
          `/${github}/whoami`,
          `/${gitlab}/whoami`,
          `/${gitlab}/groups`,
          `/${gitlab}/installations/5/webhook`,
        ])
          expect(await on('GET', path)).toMatchObject({
            anonymous: 401,
            member: 403,
            'installation admin': 403,
          });
        for (const path of [`/${github}/installations/5/repos`, `/${gitlab}/installations/5/pull-requests`])
          expect(await on('GET', path)).toMatchObject({
            anonymous: 401,
            outsider: 403,
            member: 403,
            'installation admin': 403,
          });
      }
    });
  });

  describe('an account', () => {
    it.each(['github', 'gitlab'] as const)(
      'an installation of %s is linked, shown and unlinked',
      async (provider) => {
        const person = await aMember(hosts.api, admin);
        const name = `linker-${provider}`;
        if (provider === 'github') hosts.github.addPerson(name);
        else hosts.gitlab.addUser(name);
        hosts[provider].signedInAs = name;
        const browser = new Browser(hosts.api, person);
        expect(await browser.walk(`/api/v1/${provider}/link/start?rd=/keys?x=1`)).toBe('/keys?x=1');
        const { body } = await call(hosts.api, 'GET', `/${provider}/whoami`, { as: person.token });
        expect(body).toMatchObject({ username: name });
        expect((await browser.send('DELETE', `/api/v1/${provider}/link`)).status).toBe(204);
        expect((await call(hosts.api, 'GET', `/${provider}/whoami`, { as: person.token })).status).toBe(403);
        const { rows } = await hosts.api.pool.query('SELECT FROM linked_accounts WHERE user_id = $1', [
          person.id,
        ]);
        expect(rows).toHaveLength(0);
      },
    );

    it('is linked by the browser that began, once, and goes nowhere else', async () => {
      hosts.github.addPerson('replayer');
      hosts.github.signedInAs = 'replayer';
      const person = await aMember(hosts.api, admin);
      const browser = new Browser(hosts.api, person);
      const { location } = await browser.send('GET', '/api/v1/github/link/start?rd=https://evil.example/');
      const sealed = browser.valueOf('vcs_link') ?? '';
      const { location: back } = await browser.send('GET', location);
      const other = new Browser(hosts.api, await aMember(hosts.api, admin));
      other.give('vcs_link', sealed);
      const failed = `${hosts.api.url}/?github_link=error`;
      expect((await other.send('GET', back)).location).toBe(failed);
      expect((await browser.send('GET', back.replace(/state=[^&]+/, 'state=forged'))).location).toBe(failed);
      browser.give('vcs_link', sealed);
      expect((await browser.send('GET', back)).location).toBe(hosts.api.url);
      browser.give('vcs_link', sealed);
      expect((await browser.send('GET', back)).location).toBe(failed);
      expect(JSON.stringify(await auditOf('account.link'))).toContain('replayer');
    });

    it('is forgotten when the provider ends the grant or the user is deleted', async () => {
      const [first, second] = [await aMember(hosts.api, admin), await aMember(hosts.api, admin)];
      hosts.gitlab.addUser('ending');
      hosts.gitlab.signedInAs = 'ending';
      for (const person of [first, second])
        await new Browser(hosts.api, person).walk('/api/v1/gitlab/link/start?rd=/');
      for (const token of hosts.gitlab.tokens.values()) if (token.refresh) token.isRevoked = true;
      expect((await call(hosts.api, 'GET', '/gitlab/groups', { as: first.token })).status).toBe(403);
      expect((await call(hosts.api, 'GET', '/gitlab/whoami', { as: first.token })).status).toBe(403);
      expect((await call(hosts.api, 'GET', '/gitlab/whoami', { as: second.token })).status).toBe(200);
      await must(hosts.api, 'DELETE', `/users/delete?user_id=${second.id}`, { as: admin.token });
      const { rows } = await hosts.api.pool.query('SELECT FROM linked_accounts WHERE user_id = ANY ($1)', [
        [first.id, second.id],
      ]);
      expect(rows).toHaveLength(0);
    });

    it('has its token refreshed once, however many ask', async () => {
      const person = await aMember(hosts.api, admin);
      hosts.gitlab.addUser('refresher');
      hosts.gitlab.signedInAs = 'refresher';
      hosts.gitlab.userTokenSeconds = 1;
      await new Browser(hosts.api, person).walk('/api/v1/gitlab/link/start?rd=/');
      hosts.gitlab.userTokenSeconds = 7200;
      const before = hosts.gitlab.refreshes;
      const statuses = await Promise.all(
        Array.from(
          { length: 12 },
          async () => (await call(hosts.api, 'GET', '/gitlab/groups', { as: person.token })).status,
        ),
      );
      expect(new Set(statuses)).toEqual(new Set([200]));
      expect(hosts.gitlab.refreshes - before).toBe(1);
    });
  });

  describe('a claim', () => {
    it('links an organization that the caller administers, with a user that runs act as', async () => {
      const installation = hosts.github.install('acme');
      hosts.github.install('others');
      hosts.github.addPerson('owner-of-acme', { acme: 'admin', others: 'member' });
      hosts.github.signedInAs = 'owner-of-acme';
      const browser = new Browser(hosts.api, tenantAdmin);
      const page = `/tenants/${admin.tenantId}/installations`;
      expect(await browser.walk(`${base()}/vcs_a/claim/start?rd=${page}`)).toBe(page);
      const { body } = await browser.send('GET', `${base()}/github/claimable`);
      const coreId = await coreIdOf(installation.id);
      expect(body).toEqual({
        results: [
          {
            installation_core_id: coreId,
            github_id: String(installation.id),
            login: 'acme',
            target_type: 'organization',
            state: 'active',
            created_at: expect.any(String),
          },
        ],
      });
      for (let times = 0; times < 2; times += 1) {
        const claim = await browser.send('POST', `${base()}/vcs_a/claim`, { installation_core_id: coreId });
        expect([claim.status, claim.body]).toMatchObject([
          200,
          { provider: 'github', installation_core_id: coreId },
        ]);
      }
      expect((await browser.send('GET', `${base()}/github/claimable`)).body).toEqual({ results: [] });
      const { rows } = await hosts.api.pool.query<Row>(
        `SELECT u.type, u.name FROM installations i JOIN users u ON u.id = i.system_user_id
           JOIN tenant_members m ON m.user_id = u.id AND m.tenant_id = i.tenant_id WHERE i.id = $1`,
        [coreId],
      );
      expect(rows).toEqual([{ type: 'system', name: 'acme' }]);
      expect(await auditOf('installation.claim')).toHaveLength(1);
      const list = await call<{ installations: Row[] }>(hosts.api, 'GET', '/user/vcs_a/installations', {
        as: member.token,
      });
      expect(list.body.installations).toContainEqual({
        id: String(installation.id),
        name: 'acme',
        account_status: 'active',
        created_at: expect.any(String),
        tier: { name: 'unlimited', features: {} },
      });
      expect(
        (
          await call(hosts.api, 'DELETE', `/tenants/${admin.tenantId}/vcs-installations/github/${coreId}`, {
            as: tenantAdmin.token,
          })
        ).status,
      ).toBe(204);
      const ended = await hosts.api.pool.query<Row>(
        `SELECT u.deleted_at IS NOT NULL AS is_deleted, EXISTS (SELECT FROM tenant_members m WHERE m.user_id = u.id) AS is_member
           FROM users u WHERE u.name = 'acme' AND u.type = 'system'`,
      );
      expect(ended.rows).toEqual([{ is_deleted: true, is_member: false }]);
    });

    it('is refused for what was not proved, by whom it was not proved, and without a proof', async () => {
      const [mine, theirs] = [hosts.github.install('mine'), hosts.github.install('theirs')];
      hosts.github.addPerson('prover', { mine: 'admin' });
      hosts.github.addPerson('their-owner', { theirs: 'admin' });
      hosts.github.signedInAs = 'their-owner';
      const other = new Browser(hosts.api, await aManager(hosts.api, admin, { tenant_admin: true }));
      await other.walk(`${base()}/github/claim/start?rd=/x`);
      hosts.github.signedInAs = 'prover';
      const browser = new Browser(hosts.api, tenantAdmin);
      await browser.walk(`${base()}/github/claim/start?rd=/x`);
      const claim = (target: Browser, id: unknown) =>
        target.send('POST', `${base()}/github/claim`, { installation_core_id: id });
      expect((await claim(browser, await coreIdOf(theirs.id))).body).toMatchObject({
        id: 'CLAIM_NOT_PROVED',
      });
      expect((await claim(browser, randomUUID())).body).toMatchObject({ id: 'INSTALLATION_NOT_FOUND' });
      expect((await claim(browser, 'x')).status).toBe(400);
      // The proof of another person, and a forged one.
      const proof = other.valueOf('vcs_claim_proof') ?? '';
      browser.give('vcs_claim_proof', proof);
      expect((await claim(browser, await coreIdOf(theirs.id))).status).toBe(412);
      browser.give('vcs_claim_proof', `${proof.slice(0, -4)}AAAA`);
      expect((await claim(browser, await coreIdOf(mine.id))).status).toBe(412);
      // The proof for another tenant.
      const tenantId = await aTenant(hosts.api, admin);
      const everywhere = new Browser(hosts.api, admin);
      await everywhere.walk(`${base(tenantId)}/github/claim/start?rd=/x`);
      expect(everywhere.cookieNames(`${base(tenantId)}/github/claim`)).toContain('vcs_claim_proof');
      expect(everywhere.cookieNames(`${base()}/github/claim`)).not.toContain('vcs_claim_proof');
      everywhere.give('vcs_claim_proof', everywhere.valueOf('vcs_claim_proof') ?? '');
      expect((await claim(everywhere, await coreIdOf(mine.id))).status).toBe(412);
    });

    it('an enterprise cannot be claimed with an organization of the same name', async () => {
      const enterprise = hosts.github.install('megacorp', 'Enterprise');
      const organization = hosts.github.install('minicorp');
      hosts.github.addPerson('squatter', { megacorp: 'admin', minicorp: 'admin' });
      hosts.github.signedInAs = 'squatter';
      const browser = new Browser(hosts.api, tenantAdmin);
      await browser.walk(`${base()}/github/claim/start?rd=/x`);
      const { body } = await browser.send('GET', `${base()}/github/claimable`);
      const claimable = (body['results'] as { github_id: string }[]).map(({ github_id }) => github_id);
      expect(claimable).toEqual([String(organization.id)]);
      expect(await coreIdOf(enterprise.id)).toBe('');
    });

    it('says how it failed where it was begun, and never goes to another site', async () => {
      const browser = new Browser(hosts.api, member);
      const start = (rd: string) =>
        browser.send('GET', `${base()}/github/claim/start?rd=${encodeURIComponent(rd)}`);
      expect((await start('/x?y=1')).location).toBe('/x?y=1&github_claim=not_member');
      for (const rd of [
        'https://evil.example/',
        '//evil.example',
        '/\\evil.example',
        '/.//evil.example',
        'javascript:alert(1)',
        '/%09/evil.example/..//',
        'http:evil',
      ])
        expect(new URL((await start(rd)).location, hosts.api.url).origin).toBe(hosts.api.url);
      const owner = new Browser(hosts.api, tenantAdmin);
      const { location } = await owner.send('GET', `${base()}/github/claim/start?rd=/x`);
      const { location: back } = await owner.send('GET', location);
      hosts.github.fail({ matches: /oauth\/access_token/, status: 500, times: 9 });
      expect((await owner.send('GET', back)).location).toBe('/x?github_claim=error');
      expect(owner.valueOf('vcs_claim_proof')).toBeUndefined();
    });

    it('a claim asks the provider for every page of what the person sees', async () => {
      const others = Array.from({ length: 105 }, (_, n) => hosts.github.install(`page-${n}`));
      const last = hosts.github.install('on-the-second-page');
      hosts.github.addPerson('pager', { 'on-the-second-page': 'admin', 'page-7': 'member' });
      hosts.github.signedInAs = 'pager';
      const asked = hosts.github.requests(/GET .*\/user\/installations/).length;
      const browser = new Browser(hosts.api, tenantAdmin);
      expect(await browser.walk(`${base()}/github/claim/start?rd=/x`)).toBe('/x');
      const { body } = await browser.send('GET', `${base()}/github/claimable`);
      expect(body['results']).toMatchObject([{ github_id: String(last.id), login: 'on-the-second-page' }]);
      expect(hosts.github.requests(/GET .*\/user\/installations/).length - asked).toBe(2);
      for (const one of others) one.isGone = true;
    });

    it('concurrent claims of two tenants give the installation to one of them', async () => {
      const installation = hosts.github.install('wanted');
      hosts.github.addPerson('wanted-owner', { wanted: 'admin' });
      hosts.github.signedInAs = 'wanted-owner';
      const tenants = [await aTenant(hosts.api, admin), await aTenant(hosts.api, admin)];
      const browsers = [];
      for (const tenantId of tenants) {
        const browser = new Browser(hosts.api, admin);
        await browser.walk(`${base(tenantId)}/github/claim/start?rd=/x`);
        browsers.push({ browser, tenantId });
      }
      const id = await coreIdOf(installation.id);
      const statuses = await Promise.all(
        browsers.map(
          async ({ browser, tenantId }) =>
            (await browser.send('POST', `${base(tenantId)}/github/claim`, { installation_core_id: id }))
              .status,
        ),
      );
      expect(statuses.sort()).toEqual([200, 409]);
      expect(await claimed(tenantAdmin, admin.tenantId, id)).toBe(409);
    });
  });

  describe('a group', () => {
    it('is provisioned with a token that was tried, once, and its secrets are rotated', async () => {
      const group = hosts.gitlab.addGroup('platform');
      const token = hosts.gitlab.addGroupToken(group.id);
      const path = `/tenants/${admin.tenantId}/vcs-installations/vcs_b`;
      const body = { name: 'Platform', group_id: group.id, access_token: token };
      const weak = hosts.gitlab.addGroupToken(group.id, 30);
      const readOnly = hosts.gitlab.addGroupToken(group.id, 40, ['read_api']);
      const foreign = hosts.gitlab.addGroupToken(hosts.gitlab.addGroup('elsewhere').id);
      for (const access_token of [weak, readOnly, foreign, 'made-up'])
        expect(
          (await call(hosts.api, 'POST', path, { as: tenantAdmin.token, body: { ...body, access_token } }))
            .body,
        ).toMatchObject({ id: 'PROVIDER_TOKEN_REFUSED' });
      for (const access_token of ['with space', 'über'])
        expect(
          await call(hosts.api, 'POST', path, { as: tenantAdmin.token, body: { ...body, access_token } }),
        ).toMatchObject({
          status: 400,
          body: { id: 'INVALID_REQUEST', data: expect.stringMatching(/^access_token /) },
        });
      hosts.gitlab.fail({
        matches: /access_tokens\/self/,
        status: 503,
        times: 9,
        headers: { 'Retry-After': '30' },
      });
      const down = await call(hosts.api, 'POST', path, { as: tenantAdmin.token, body });
      expect([down.status, down.body['id'], down.headers.get('retry-after')]).toEqual([
        503,
        'PROVIDER_UNAVAILABLE',
        '30',
      ]);
      hosts.gitlab.healed();
      const both = await Promise.all(
        [1, 2].map(() => call(hosts.api, 'POST', path, { as: tenantAdmin.token, body })),
      );
      expect(both.map(({ status }) => status).sort()).toEqual([201, 409]);
      const made = both.find(({ status }) => status === 201)?.body ?? {};
      expect(made).toEqual({
        group_id: group.id,
        name: 'Platform',
        state: 'pending',
        webhook_secret: expect.stringMatching(/^[0-9a-f]{64}$/),
        webhook_url: `${hosts.api.url}/api/v1/gitlab/events`,
        installation_core_id: expect.any(String),
      });
      const change = (changes: Row) =>
        call(hosts.api, 'PUT', `${path}/${group.id}`, { as: tenantAdmin.token, body: changes });
      expect((await change({})).status).toBe(400);
      expect((await change({ access_token: weak })).body).toMatchObject({ id: 'PROVIDER_TOKEN_REFUSED' });
      expect((await change({ access_token: hosts.gitlab.addGroupToken(group.id) })).body).not.toHaveProperty(
        'webhook_secret',
      );
      const { body: rotated } = await change({ regenerate_webhook_secret: true });
      expect(rotated['webhook_secret']).not.toBe(made['webhook_secret']);
      const send = (secret: unknown) =>
        hosts.gitlab.deliver(String(made['webhook_url']), secret as string, { object_kind: 'push' });
      expect(await send(made['webhook_secret'])).toBe(500);
      expect(await send(rotated['webhook_secret'])).toBe(200);
      const { rows } = await hosts.api.pool.query<Row>('SELECT state FROM installations WHERE id = $1', [
        made['installation_core_id'],
      ]);
      expect(rows).toEqual([{ state: 'installed' }]);
      const foreignTenant = await aTenant(hosts.api, admin);
      expect(
        (
          await call(hosts.api, 'PUT', `/tenants/${foreignTenant}/vcs-installations/gitlab/${group.id}`, {
            as: admin.token,
            body: { regenerate_webhook_secret: true },
          })
        ).status,
      ).toBe(404);

      // A tenant that loses the group meanwhile is not told the secret of whoever has it then.
      const secretHash = async () =>
        (
          await hosts.api.pool.query<{ hash: Buffer }>(
            'SELECT webhook_secret_hash AS hash FROM group_credentials WHERE installation_id = $1',
            [made['installation_core_id']],
          )
        ).rows[0]?.hash;
      const before = await secretHash();
      const lost = await whileHeld(
        hosts.api.pool,
        {
          text: 'SELECT FROM installations WHERE id = $1 FOR UPDATE',
          values: [made['installation_core_id']],
        },
        {
          action: () => change({ regenerate_webhook_secret: true }),
          meanwhile: (holder) =>
            holder.query('UPDATE installations SET tenant_id = $2 WHERE id = $1', [
              made['installation_core_id'],
              foreignTenant,
            ]),
        },
      );
      expect([lost.waited, lost.result.status]).toEqual([true, 404]);
      expect(await secretHash()).toEqual(before);
    });

    it('is registered by a Maintainer and linked by an administrator of the installation', async () => {
      const person = await aMember(hosts.api, admin);
      const visitor = await aMember(hosts.api, admin);
      hosts.gitlab.addUser('maintainer');
      hosts.gitlab.addUser('developer');
      const group = hosts.gitlab.addGroup('registered', { maintainer: 40, developer: 30 });
      const second = hosts.gitlab.addGroup('another', { maintainer: 50 });
      hosts.gitlab.addGroup('not-theirs', { developer: 50 });
      hosts.gitlab.signedInAs = 'maintainer';
      await new Browser(hosts.api, person).walk('/api/v1/gitlab/link/start?rd=/');
      hosts.gitlab.signedInAs = 'developer';
      await new Browser(hosts.api, visitor).walk('/api/v1/gitlab/link/start?rd=/');
      const groups = await fetch(`${hosts.api.url}/api/v1/vcs_b/groups`, {
        headers: { Authorization: `Bearer ${person.token}` },
      });
      expect(await groups.json()).toEqual([
        { id: second.id, name: 'another' },
        { id: group.id, name: 'registered' },
      ]);
      const path = `/vcs_b/installations/${group.id}`;
      expect((await call(hosts.api, 'GET', `${path}/webhook`, { as: visitor.token })).status).toBe(403);
      const [shown, again] = await Promise.all(
        [1, 2].map(() => call(hosts.api, 'GET', `${path}/webhook`, { as: person.token })),
      );
      expect(shown?.body).toEqual({
        state: 'pending',
        webhook_secret: expect.any(String),
        webhook_url: `${hosts.api.url}/api/v1/gitlab/events`,
      });
      expect(again?.body).toEqual(shown?.body);
      const body = { access_token: hosts.gitlab.addGroupToken(group.id) };
      expect((await call(hosts.api, 'PUT', `${path}/access-token`, { as: visitor.token, body })).status).toBe(
        403,
      );
      expect((await call(hosts.api, 'PUT', `${path}/access-token`, { as: person.token, body })).status).toBe(
        200,
      );
      const link = `/tenants/${admin.tenantId}/vcs-installations/vcs_b/${await coreIdOf(group.id)}`;
      expect((await call(hosts.api, 'PUT', link, { as: tenantAdmin.token })).status).toBe(403);
      expect((await call(hosts.api, 'PUT', link, { as: admin.token })).body).toMatchObject({
        group_id: group.id,
      });
      expect((await call(hosts.api, 'PUT', link, { as: admin.token })).status).toBe(200);
      const elsewhere = `/tenants/${await aTenant(hosts.api, admin)}/vcs-installations/gitlab/${await coreIdOf(group.id)}`;
      expect((await call(hosts.api, 'PUT', elsewhere, { as: admin.token })).body).toMatchObject({
        id: 'INSTALLATION_LINKED',
      });
      expect(await auditOf('installation.register')).toHaveLength(1);
    });
  });

  it('keeps none of its secrets in plain: not in the database, the logs, or the audit', async () => {
    const { rows: tables } = await hosts.api.pool.query<{ name: string }>(
      `SELECT table_schema || '.' || table_name AS name FROM information_schema.tables
        WHERE table_type = 'BASE TABLE' AND table_schema IN ('public', 'bullmq')`,
    );
    const dump = [hosts.api.output(), hosts.worker.output()];
    for (const { name } of tables) {
      const { rows } = await hosts.api.pool.query<{ row: string }>(`SELECT t::text AS row FROM ${name} t`);
      dump.push(rows.map(({ row }) => row).join('\n'));
    }
    const text = dump.join('\n');
    const secrets = [
      hosts.github.clientSecret,
      hosts.github.webhookSecret,
      hosts.gitlab.clientSecret,
      ...hosts.github.grants.keys(),
      ...hosts.gitlab.tokens.keys(),
      ...hosts.github.tokens.map(({ token }) => token),
    ];
    expect(secrets.length).toBeGreaterThan(10);
    const hex = (secret: string): string => Buffer.from(secret).toString('hex');
    expect(secrets.filter((secret) => text.includes(secret) || text.includes(hex(secret)))).toEqual([]);
  });
});
