import { randomUUID } from 'node:crypto';
import {
  type Admin,
  aKey,
  aManager,
  aMember,
  anAdmin,
  aTenant,
  call,
  must,
  type Person,
  startGenerous,
} from '../support/identity.js';
import type { RunningService } from '../support/service.js';

const DOCUMENT = {
  version: 4,
  serial: 1,
  lineage: 'l',
  terraform_version: '1.11.0',
  outputs: {},
  resources: [],
};

describe('What administrators of one tenant do', () => {
  let service: RunningService;
  let root: Admin;
  /** administrators of the tenants A and X, and nothing else */
  let ofA: Person;
  let ofX: Person;
  let a: string;
  let x: string;

  beforeAll(async () => {
    service = await startGenerous();
    root = await anAdmin(service);
    [a, x] = [await aTenant(service, root), await aTenant(service, root)];
    ofA = await aManager(service, root, { tenant_admin: true }, [a]);
    ofX = await aManager(service, root, { tenant_admin: true }, [x]);
  });
  afterAll(() => service.stop());

  const update = (userId: string, as: string) =>
    call(service, 'PUT', `/users/update?user_id=${userId}`, { as, body: { name: `name ${randomUUID()}` } });
  const addTo = (tenantId: string, userId: string, as: string) =>
    call(service, 'POST', `/tenants/${tenantId}/members`, { as, body: { user_id: userId } });
  const write = (key: string, groupId = randomUUID()) =>
    call<{ state_id: string }>(service, 'POST', `/states/backend/${groupId}`, { as: key, body: DOCUMENT });
  const tenantsInSql = async (as: string) => {
    const query = encodeURIComponent('SELECT DISTINCT tenant_id FROM states ORDER BY tenant_id');
    const answer = await fetch(`${service.url}/api/v1/mql?q=${query}`, {
      headers: { Authorization: `Bearer ${as}` },
    });
    const rows = (await answer.json()) as { tenant_id: string }[];
    return rows.map((row) => row.tenant_id);
  };
  /** The sign-in that would do this is tested with a provider, in identity-oauth.spec.ts. */
  const giveRule = async (userId: string, tenantId: string, grant: Record<string, unknown>) => {
    const { id } = await must(service, 'POST', `/tenants/${tenantId}/caps/group-rules`, {
      as: root.token,
      body: { condition: { group: '*' }, grant },
    });
    await service.pool.query('UPDATE api_keys SET rule_ids = rule_ids || $2::uuid WHERE owner_id = $1', [
      userId,
      id,
    ]);
  };

  it('an administrator of a tenant cannot affect people of another one by a group rule', async () => {
    const member = await aMember(service, root, [a]);
    const key = await aKey(service, member);
    await must(service, 'POST', `/tenants/${x}/states`, { as: root.token, body: { name: 'of x' } });
    await must(service, 'POST', `/tenants/${a}/states`, { as: root.token, body: { name: 'of a' } });
    // The key holds nothing beyond what its maker held: a key of a session with the rule would.
    await service.pool.query(
      `UPDATE api_keys SET capabilities = capabilities || '{"admin": {"tenants": ["${x}"]}}' WHERE owner_id = $1`,
      [member.id],
    );
    await giveRule(member.id, x, { admin: { tenants: [x] } });
    // The rule acts where it was made …
    expect((await call(service, 'GET', `/tenants/${x}/members`, { as: key })).status).toBe(200);
    // … and everything else is as before.
    expect(await tenantsInSql(key)).toEqual([a]);
    const written = await write(key);
    expect(written.status).toBe(200);
    const { rows } = await service.pool.query<{ tenant_id: string }>(
      'SELECT tenant_id FROM states WHERE id = $1',
      [written.body.state_id],
    );
    expect(rows).toEqual([{ tenant_id: a }]);
    expect((await update(member.id, ofA.token)).status).toBe(200);
    expect((await update(member.id, ofX.token)).status).toBe(403);
    expect(
      (await call(service, 'DELETE', `/users/delete?user_id=${member.id}`, { as: ofA.token })).status,
    ).toBe(200);
  });

  it('an administrator of a tenant cannot affect people of another one by adding them', async () => {
    const member = await aMember(service, root, [a]);
    const key = await aKey(service, member);
    const added = await addTo(x, member.id, ofX.token);
    expect([added.status, added.body['user_id']]).toEqual([201, member.id]);
    expect((await write(key)).status).toBe(200);
    expect((await call(service, 'POST', '/tx/session/create', { as: key, body: {} })).status).toBe(201);
    const detail = `/users/detail?user_id=${member.id}`;
    expect((await call(service, 'GET', detail, { as: ofA.token })).status).toBe(200);
    expect((await call(service, 'GET', detail, { as: ofX.token })).status).toBe(403);
    expect((await update(member.id, ofA.token)).status).toBe(200);
    expect((await update(member.id, ofX.token)).status).toBe(403);
    const { tokens } = await must<{ tokens: { owner_id: string }[] }>(service, 'GET', '/user/access-tokens', {
      as: ofA.token,
    });
    expect(tokens.map((token) => token.owner_id)).toContain(member.id);
    // They may be thrown out again, by either.
    const gone = await call(service, 'DELETE', `/tenants/${x}/members?user_id=${member.id}`, {
      as: ofX.token,
    });
    expect(gone.status).toBe(200);
  });

  it('a membership counts when the person accepted it, or when somebody with rights in both tenants gave it', async () => {
    const [guest, shared] = [await aMember(service, root, [a]), await aMember(service, root, [a, x])];
    const { invite_url: link = '' } = await must(service, 'POST', `/tenants/${x}/invitations`, {
      as: ofX.token,
      body: { email: guest.email },
    });
    await must(service, 'POST', '/invitations/accept', {
      as: guest.token,
      body: { token: new URL(link).searchParams.get('token') },
    });
    for (const person of [guest, shared])
      for (const as of [ofA.token, ofX.token]) expect((await update(person.id, as)).status).toBe(403);
  });

  it('does not take over an account that they give rights to', async () => {
    const member = await aMember(service, root, [a]);
    await addTo(x, member.id, ofX.token);
    const path = `/tenants/${x}/members/set-role?user_id=${member.id}`;
    await must(service, 'POST', path, { as: ofX.token, body: { tenant_admin: true } });
    expect((await update(member.id, ofX.token)).status).toBe(403);
    // Nor is the tenant taken over from where the account belongs.
    expect((await update(member.id, ofA.token)).status).toBe(403);
  });

  it('leaves service accounts to their own tenant', async () => {
    const { user_id: robot = '', token: key = '' } = await must(service, 'POST', '/api-users', {
      as: ofA.token,
      body: { name: 'robot', tenant_id: a },
    });
    const refused = await addTo(x, robot, ofX.token);
    expect([refused.status, refused.body['id']]).toEqual([404, 'USER_NOT_FOUND']);
    expect((await addTo(x, robot, root.token)).status).toBe(404);
    expect((await addTo(a, robot, ofA.token)).status).toBe(200);
    expect((await write(key)).status).toBe(200);
    // Whatever became of its memberships, its keys are seen and revoked by those who made it.
    await must(service, 'DELETE', `/tenants/${a}/members?user_id=${robot}`, { as: ofA.token });
    const keysSeenBy = async (as: string) => {
      const { tokens } = await must<{ tokens: { id: string; owner_id: string }[] }>(
        service,
        'GET',
        '/user/access-tokens',
        { as },
      );
      return tokens.filter((token) => token.owner_id === robot).map(({ id }) => id);
    };
    expect(await keysSeenBy(ofX.token)).toEqual([]);
    const [id = ''] = await keysSeenBy(ofA.token);
    const revoke = (as: string) => call(service, 'POST', `/user/access-tokens/revoke?token_id=${id}`, { as });
    expect((await revoke(ofX.token)).status).toBe(404);
    expect((await revoke(ofA.token)).status).toBe(200);
    expect((await call(service, 'GET', '/whoami', { as: key })).status).toBe(401);
    expect((await addTo(a, robot, ofA.token)).status).toBe(201);
  });

  it('counts for people there only: administering one tenant is no rank in another', async () => {
    const both = await aManager(service, root, { tenant_admin: true }, [x]);
    await must(service, 'POST', `/tenants/${a}/members`, { as: root.token, body: { user_id: both.id } });
    await must(service, 'POST', `/tenants/${a}/members/set-role?user_id=${both.id}`, {
      as: root.token,
      body: { can_manage_users: true },
    });
    const manager = await aManager(service, root, { can_manage_users: true }, [a]);
    const member = await aMember(service, root, [a]);
    const as = both.token;
    expect((await call(service, 'DELETE', `/users/delete?user_id=${manager.id}`, { as })).status).toBe(403);
    const email = await call(service, 'PUT', `/users/update?user_id=${member.id}`, {
      as,
      body: { email: `${randomUUID()}@example.com` },
    });
    expect(email.status).toBe(403);
    expect((await update(member.id, as)).status).toBe(200);
    const byAdmin = await call(service, 'PUT', `/users/update?user_id=${member.id}`, {
      as: ofA.token,
      body: { email: `${randomUUID()}@example.com` },
    });
    expect(byAdmin.status).toBe(200);
  });
});

describe('Administration of a tenant', () => {
  it('is 403 to whoever lacks it, whether the tenant exists or not, and 404 to who would have it', async () => {
    const service = await startGenerous();
    try {
      const root = await anAdmin(service);
      const member = await aMember(service, root);
      const stranger = await aManager(service, root, { tenant_admin: true }, [await aTenant(service, root)]);
      const robot = await must(service, 'POST', '/api-users', {
        as: root.token,
        body: { name: 'robot', tenant_id: root.tenantId },
      });
      const routes: [string, string, unknown?][] = [
        ['PUT', '', { name: 'x' }],
        ['GET', '/caps/group-rules'],
        ['POST', '/caps/group-rules', { condition: { group: 'g' }, grant: {} }],
        ['DELETE', `/caps/group-rules/${randomUUID()}`],
        ['GET', '/members'],
        ['POST', '/members', { user_id: member.id }],
        ['POST', `/members/set-role?user_id=${member.id}`, { tenant_admin: true }],
        ['DELETE', `/members?user_id=${member.id}`],
        ['GET', '/invitations'],
        ['POST', '/invitations', { email: 'x@example.com' }],
        ['POST', `/invitations/reissue?id=${randomUUID()}`],
        ['POST', `/invitations/revoke?id=${randomUUID()}`],
      ];
      const wrong: string[] = [];
      for (const [method, path, body] of routes)
        for (const tenant of [root.tenantId, randomUUID(), 'no-uuid'])
          for (const [name, as, expected] of [
            ['member', member.token, 403],
            ['administrator of another', stranger.token, 403],
            ['service account', robot['token'] ?? '', 403],
            ['anonymous', undefined, 401],
            ['installation administrator', root.token, 404],
          ] as const) {
            if (name === 'installation administrator' && tenant === root.tenantId) continue;
            const { status } = await call(service, method, `/tenants/${tenant}${path}`, {
              ...(as === undefined ? {} : { as }),
              ...(body === undefined ? {} : { body }),
            });
            if (status !== expected) wrong.push(`${method} ${tenant}${path} by ${name}: ${status}`);
          }
      expect(wrong).toEqual([]);
      // States stay hidden.
      const states = await call(service, 'GET', `/tenants/${root.tenantId}/states`, { as: stranger.token });
      expect(states.status).toBe(404);
    } finally {
      await service.stop();
    }
  });
});
