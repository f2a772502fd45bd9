import { randomUUID } from 'node:crypto';
import { type Application, startApplication } from '../support/application.js';
import { call as callOf, type Reply } from '../support/identity.js';

const PASSWORD = 'correct horse battery';
const ADMIN = { email: 'ada@example.com', password: PASSWORD, name: 'Ada', organization: 'Example' };

describe('Identity for the main job', () => {
  let service: Application;
  let admin: string;
  let tenantId: string;

  beforeAll(async () => {
    service = await startApplication();
    expect((await call('GET', '/setup/status')).body).toEqual({ needs_setup: true });
    const setup = await call('POST', '/setup/admin', undefined, ADMIN);
    expect([setup.status, Object.keys(setup.body).sort()]).toEqual([201, ['session_token', 'user_id']]);
    admin = setup.body['session_token'] as string;
    const { results } = (await call('GET', '/user/tenants', admin)).body as {
      results: { id: string; name: string }[];
    };
    expect(results.map(({ name }) => name).sort()).toEqual(['Default', 'Example']);
    tenantId = results.find(({ name }) => name === 'Example')?.id ?? '';
  });
  afterAll(() => service.stop());

  const call = (
    method: string,
    path: string,
    token?: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Reply> =>
    callOf(service, method, path, {
      ...(token === undefined ? {} : { as: token }),
      ...(body === undefined ? {} : { body }),
      headers,
    });

  async function aKey(name = 'key', capabilities?: unknown, token = admin): Promise<string> {
    const made = await call('POST', '/user/access-tokens', token, {
      name,
      ...(capabilities ? { capabilities } : {}),
    });
    expect(made.status).toBe(201);
    return made.body['token'] as string;
  }

  it('is set up once', async () => {
    expect((await call('POST', '/setup/admin', undefined, ADMIN)).status).toBe(409);
    expect((await call('GET', '/setup/status')).body).toEqual({ needs_setup: false });
  });

  it('signs in with a password, by token and by cookie, and out again', async () => {
    const login = await call('POST', '/login/password', undefined, {
      email: ADMIN.email,
      password: PASSWORD,
    });
    expect([login.status, login.body['success']]).toEqual([200, true]);
    const cookie = login.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/^session=[^;]+;.*HttpOnly/i);
    expect(cookie).toMatch(/SameSite=Lax/i);
    const whoami = await call('GET', '/whoami', undefined, undefined, {
      Cookie: cookie.split(';', 1)[0] ?? '',
    });
    expect([whoami.status, whoami.body['email'], whoami.body['admin_rights']]).toEqual([
      200,
      ADMIN.email,
      { is_instance_admin: true, is_tenant_admin: false },
    ]);
    const logout = await call('GET', '/logout', undefined, undefined, {
      Cookie: cookie.split(';', 1)[0] ?? '',
    });
    expect([302, 200]).toContain(logout.status);
    expect(logout.headers.get('set-cookie')).toMatch(/^session=;/);
  });

  it('gives a wrong password and an unknown address the same answer', async () => {
    const wrong = await call('POST', '/login/password', undefined, {
      email: ADMIN.email,
      password: 'not the password',
    });
    const unknown = await call('POST', '/login/password', undefined, {
      email: 'nobody@example.com',
      password: 'not the password',
    });
    expect([wrong.status, unknown.status]).toEqual([401, 401]);
    expect(unknown.body).toEqual(wrong.body);
  });

  it('refuses a body that lacks a field and names it', async () => {
    const answer = await call('POST', '/login/password', undefined, { email: ADMIN.email });
    expect([answer.status, answer.body['id']]).toEqual([400, 'INVALID_REQUEST']);
    expect(answer.body['data']).toContain('password');
  });

  it('takes a key as bearer and as Basic password with any user name, and nothing once it is revoked', async () => {
    const key = await aKey('laptop');
    const basic = { Authorization: `Basic ${Buffer.from(`anybody:${key}`).toString('base64')}` };
    expect((await call('GET', '/whoami', key)).status).toBe(200);
    expect((await call('GET', '/whoami', undefined, undefined, basic)).status).toBe(200);
    const { tokens } = (await call('GET', '/user/access-tokens', admin)).body as {
      tokens: { id: string; name: string }[];
    };
    const id = tokens.find(({ name }) => name === 'laptop')?.id ?? '';
    expect(JSON.stringify(tokens)).not.toContain(key);
    const revoked = await call('POST', `/user/access-tokens/revoke?token_id=${id}`, admin);
    expect([revoked.status, revoked.body]).toEqual([200, { id, revoked: true }]);
    expect((await call('GET', '/whoami', key)).status).toBe(401);
    expect((await call('GET', '/whoami', undefined, undefined, basic)).status).toBe(401);
    expect((await call('POST', `/user/access-tokens/revoke?token_id=${randomUUID()}`, admin)).status).toBe(
      404,
    );
  });

  it('stores keys and passwords only as hashes', async () => {
    const key = await aKey('stored');
    const { rows } = await service.pool.query<{ text: string }>(
      `SELECT (SELECT string_agg(u::text, '') FROM users u) || (SELECT string_agg(k::text, '') FROM api_keys k) AS text`,
    );
    for (const secret of [key, PASSWORD]) expect(rows[0]?.text).not.toContain(secret);
  });

  it('never makes a key that exceeds its creator', async () => {
    const limited = await aKey('limited', { preview: { tenants: [tenantId] } });
    expect((await call('GET', '/whoami', limited)).body['capabilities']).toEqual({
      preview: { tenants: [tenantId] },
    });
    expect((await call('POST', `/tenants/${tenantId}/states`, limited, { name: 'x' })).status).toBe(403);
  });

  it('makes tenants with unique names for installation administrators', async () => {
    const made = await call('POST', '/tenants', admin, { name: '  Second  ' });
    expect([made.status, made.body['name']]).toEqual([201, 'Second']);
    expect((await call('POST', '/tenants', admin, { name: 'Second' })).body['id']).toBe(
      'TENANT_NAME_CONFLICT',
    );
    expect((await call('POST', '/tenants', admin, { name: '   ' })).status).toBe(400);
    expect(
      (await call('POST', '/tenants', await aKey('plain', { commit: {} }), { name: 'Third' })).status,
    ).toBe(403);
  });

  it('writes what was done into the audit trail, and no secret', async () => {
    const key = await aKey('audited');
    const { rows } = await service.pool.query<{ action: string; entry: string }>(
      'SELECT action, e::text AS entry FROM audit_entries e',
    );
    expect(rows.map((row) => row.action)).toEqual(expect.arrayContaining(['key.create', 'tenant.create']));
    for (const row of rows)
      for (const secret of [key, PASSWORD, admin]) expect(row.entry).not.toContain(secret);
  });

  it('counts attempts to sign in for all replicas together', async () => {
    const attempt = () =>
      call('POST', '/login/password', undefined, {
        email: 'guessed@example.com',
        password: 'not the password',
      });
    const statuses = [];
    for (let i = 0; i < 12; i++) statuses.push(await attempt());
    expect(statuses.at(-1)?.status).toBe(429);
    expect(Number(statuses.at(-1)?.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});
