import {
  type Admin,
  aKey,
  aManager,
  anAdmin,
  aTenant,
  call,
  must,
  type Person,
  signIn,
  startGenerous,
} from '../support/identity.js';
import { anIdentityProvider, Browser, type IdentityProvider } from '../support/identity-provider.js';
import type { RunningService } from '../support/service.js';

// The provider is not shy about being a development one.
for (const method of ['info', 'warn'] as const)
  jest.spyOn(console, method).mockImplementation(() => undefined);

describe('An account that turns out to be a person', () => {
  let local: RunningService;
  let root: Admin;
  /** manages users of tenant X, and made the account that the victim will sign in to */
  let planter: Person;
  let x: string;
  let b: string;
  let provider: IdentityProvider;
  let service: RunningService;

  beforeAll(async () => {
    local = await startGenerous({ env: { SERVICE_EDITION: 'enterprise' } });
    root = await anAdmin(local);
    [x, b] = [await aTenant(local, root), await aTenant(local, root)];
    planter = await aManager(local, root, { can_manage_users: true }, [x]);
    const base = local.url;
    provider = await anIdentityProvider([`${base}/oauth2/oidc/callback`]);
    // The same installation with single sign-on turned on; the address registered at the provider is the first one's.
    service = await startGenerous({
      database: local.database,
      env: {
        SERVICE_EDITION: 'enterprise',
        SERVICE_UI_BASE: base,
        SERVICE_OAUTH_TYPE: 'oidc',
        SERVICE_OAUTH_CLIENT_ID: provider.clientId,
        SERVICE_OAUTH_CLIENT_SECRET: provider.clientSecret,
        SERVICE_OAUTH_OIDC_ISSUER_URL: provider.issuer,
        SERVICE_OAUTH_EMAIL_DOMAIN: 'example.com',
        SERVICE_OAUTH_REDIRECT_BASE: base,
        SERVICE_OAUTH_SCOPES: 'email profile groups',
      },
    });
  });
  afterAll(async () => {
    await service.stop();
    await provider.stop();
    await local.stop();
  });

  /** Signs somebody in at the provider; answers the session, or the status that refused it. */
  const arrive = async (login: string, claims: Record<string, unknown>): Promise<string | number> => {
    provider.people[login] = { email: `${login}@example.com`, name: login, ...claims };
    const browser = new Browser();
    const begun = await browser.go(`${service.url}/api/v1/login/oidc`);
    const back = await browser.signInAt(
      begun.headers.get('location') ?? '',
      login,
      /\/oauth2\/oidc\/callback\?/,
    );
    const answer = await browser.go(`${service.url}/oauth2/oidc/callback${new URL(back).search}`);
    return answer.status === 302 ? (browser.cookie(service.url, 'session') ?? '') : answer.status;
  };
  const statusFor = async (as: string, path: string) => (await call(service, 'GET', path, { as })).status;
  const states = (tenant: string) => `/tenants/${tenant}/states`;

  it('keeps of what was made before no more than it reached then', async () => {
    const password = 'chosen by the planter';
    const { id = '' } = await must(local, 'POST', '/users', {
      as: planter.token,
      body: { name: 'Victim', email: 'victim@example.com', password },
    });
    const planted = await signIn(local, 'victim@example.com', password);
    const key = await aKey(local, { token: planted });
    const { refresh_token: refresh = '' } = await must(local, 'POST', '/github/access-token', {
      as: planted,
      body: { name: 'planted', capabilities: ['access_token_create', 'kv_store_read'] },
    });
    const session = await arrive('victim', { email_verified: true });
    expect(typeof session).toBe('string');
    const own = session as string;
    expect((await call(service, 'GET', '/whoami', { as: own })).body['id']).toBe(id);
    // Later the person joins another tenant and administers the first one.
    await must(service, 'POST', `/tenants/${b}/members`, { as: root.token, body: { user_id: id } });
    await must(service, 'POST', `/tenants/${x}/members/set-role?user_id=${id}`, {
      as: root.token,
      body: { tenant_admin: true },
    });
    for (const tenant of [x, b]) expect(await statusFor(own, states(tenant))).toBe(200);
    expect(await statusFor(planted, '/whoami')).toBe(401);
    // The key goes on working, for what it was good for.
    expect([await statusFor(key, states(x)), await statusFor(key, states(b))]).toEqual([200, 404]);
    expect(await statusFor(key, `/tenants/${x}/members`)).toBe(403);
    expect(await statusFor(own, `/tenants/${x}/members`)).toBe(200);
    // So do whatever it makes: keys, and sessions of transactions.
    const child = await aKey(service, { token: key });
    expect([await statusFor(child, states(x)), await statusFor(child, states(b))]).toEqual([200, 404]);
    const begin = (tenant_id?: string) =>
      call<{ token: string }>(service, 'POST', '/tx/session/create', {
        as: key,
        body: tenant_id === undefined ? {} : { tenant_id },
      });
    expect((await begin(b)).status).toBe(404);
    expect((await begin()).status).toBe(201);
    // Refresh tokens carry the limit on.
    const { token: access = '' } = await must(service, 'POST', '/access-token/refresh', { as: refresh });
    await must(service, 'POST', '/github/access-token', {
      as: access,
      body: { name: 'grandchild', capabilities: ['kv_store_read'] },
    });
    const { rows } = await service.pool.query<{ name: string; tenant_ceiling: string[] }>(
      'SELECT name, tenant_ceiling FROM refresh_tokens WHERE owner_id = $1 ORDER BY created_at',
      [id],
    );
    expect(rows).toEqual([
      { name: 'planted', tenant_ceiling: [x] },
      { name: 'grandchild', tenant_ceiling: [x] },
    ]);
    // What the person makes is theirs.
    expect(await statusFor(await aKey(service, { token: own }), states(b))).toBe(200);
  });

  it('keeps every key of an administrator working, who is one before and after', async () => {
    const key = await aKey(local, root);
    const login = root.email.split('@')[0] ?? '';
    expect(typeof (await arrive(login, { email_verified: true }))).toBe('string');
    expect(await statusFor(key, states(x))).toBe(200);
    expect(await statusFor(key, `/tenants/${b}/members`)).toBe(200);
    root = { ...root, token: key };
  });

  it('is not made for, or taken by, an address that nobody vouches for when a domain is set', async () => {
    expect(await arrive('ceo', {})).toBe(401);
    const { rows } = await service.pool.query(`SELECT FROM users WHERE email = 'ceo@example.com'`);
    expect(rows).toEqual([]);
    // The owner is not locked out.
    expect(typeof (await arrive('ceo', { email_verified: true }))).toBe('string');
    expect(await arrive('ceo', {})).toBe(401);
  });

  it('loses the rights of a group that was left with the next sign-in, in sessions and keys too', async () => {
    await must(service, 'POST', `/tenants/${x}/caps/group-rules`, {
      as: root.token,
      body: { condition: { group: 'ops' }, grant: { admin: { tenants: [x] } } },
    });
    const groups = { email_verified: true, groups: ['ops'] };
    const first = (await arrive('oscar', groups)) as string;
    const key = await aKey(service, { token: first });
    const members = `/tenants/${x}/members`;
    expect([await statusFor(first, members), await statusFor(key, members)]).toEqual([200, 200]);
    const again = (await arrive('oscar', groups)) as string;
    expect([await statusFor(first, members), await statusFor(key, members)]).toEqual([200, 200]);
    const left = (await arrive('oscar', { email_verified: true, groups: ['other'] })) as string;
    for (const as of [left, again, first, key]) expect(await statusFor(as, members)).toBe(403);
    expect(await statusFor(key, '/whoami')).toBe(200);
  });
});
