import { randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
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
  startGenerous,
} from '../support/identity.js';
import type { RunningService } from '../support/service.js';

interface Tokens {
  tokens: { id: string; name: string; owner_id: string; owner_type: string }[];
}

describe('API keys and service accounts', () => {
  let service: RunningService;
  let admin: Admin;
  let member: Person;
  let manager: Person;
  let outsider: Person;

  beforeAll(async () => {
    service = await startGenerous();
    admin = await anAdmin(service);
    member = await aMember(service, admin);
    manager = await aManager(service, admin, { can_manage_users: true });
    outsider = await anOutsider(service, admin);
  });
  afterAll(() => service.stop());

  const capabilitiesOf = async (key: string) =>
    (await must<{ capabilities: unknown }>(service, 'GET', '/whoami', { as: key })).capabilities;

  it('inherit the session, and never exceed their creator', async () => {
    const defaults = { preview: {}, commit: {}, 'access-token-create': {}, 'access-token-refresh': {} };
    expect(await capabilitiesOf(await aKey(service, member))).toEqual(defaults);
    expect(
      await capabilitiesOf(
        await aKey(service, member, { admin: {}, sudo: {}, commit: { tenants: [admin.tenantId] } }),
      ),
    ).toEqual({
      commit: { tenants: [admin.tenantId] },
    });
    const adminKey = await aKey(service, admin, { commit: {} });
    expect(await capabilitiesOf(adminKey)).toEqual({ commit: {} });
    expect((await call(service, 'GET', '/users', { as: adminKey })).status).toBe(403);
    expect(
      (await call(service, 'POST', '/user/access-tokens', { as: adminKey, body: { name: 'x' } })).status,
    ).toBe(403);
    const narrower = await aKey(service, {
      token: await aKey(service, admin, { admin: { tenants: [admin.tenantId] } }),
    });
    expect(await capabilitiesOf(narrower)).toEqual({ admin: { tenants: [admin.tenantId] } });
    const unknown = '00000000-0000-4000-8000-000000000000';
    expect(
      await capabilitiesOf(await aKey(service, admin, { commit: { states: { [unknown]: ['*'] } } })),
    ).toEqual({});
  });

  it('lose at once what their owner loses', async () => {
    const person = await aManager(service, admin, { tenant_admin: true });
    const key = await aKey(service, person, { admin: { tenants: [admin.tenantId] } });
    const path = `/tenants/${admin.tenantId}/audit`;
    expect((await call(service, 'GET', path, { as: key })).status).toBe(200);
    await must(service, 'POST', `/tenants/${admin.tenantId}/members/set-role?user_id=${person.id}`, {
      as: admin.token,
      body: { tenant_admin: false },
    });
    expect((await call(service, 'GET', path, { as: key })).status).toBe(403);
  });

  it('refuse malformed capabilities', async () => {
    for (const capabilities of [{ root: {} }, { admin: { tenants: 'x' } }, [], 'admin']) {
      const reply = await call(service, 'POST', '/user/access-tokens', {
        as: member.token,
        body: { name: 'x', capabilities },
      });
      expect([reply.status, reply.body['id']]).toEqual([400, 'INVALID_REQUEST']);
    }
  });

  it('are stored as hashes only', async () => {
    const key = await aKey(service, member);
    expect(Buffer.from(key, 'base64url')).toHaveLength(32);
    const { rows } = await service.pool.query(
      `SELECT 1 FROM api_keys k WHERE k::text LIKE '%' || $1 || '%'`,
      [key],
    );
    expect(rows).toEqual([]);
    const audit = await service.pool.query(
      `SELECT 1 FROM audit_entries a WHERE a::text LIKE '%' || $1 || '%'`,
      [key],
    );
    expect(audit.rows).toEqual([]);
  });

  it('are listed and revoked by their owner and those who reach the owner', async () => {
    const owner = await aMember(service, admin);
    const key = await aKey(service, owner);
    const listed = async (as: string) => {
      const { tokens } = await must<Tokens>(service, 'GET', '/user/access-tokens', { as });
      return tokens.filter((token) => token.owner_id === owner.id);
    };
    const [entry] = await listed(owner.token);
    expect(entry).toEqual({
      id: expect.any(String) as string,
      name: 'a key',
      created_at: expect.any(String) as string,
      owner_id: owner.id,
      owner_name: owner.name,
      owner_type: 'user',
    });
    expect(await listed(manager.token)).toHaveLength(1);
    expect(await listed(admin.token)).toHaveLength(1);
    expect(await listed(member.token)).toHaveLength(0);
    const path = `/user/access-tokens/revoke?token_id=${entry?.id ?? ''}`;
    for (const [as, status] of [
      [undefined, 401],
      [outsider.token, 404],
      [member.token, 404],
    ] as const) {
      expect((await call(service, 'POST', path, as ? { as } : {})).status).toBe(status);
    }
    const reply = await call(service, 'POST', path, { as: manager.token });
    expect([reply.status, reply.body]).toEqual([200, { id: entry?.id, revoked: true }]);
    expect((await call(service, 'GET', '/whoami', { as: key })).status).toBe(401);
    expect((await call(service, 'POST', path, { as: owner.token })).body['id']).toBe('TOKEN_NOT_FOUND');
    expect(
      (await call(service, 'POST', '/user/access-tokens/revoke?token_id=nonsense', { as: owner.token }))
        .status,
    ).toBe(404);
  });

  it('stop working on every replica with the next request', async () => {
    const replica = await startGenerous({ database: service.database });
    try {
      const key = await aKey(service, member);
      expect((await call(replica, 'GET', '/whoami', { as: key })).status).toBe(200);
      const { tokens } = await must<Tokens>(service, 'GET', '/user/access-tokens', { as: member.token });
      await must(service, 'POST', `/user/access-tokens/revoke?token_id=${tokens[0]?.id ?? ''}`, {
        as: member.token,
      });
      expect((await call(replica, 'GET', '/whoami', { as: key })).status).toBe(401);
    } finally {
      await replica.stop();
    }
  });

  it('keys of a service account have the default capabilities within its tenant', async () => {
    const body = { name: 'robot', tenant_id: admin.tenantId };
    const callers = {
      anonymous: undefined,
      outsider: outsider.token,
      member: member.token,
      manager: manager.token,
      admin: admin.token,
    };
    expect(
      await matrix(callers, (as) => call(service, 'POST', '/api-users', { ...(as ? { as } : {}), body })),
    ).toEqual({
      anonymous: 401,
      outsider: 403,
      member: 403,
      manager: 201,
      admin: 201,
    });
    const elsewhere = { name: 'robot', tenant_id: await aTenant(service, admin) };
    expect((await call(service, 'POST', '/api-users', { as: manager.token, body: elsewhere })).status).toBe(
      403,
    );
    const nowhere = { name: 'robot', tenant_id: '00000000-0000-4000-8000-000000000000' };
    expect((await call(service, 'POST', '/api-users', { as: admin.token, body: nowhere })).status).toBe(404);
    const { user_id: id, token = '' } = await must(service, 'POST', '/api-users', {
      as: manager.token,
      body,
    });
    const here = { tenants: [admin.tenantId] };
    expect(await must<unknown>(service, 'GET', '/whoami', { as: token })).toEqual({
      id,
      name: 'robot',
      type: 'api',
      admin_rights: { is_instance_admin: false, is_tenant_admin: false },
      created_at: expect.any(String) as string,
      capabilities: {
        preview: here,
        commit: here,
        'access-token-create': here,
        'access-token-refresh': here,
      },
    });
  });
});

describe('Refresh tokens', () => {
  it('need the enterprise edition', async () => {
    const service = await startGenerous();
    try {
      const admin = await anAdmin(service);
      const body = { name: 'x', capabilities: [] };
      const reply = await call(service, 'POST', '/github/access-token', { as: admin.token, body });
      expect([reply.status, reply.body['id']]).toEqual([403, 'EDITION_REQUIRED']);
      expect((await call(service, 'GET', '/vcs_b/access-token', { as: admin.token })).status).toBe(403);
    } finally {
      await service.stop();
    }
  });

  it('give access tokens of their capabilities for a minute, and nothing else', async () => {
    const service = await startGenerous({ env: { SERVICE_EDITION: 'enterprise' } });
    try {
      const admin = await anAdmin(service);
      const member = await aMember(service, admin);
      const create = async (as: string, capabilities: unknown[], name = 'ci') =>
        (await must(service, 'POST', '/vcs_a/access-token', { as, body: { name, capabilities } }))[
          'refresh_token'
        ] ?? '';
      const refresh = (as: string) => call(service, 'POST', '/access-token/refresh', { as });

      const limit = { name: 'installation_id', id: '7' };
      const token = await create(member.token, [
        'access_token_create',
        'kv_store_read',
        'kv_store_system_read',
        limit,
      ]);
      const { results } = await must<{ results: { id: string; capabilities: unknown }[] }>(
        service,
        'GET',
        '/github/access-token',
        { as: member.token },
      );
      expect(results).toEqual([
        {
          id: expect.any(String) as string,
          name: 'ci',
          capabilities: ['access_token_create', 'kv_store_read', limit],
        },
      ]);

      const first = await refresh(token);
      expect(first.status).toBe(200);
      const access = first.body['token'] as string;
      const claims = JSON.parse(Buffer.from(access.split('.')[1] ?? '', 'base64url').toString()) as Record<
        string,
        number
      >;
      expect((claims['exp'] ?? 0) - (claims['iat'] ?? 0)).toBe(60);

      // An access token manages refresh tokens; it is good for nothing that asks for a person.
      const child = await create(access, ['kv_store_read', 'kv_store_write'], 'child');
      expect((await call(service, 'GET', '/whoami', { as: access })).status).toBe(401);
      expect((await call(service, 'GET', '/whoami', { as: token })).status).toBe(401);
      expect((await call(service, 'GET', '/github/access-token', { as: token })).status).toBe(401);
      const childAccess = (await refresh(child)).body['token'] as string;
      expect((await call(service, 'GET', '/github/access-token', { as: childAccess })).status).toBe(403);
      for (const wrong of [member.token, await aKey(service, member), access, 'made-up', `${token}x`]) {
        expect((await refresh(wrong)).status).toBe(403);
      }

      const page = await must<{ results: { name: string }[]; next_page: string }>(
        service,
        'GET',
        '/github/access-token?limit=1',
        { as: admin.token },
      );
      expect(page.results.map((row) => row.name)).toEqual(['ci']);
      const rest = await must<{ results: { name: string }[] }>(
        service,
        'GET',
        `/github/access-token?limit=1&page=${page.next_page}`,
        { as: admin.token },
      );
      expect(rest.results.map((row) => row.name)).toEqual(['child']);
      expect(rest).not.toHaveProperty('next_page');
      expect(await must<unknown>(service, 'GET', '/gitlab/access-token', { as: admin.token })).toEqual({
        results: [],
      });
      expect((await call(service, 'GET', '/github/access-token?page=x', { as: admin.token })).status).toBe(
        400,
      );
      const bad = await call(service, 'POST', '/github/access-token', {
        as: member.token,
        body: { name: 'x', capabilities: ['root'] },
      });
      expect(bad.status).toBe(400);

      const other = await aMember(service, admin);
      const path = `/github/access-token?id=${results[0]?.id ?? ''}`;
      expect((await call(service, 'DELETE', path, { as: other.token })).status).toBe(404);
      expect((await call(service, 'DELETE', path, { as: member.token })).status).toBe(200);
      expect((await refresh(token)).status).toBe(403);
      await must(service, 'DELETE', `/users/delete?user_id=${member.id}`, { as: admin.token });
      expect((await refresh(child)).status).toBe(403);
    } finally {
      await service.stop();
    }
  });

  it('give access tokens that really end', async () => {
    const service = await startGenerous({ env: { SERVICE_EDITION: 'enterprise' } });
    try {
      const admin = await anAdmin(service);
      const { rows } = await service.pool.query<{ id: string; secret: Buffer }>(
        'SELECT id, secret FROM signing_keys',
      );
      const [key] = rows;
      const body = { name: 'parent', capabilities: ['access_token_create'] };
      await must(service, 'POST', '/github/access-token', { as: admin.token, body });
      const [parent] = (await service.pool.query<{ id: string }>('SELECT id FROM refresh_tokens')).rows;
      const sign = (lifetime: number) =>
        new SignJWT({ use: 'access', refresh_token_id: parent?.id })
          .setProtectedHeader({ alg: 'HS256', kid: key?.id ?? '' })
          .setIssuer('infrastructure-state-service')
          .setSubject(admin.id)
          .setJti(randomUUID())
          .setExpirationTime(Math.floor(Date.now() / 1000) + lifetime)
          .sign(key?.secret ?? Buffer.alloc(0));
      expect((await call(service, 'GET', '/github/access-token', { as: await sign(60) })).status).toBe(200);
      expect((await call(service, 'GET', '/github/access-token', { as: await sign(-1) })).status).toBe(401);
    } finally {
      await service.stop();
    }
  });
});
