import {
  type Admin,
  aKey,
  aManager,
  anAdmin,
  aTenant,
  call,
  must,
  type Person,
  aMember,
  startGenerous,
} from '../support/identity.js';
import { anIdentityProvider, Browser, type IdentityProvider } from '../support/identity-provider.js';
import { freePort, type RunningService, startService } from '../support/service.js';

// The provider is not shy about being a development one.
for (const method of ['info', 'warn'] as const)
  jest.spyOn(console, method).mockImplementation(() => undefined);

const CALLBACK = /\/oauth2\/oidc\/callback\?/;

describe('Single sign-on', () => {
  let local: RunningService;
  let admin: Admin;
  let member: Person;
  let memberKey: string;
  let provider: IdentityProvider;
  let one: RunningService;
  let two: RunningService;
  let base: string;
  let env: Record<string, string>;

  beforeAll(async () => {
    // An installation that begins with passwords and then turns single sign-on on.
    local = await startGenerous();
    admin = await anAdmin(local);
    member = await aMember(local, admin);
    memberKey = await aKey(local, member);
    // What a load balancer would be: the address registered at the provider is neither replica's own.
    base = `http://127.0.0.1:${await freePort()}`;
    provider = await anIdentityProvider([`${base}/oauth2/oidc/callback`]);
    env = {
      SERVICE_UI_BASE: base,
      SERVICE_OAUTH_TYPE: 'oidc',
      SERVICE_OAUTH_CLIENT_ID: provider.clientId,
      SERVICE_OAUTH_CLIENT_SECRET: provider.clientSecret,
      SERVICE_OAUTH_OIDC_ISSUER_URL: provider.issuer,
      SERVICE_OAUTH_EMAIL_DOMAIN: 'example.com',
      SERVICE_OAUTH_DISPLAY_NAME: 'Company login',
      SERVICE_OAUTH_REDIRECT_BASE: base,
      SERVICE_OAUTH_COOKIE_SECRET: '0123456789abcdef01234567',
      SERVICE_OAUTH_SCOPES: 'email profile groups',
    };
    one = await startGenerous({ env, database: local.database });
    two = await startGenerous({ env, database: local.database });
  });
  afterAll(async () => {
    await one.stop();
    await two.stop();
    await provider.stop();
    await local.stop();
  });

  const someone = (name: string, claims: Record<string, unknown> = {}) => {
    provider.people[name] = {
      email: `${name}@example.com`,
      email_verified: true,
      name: `Person ${name}`,
      ...claims,
    };
    return name;
  };
  /** Begins at one replica and comes back with the provider's answer, not yet delivered. */
  const begin = async (browser: Browser, login: string, rd = '/start') => {
    const start = await browser.go(`${one.url}/api/v1/login/oidc?rd=${encodeURIComponent(rd)}`);
    expect(start.status).toBe(302);
    expect(start.headers.get('set-cookie')).toMatch(
      /^login_attempt=.+; Max-Age=600; .*HttpOnly; SameSite=Lax$/,
    );
    const back = await browser.signInAt(start.headers.get('location') ?? '', login, CALLBACK);
    return new URL(back).search;
  };
  const deliver = async (browser: Browser, search: string, at = one) => {
    if (at !== one)
      browser.setCookie(at.url, 'login_attempt', browser.cookie(one.url, 'login_attempt') ?? '');
    const answer = await browser.go(`${at.url}/oauth2/oidc/callback${search}`);
    const body = answer.status === 302 ? {} : ((await answer.json()) as { id: string });
    return {
      status: answer.status,
      location: answer.headers.get('location'),
      id: 'id' in body ? body.id : undefined,
    };
  };
  const whoami = async (browser: Browser, at = one) =>
    call(at, 'GET', '/whoami', { as: browser.cookie(at.url, 'session') ?? 'none' });

  it('takes the place of passwords, and leaves keys alone', async () => {
    expect((await call(one, 'GET', '/login/options')).body).toEqual({
      options: [{ name: 'oidc', display_name: 'Company login', url: '/api/v1/login/oidc' }],
    });
    const login = { email: member.email, password: member.password };
    const refused = await call(one, 'POST', '/login/password', { body: login });
    expect([refused.status, refused.body['id']]).toEqual([403, 'LOCAL_LOGIN_DISABLED']);
    const setup = { email: 'x@example.com', password: 'long enough', name: 'X', organization: 'X' };
    expect((await call(one, 'POST', '/setup/admin', { body: setup })).status).toBe(403);
    expect((await call(one, 'GET', '/whoami', { as: memberKey })).body['id']).toBe(member.id);
    expect((await call(one, 'GET', '/login/google')).status).toBe(503);
  });

  it('makes a user of the Default tenant at the first sign-in, and knows them at the next', async () => {
    const login = someone('carol');
    const browser = new Browser();
    const answer = await deliver(browser, await begin(browser, login));
    expect(answer).toEqual({
      status: 302,
      location: '/api/v1/oauth2/oidc/complete?rd=%2Fstart',
      id: undefined,
    });
    const done = await browser.go(`${one.url}${answer.location ?? ''}`);
    expect([done.status, done.headers.get('location')]).toEqual([302, '/start']);
    const first = (await whoami(browser)).body;
    expect(first).toMatchObject({
      name: 'Person carol',
      email: 'carol@example.com',
      type: 'user',
      auth_origin: 'oidc',
      admin_rights: { is_instance_admin: false, is_tenant_admin: false },
    });
    const as = browser.cookie(one.url, 'session') ?? '';
    const { results } = await must<{ results: { name: string }[] }>(one, 'GET', '/user/tenants', { as });
    expect(results.map((tenant) => tenant.name)).toEqual(['Default']);
    const again = new Browser();
    await deliver(again, await begin(again, login));
    expect((await whoami(again)).body['id']).toBe(first['id']);
  });

  it('is limited by address at its beginning and at its end, for all replicas together', async () => {
    const strictly = { ...env, SERVICE_LOGIN_RATE_PER_ADDRESS: '3' };
    const first = await startService({ env: strictly });
    const second = await startService({ env: strictly, database: first.database });
    try {
      for (const [path, status] of [
        ['/api/v1/login/oidc', 302],
        ['/oauth2/oidc/callback?code=x&state=y', 403],
      ] as const) {
        const ask = (at: RunningService) => fetch(at.url + path, { redirect: 'manual' });
        const seen = [];
        for (const at of [first, second, first]) seen.push((await ask(at)).status);
        expect(seen).toEqual([status, status, status]);
        for (const at of [first, second]) {
          const refused = await ask(at);
          expect([refused.status, ((await refused.json()) as { id: string }).id]).toEqual([
            429,
            'RATE_LIMITED',
          ]);
          expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
          expect(refused.headers.get('location')).toBeNull();
        }
      }
    } finally {
      await second.stop();
      await first.stop();
    }
  });

  it('is begun on one replica and completed on another', async () => {
    const browser = new Browser();
    const search = await begin(browser, someone('dave'));
    expect((await deliver(browser, search, two)).status).toBe(302);
    expect((await whoami(browser, two)).body['email']).toBe('dave@example.com');
  });

  it('links an account from before only when the provider vouches for the address', async () => {
    const stranger = new Browser();
    const unsure = await begin(
      stranger,
      someone('unsure', { email: member.email, email_verified: undefined }),
    );
    expect((await deliver(stranger, unsure)).status).toBe(401);
    const browser = new Browser();
    const sure = await begin(browser, someone('sure', { email: member.email.toUpperCase() }));
    expect((await deliver(browser, sure)).status).toBe(302);
    expect((await whoami(browser)).body['id']).toBe(member.id);
    // Sessions that a password began are over, keys are not.
    expect((await call(one, 'GET', '/whoami', { as: member.token })).status).toBe(401);
    expect((await call(one, 'GET', '/whoami', { as: memberKey })).status).toBe(200);
  });

  it('evaluates group rules, adds their grants to the session, and takes them away with the rule', async () => {
    const rules = `/tenants/${admin.tenantId}/caps/group-rules`;
    const here = { tenants: [admin.tenantId] };
    const { id = '' } = await must(one, 'POST', rules, {
      as: admin.token,
      body: { condition: { all: [{ group: 'ops-*' }, { group: 'staff' }] }, grant: { admin: here } },
    });
    const [matching, other] = [new Browser(), new Browser()];
    await deliver(matching, await begin(matching, someone('erin', { groups: ['staff', 'ops-eu'] })));
    await deliver(other, await begin(other, someone('frank', { groups: ['staff'] })));
    const session = matching.cookie(one.url, 'session') ?? '';
    expect((await whoami(matching)).body['capabilities']).toMatchObject({ admin: here, preview: {} });
    expect((await whoami(other)).body['capabilities']).not.toHaveProperty('admin');
    const key = await aKey(one, { token: session });
    expect((await call(one, 'GET', rules, { as: key })).status).toBe(200);
    await must(one, 'DELETE', `${rules}/${id}`, { as: admin.token });
    for (const as of [session, key]) expect((await call(one, 'GET', rules, { as })).status).toBe(403);
  });

  it('counts what group rules give when ranks are compared, as long as a session or a key holds it', async () => {
    const rules = `/tenants/${admin.tenantId}/caps/group-rules`;
    const grant = { admin: { tenants: [admin.tenantId] } };
    const body = { condition: { group: 'chiefs' }, grant };
    const { id = '' } = await must(one, 'POST', rules, { as: admin.token, body });
    const browser = new Browser();
    await deliver(browser, await begin(browser, someone('ruth', { groups: ['chiefs'] })));
    const session = browser.cookie(one.url, 'session') ?? '';
    const ruth = (await whoami(browser)).body['id'] as string;
    await one.pool.query('DELETE FROM tenant_members WHERE user_id = $1', [ruth]);
    await must(one, 'POST', `/tenants/${admin.tenantId}/members`, {
      as: admin.token,
      body: { user_id: ruth },
    });
    const manager = await aManager(local, admin, { can_manage_users: true });
    const byManager = { as: manager.token };
    const acts = (at = one) => [
      call(at, 'PUT', `/users/update?user_id=${ruth}`, { ...byManager, body: { name: 'X' } }),
      call(at, 'POST', `/users/change-password?user_id=${ruth}`, {
        ...byManager,
        body: { new_password: 'set by a manager' },
      }),
      call(at, 'DELETE', `/users/delete?user_id=${ruth}`, byManager),
      call(at, 'DELETE', `/tenants/${admin.tenantId}/members?user_id=${ruth}`, byManager),
    ];
    for (const act of [...acts(), ...acts(two)]) {
      const { status, body: answer } = await act;
      expect([status, answer['id']]).toEqual([403, 'CAPABILITY_UNAUTHORIZED']);
    }
    const key = await aKey(one, { token: session });
    await call(one, 'GET', '/logout', { as: session });
    const [byKey] = acts();
    expect((await byKey)?.status).toBe(403);
    expect((await call(one, 'GET', rules, { as: key })).status).toBe(200);
    await must(one, 'DELETE', `${rules}/${id}`, { as: admin.token });
    const renamed = await call(one, 'PUT', `/users/update?user_id=${ruth}`, {
      ...byManager,
      body: { name: 'Ruth' },
    });
    expect(renamed.status).toBe(200);
  });

  it('takes what rules of a tenant gave from sessions and keys of a member who is removed', async () => {
    const other = await aTenant(one, admin);
    const grant = (tenantId: string) => ({ admin: { tenants: [tenantId] } });
    for (const tenantId of [admin.tenantId, other]) {
      await must(one, 'POST', `/tenants/${tenantId}/caps/group-rules`, {
        as: admin.token,
        body: { condition: { group: 'leads' }, grant: grant(tenantId) },
      });
    }
    const browser = new Browser();
    await deliver(browser, await begin(browser, someone('leo', { groups: ['leads'] })));
    const session = browser.cookie(one.url, 'session') ?? '';
    const key = await aKey(one, { token: session });
    const id = (await whoami(browser)).body['id'] as string;
    const members = `/tenants/${admin.tenantId}/members`;
    await must(one, 'POST', members, { as: admin.token, body: { user_id: id } });
    await must(one, 'DELETE', `${members}?user_id=${id}`, { as: admin.token });
    for (const as of [session, key]) {
      for (const at of [one, two]) {
        expect((await call(at, 'GET', members, { as })).status).toBe(403);
        expect((await call(at, 'GET', `/tenants/${other}/members`, { as })).status).toBe(200);
      }
    }
  });

  it('lets somebody in who is in more groups than a cookie could carry', async () => {
    const rules = `/tenants/${admin.tenantId}/caps/group-rules`;
    const grant = { commit: { tenants: [admin.tenantId] } };
    const ids = [];
    for (let n = 0; n < 120; n += 1) {
      const body = { condition: { group: 'everybody' }, grant };
      ids.push((await must(one, 'POST', rules, { as: admin.token, body }))['id']);
    }
    const browser = new Browser();
    await deliver(browser, await begin(browser, someone('ivan', { groups: ['everybody'] })));
    expect((browser.cookie(one.url, 'session') ?? '').length).toBeLessThan(1_000);
    expect((await whoami(browser)).status).toBe(200);
    for (const id of ids) await must(one, 'DELETE', `${rules}/${id}`, { as: admin.token });
  });

  it.each([
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/\t/evil.example',
    '/%09/evil.example',
    '/..//evil.example',
    'https:evil.example',
    'javascript:alert(1)',
    'https://evil.example\\@127.0.0.1/',
  ])('sends the browser to this service only, and not to %j', async (rd) => {
    const browser = new Browser();
    const answer = await deliver(browser, await begin(browser, someone('grace'), rd));
    const done = await browser.go(`${one.url}${answer.location ?? ''}`);
    const target = new URL(done.headers.get('location') ?? '', base);
    expect([done.status, target.origin]).toEqual([302, base]);
    const out = await browser.go(`${one.url}/api/v1/logout?rd=${encodeURIComponent(rd)}`);
    expect(new URL(out.headers.get('location') ?? '', base).origin).toBe(base);
  });

  describe('when the answer of the provider is wrong', () => {
    afterEach(() => {
      provider.tamper = undefined;
    });

    const refused = async (arrange: (browser: Browser, search: string) => Promise<string> | string) => {
      const before = await one.pool.query('SELECT count(*) FROM users');
      const browser = new Browser();
      const search = await arrange(browser, await begin(browser, someone('mallory')));
      const { status, id } = await deliver(browser, search);
      expect(browser.cookie(one.url, 'session')).toBeUndefined();
      expect((await one.pool.query('SELECT count(*) FROM users')).rows).toEqual(before.rows);
      return [status, id];
    };

    it('refuses a callback with the state of another sign-in', async () => {
      expect(await refused((_, search) => search.replace(/state=[^&]+/, 'state=another'))).toEqual([
        403,
        'LOGIN_ATTEMPT_INVALID',
      ]);
    });

    it('refuses a browser that did not begin it', async () => {
      expect(
        await refused((browser, search) => (browser.setCookie(one.url, 'login_attempt', 'x'), search)),
      ).toEqual([403, 'LOGIN_ATTEMPT_INVALID']);
    });

    it('refuses another nonce under a genuine signature', async () => {
      provider.tamper = (claims, sign) => sign.genuine({ ...claims, nonce: 'another' });
      expect(await refused((_, search) => search)).toEqual([401, 'LOGIN_FAILED']);
    });

    it('refuses a token for another audience under a genuine signature', async () => {
      provider.tamper = (claims, sign) => sign.genuine({ ...claims, aud: 'another' });
      expect(await refused((_, search) => search)).toEqual([401, 'LOGIN_FAILED']);
    });

    it('refuses a token for several audiences that was issued to another one', async () => {
      const aud = [provider.clientId, 'another'];
      for (const azp of ['another', undefined]) {
        provider.tamper = (claims, sign) => sign.genuine({ ...claims, aud, azp });
        expect(await refused((_, search) => search)).toEqual([401, 'LOGIN_FAILED']);
      }
      provider.tamper = (claims, sign) => sign.genuine({ ...claims, aud, azp: provider.clientId });
      const browser = new Browser();
      expect((await deliver(browser, await begin(browser, someone('judy')))).status).toBe(302);
    });

    it('refuses a token that goes with another access token', async () => {
      provider.tamper = (claims, sign) => sign.genuine({ ...claims, at_hash: 'LDktKdoQak3Pk0cnXxCltA' });
      expect(await refused((_, search) => search)).toEqual([401, 'LOGIN_FAILED']);
    });

    it('refuses a subject that is no text', async () => {
      provider.tamper = (claims, sign) => sign.genuine({ ...claims, sub: 7 as never });
      expect(await refused((_, search) => search)).toEqual([401, 'LOGIN_FAILED']);
    });

    it('refuses another issuer under a genuine signature', async () => {
      provider.tamper = (claims, sign) => sign.genuine({ ...claims, iss: 'https://evil.example' });
      expect(await refused((_, search) => search)).toEqual([401, 'LOGIN_FAILED']);
    });

    it('refuses a forged signature', async () => {
      provider.tamper = (claims, sign) => sign.forged(claims);
      expect(await refused((_, search) => search)).toEqual([401, 'LOGIN_FAILED']);
    });

    it('refuses an ID token without a signature', async () => {
      const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
      provider.tamper = (claims) => Promise.resolve(`${encode({ alg: 'none' })}.${encode(claims)}.`);
      expect(await refused((_, search) => search)).toEqual([401, 'LOGIN_FAILED']);
    });

    it('refuses tokens that are no tokens', async () => {
      for (const idToken of ['', 'x', 'a.bnVsbA.c', 'a.W10.c']) {
        provider.tamper = () => Promise.resolve(idToken);
        expect(await refused((_, search) => search)).toEqual([401, 'LOGIN_FAILED']);
      }
    });

    it('refuses an expired token', async () => {
      provider.tamper = (claims, sign) =>
        sign.genuine({ ...claims, exp: Math.floor(Date.now() / 1000) - 120 });
      expect(await refused((_, search) => search)).toEqual([401, 'LOGIN_FAILED']);
    });

    it('refuses a token about somebody else than userinfo', async () => {
      provider.tamper = (claims, sign) => sign.genuine({ ...claims, sub: 'carol' });
      expect(await refused((_, search) => search)).toEqual([401, 'LOGIN_FAILED']);
    });

    it('refuses an address of another domain, and none at all', async () => {
      for (const email of ['mallory@sub.example.com', 'mallory@evil.example', undefined]) {
        const browser = new Browser();
        const search = await begin(browser, someone('outsider', { email }));
        expect((await deliver(browser, search)).status).toBe(401);
      }
    });

    it('refuses an address that the provider calls unverified', async () => {
      const browser = new Browser();
      const search = await begin(browser, someone('unverified', { email_verified: false }));
      expect((await deliver(browser, search)).status).toBe(401);
    });

    it('refuses a code that was used, with the old attempt and with a new one', async () => {
      const browser = new Browser();
      const search = await begin(browser, someone('henry'));
      const attempt = browser.cookie(one.url, 'login_attempt') ?? '';
      expect((await deliver(browser, search)).status).toBe(302);
      browser.setCookie(one.url, 'login_attempt', attempt);
      expect(await deliver(browser, search)).toMatchObject({ status: 403, id: 'LOGIN_ATTEMPT_INVALID' });
      const thief = new Browser();
      const own = new URLSearchParams(await begin(thief, 'henry'));
      own.set('code', new URLSearchParams(search).get('code') ?? '');
      expect(await deliver(thief, `?${own.toString()}`)).toMatchObject({ status: 401, id: 'LOGIN_FAILED' });
    });

    it('writes an audit entry for each refusal', async () => {
      const refusals = async () =>
        (await one.pool.query(`SELECT 1 FROM audit_entries WHERE action = 'session.refuse'`)).rows.length;
      const before = await refusals();
      provider.tamper = (claims, sign) => sign.forged(claims);
      await refused((_, search) => search);
      expect(await refusals()).toBe(before + 1);
    });

    it('refuses whoever the provider turns away', async () => {
      expect(await refused((_, search) => search.replace(/code=[^&]+/, 'error=access_denied'))).toEqual([
        401,
        'LOGIN_FAILED',
      ]);
    });
  });
});

describe('An installation that begins with single sign-on', () => {
  it('makes the first person its administrator, and shares a login between replicas without a configured secret', async () => {
    const base = `http://127.0.0.1:${await freePort()}`;
    const provider = await anIdentityProvider([`${base}/oauth2/oidc/callback`]);
    const env = {
      SERVICE_UI_BASE: base,
      SERVICE_OAUTH_TYPE: 'oidc',
      SERVICE_OAUTH_CLIENT_ID: provider.clientId,
      SERVICE_OAUTH_CLIENT_SECRET: provider.clientSecret,
      SERVICE_OAUTH_OIDC_ISSUER_URL: provider.issuer,
      SERVICE_OAUTH_REDIRECT_BASE: base,
    };
    const one = await startGenerous({ env });
    const two = await startGenerous({ env, database: one.database });
    try {
      const rights = [];
      for (const name of ['first', 'second']) {
        provider.people[name] = { email: `${name}@example.com`, email_verified: true };
        const browser = new Browser();
        const start = await browser.go(`${one.url}/api/v1/login/oidc`);
        const back = await browser.signInAt(start.headers.get('location') ?? '', name, CALLBACK);
        browser.setCookie(two.url, 'login_attempt', browser.cookie(one.url, 'login_attempt') ?? '');
        expect((await browser.go(`${two.url}/oauth2/oidc/callback${new URL(back).search}`)).status).toBe(302);
        const as = browser.cookie(two.url, 'session') ?? '';
        rights.push((await must<{ admin_rights: unknown }>(one, 'GET', '/whoami', { as })).admin_rights);
      }
      expect(rights).toEqual([
        { is_instance_admin: true, is_tenant_admin: false },
        { is_instance_admin: false, is_tenant_admin: false },
      ]);
    } finally {
      await two.stop();
      await one.stop();
      await provider.stop();
    }
  });
});

describe('Signing in with google', () => {
  const settings = {
    SERVICE_OAUTH_TYPE: 'google',
    SERVICE_OAUTH_CLIENT_ID: 'state-service',
    SERVICE_OAUTH_CLIENT_SECRET: 'secret',
  };

  it('goes the same way, under either name, with a stand-in on loopback', async () => {
    const base = `http://127.0.0.1:${await freePort()}`;
    const provider = await anIdentityProvider([`${base}/oauth2/google/callback`]);
    const service = await startGenerous({
      env: {
        ...settings,
        SERVICE_UI_BASE: base,
        SERVICE_OAUTH_CLIENT_SECRET: provider.clientSecret,
        SERVICE_OAUTH_OIDC_ISSUER_URL: provider.issuer,
        SERVICE_OAUTH_REDIRECT_BASE: base,
        SERVICE_OAUTH_EMAIL_DOMAIN: 'example.com',
      },
    });
    try {
      expect((await call(service, 'GET', '/login/options')).body).toEqual({
        options: [{ name: 'google', display_name: 'Google', url: '/api/v1/login/google' }],
      });
      provider.people['gina'] = { email: 'gina@example.com', email_verified: true, name: 'Gina' };
      for (const name of ['google', 'idp_a']) {
        const browser = new Browser();
        const start = await browser.go(`${service.url}/api/v1/login/${name}?rd=/here`);
        const back = await browser.signInAt(
          start.headers.get('location') ?? '',
          'gina',
          /\/google\/callback\?/,
        );
        const answer = await browser.go(`${service.url}/oauth2/${name}/callback${new URL(back).search}`);
        expect([answer.status, answer.headers.get('location')]).toEqual([
          302,
          `/api/v1/oauth2/${name}/complete?rd=%2Fhere`,
        ]);
        const as = browser.cookie(service.url, 'session') ?? '';
        expect((await call(service, 'GET', '/whoami', { as })).body).toMatchObject({
          email: 'gina@example.com',
          auth_origin: 'google',
        });
      }
      provider.people['gil'] = { email: 'gil@elsewhere.example', email_verified: true };
      const browser = new Browser();
      const start = await browser.go(`${service.url}/api/v1/login/google`);
      const back = await browser.signInAt(start.headers.get('location') ?? '', 'gil', /\/google\/callback\?/);
      expect((await browser.go(`${service.url}/oauth2/google/callback${new URL(back).search}`)).status).toBe(
        401,
      );
      expect((await call(service, 'GET', '/login/oidc')).status).toBe(503);
    } finally {
      await service.stop();
      await provider.stop();
    }
  });

  it.each(['https://idp.example', 'http://127.0.0.1.evil.example', 'http://localhost@evil.example'])(
    'never trusts %s instead',
    async (issuer) => {
      const start = startService({ env: { ...settings, SERVICE_OAUTH_OIDC_ISSUER_URL: issuer } });
      await expect(start).rejects.toThrow(/SERVICE_OAUTH_OIDC_ISSUER_URL/);
    },
  );
});

describe('A start with half a provider', () => {
  const whole = {
    SERVICE_OAUTH_TYPE: 'oidc',
    SERVICE_OAUTH_CLIENT_ID: 'id',
    SERVICE_OAUTH_CLIENT_SECRET: 'secret',
    SERVICE_OAUTH_OIDC_ISSUER_URL: 'https://idp.example',
    SERVICE_OAUTH_COOKIE_SECRET: '0123456789abcdef',
  };

  it.each([
    ['SERVICE_OAUTH_CLIENT_ID', ''],
    ['SERVICE_OAUTH_CLIENT_SECRET', ''],
    ['SERVICE_OAUTH_OIDC_ISSUER_URL', ''],
    ['SERVICE_OAUTH_COOKIE_SECRET', 'too short'],
    ['SERVICE_OAUTH_COOKIE_SECRET', 'sixteen in ümläüt'.slice(0, 16)],
    ['SERVICE_OAUTH_TYPE', 'saml'],
  ])('stops and names %s', async (key, value) => {
    const start = startService({ env: { ...whole, [key]: value } });
    await expect(start).rejects.toThrow(new RegExp(key));
    await expect(start).rejects.not.toThrow(/too short|sixteen|secret"/);
  });
});
