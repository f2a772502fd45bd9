import {
  type Admin,
  aManager,
  aMember,
  anAdmin,
  anOutsider,
  aTenant,
  call,
  matrix,
  must,
  type Person,
  type Reply,
  startGenerous,
} from '../support/identity.js';
import type { RunningService } from '../support/service.js';

const NOBODYS = '00000000-0000-4000-8000-000000000000';

describe('Tenants, members and group rules', () => {
  let service: RunningService;
  let admin: Admin;
  let people: Record<'outsider' | 'member' | 'manager' | 'tenantAdmin', Person>;
  let callers: Record<string, string | undefined>;

  beforeAll(async () => {
    service = await startGenerous();
    admin = await anAdmin(service);
    people = {
      outsider: await anOutsider(service, admin),
      member: await aMember(service, admin),
      manager: await aManager(service, admin, { can_manage_users: true }),
      tenantAdmin: await aManager(service, admin, { tenant_admin: true }),
    };
    callers = { anonymous: undefined, admin: admin.token };
    for (const [name, { token }] of Object.entries(people)) callers[name] = token;
  });
  afterAll(() => service.stop());

  const as = (token: string | undefined, body?: unknown) => ({
    ...(token === undefined ? {} : { as: token }),
    ...(body === undefined ? {} : { body }),
  });
  const refusal = async (reply: Promise<Reply>) => {
    const { status, body } = await reply;
    return [status, body['id']];
  };
  const tenantPath = (rest = '') => `/tenants/${admin.tenantId}${rest}`;
  const setRole = (by: string, user: Person, body: unknown, tenantId = admin.tenantId) =>
    call(service, 'POST', `/tenants/${tenantId}/members/set-role?user_id=${user.id}`, as(by, body));

  it('are made by installation admins, with unique names', async () => {
    let n = 0;
    const create = (token: string | undefined) =>
      call(service, 'POST', '/tenants', as(token, { name: ` new ${(n += 1)} ` }));
    expect(await matrix(callers, create)).toEqual({
      anonymous: 401,
      outsider: 403,
      member: 403,
      manager: 403,
      tenantAdmin: 403,
      admin: 201,
    });
    const reply = await call(service, 'POST', '/tenants', as(admin.token, { name: '  Trimmed ' }));
    expect(reply.body).toEqual({ id: expect.any(String) as string, name: 'Trimmed' });
    expect(await refusal(call(service, 'POST', '/tenants', as(admin.token, { name: 'Trimmed' })))).toEqual([
      409,
      'TENANT_NAME_CONFLICT',
    ]);
    for (const name of [' ', 'x'.repeat(256), undefined, 7]) {
      expect(await refusal(call(service, 'POST', '/tenants', as(admin.token, { name })))).toEqual([
        400,
        'INVALID_REQUEST',
      ]);
    }
    const { results } = await must<{ results: { name: string }[] }>(service, 'GET', '/user/tenants', {
      as: admin.token,
    });
    expect(results.map((tenant) => tenant.name)).toContain('Trimmed');
  });

  it('are renamed by their administrators only', async () => {
    const rename = (token: string | undefined) =>
      call(service, 'PUT', tenantPath(), as(token, { name: 'Example' }));
    expect(await matrix(callers, rename)).toEqual({
      anonymous: 401,
      outsider: 403,
      member: 403,
      manager: 403,
      tenantAdmin: 200,
      admin: 200,
    });
    expect(await refusal(call(service, 'PUT', tenantPath(), as(admin.token, { name: 'Default' })))).toEqual([
      409,
      'TENANT_NAME_CONFLICT',
    ]);
    for (const id of [NOBODYS, 'nonsense']) {
      expect(await refusal(call(service, 'PUT', `/tenants/${id}`, as(admin.token, { name: 'X' })))).toEqual([
        404,
        'TENANT_NOT_FOUND',
      ]);
    }
  });

  it('list their active members, oldest membership first', async () => {
    expect(await matrix(callers, (token) => call(service, 'GET', tenantPath('/members'), as(token)))).toEqual(
      {
        anonymous: 401,
        outsider: 403,
        member: 403,
        manager: 200,
        tenantAdmin: 200,
        admin: 200,
      },
    );
    const first = await must<{ members: unknown[]; next_cursor: string }>(
      service,
      'GET',
      tenantPath('/members?limit=2'),
      { as: admin.token },
    );
    expect(first).toEqual({
      members: [
        expect.objectContaining({ user_id: admin.id, admin_scope: 'wider', users_manage_scope: 'none' }),
        {
          user_id: people.member.id,
          name: people.member.name,
          email: people.member.email,
          type: 'user',
          joined_at: expect.any(String) as string,
          admin_scope: 'none',
          users_manage_scope: 'none',
        },
      ],
      total_count: 4,
      limit: 2,
      has_more: true,
      next_cursor: expect.any(String) as string,
    });
    const second = await must(service, 'GET', tenantPath(`/members?limit=2&cursor=${first.next_cursor}`), {
      as: admin.token,
    });
    expect(second).toMatchObject({
      members: [
        { user_id: people.manager.id, users_manage_scope: 'tenant' },
        { user_id: people.tenantAdmin.id, admin_scope: 'tenant' },
      ],
      has_more: false,
      next_cursor: null,
    });
  });

  it('adding a member to a tenant twice adds them once', async () => {
    const tenantId = await aTenant(service, admin);
    const add = (userId: string) =>
      call(service, 'POST', `/tenants/${tenantId}/members`, as(admin.token, { user_id: userId }));
    const [created, again] = [await add(people.member.id), await add(people.member.id)];
    expect([created.status, again.status]).toEqual([201, 200]);
    expect(again.body).toEqual(created.body);
    expect(await refusal(add(NOBODYS))).toEqual([404, 'USER_NOT_FOUND']);
  });

  it('give and take roles, under the rules of who may', async () => {
    const target = await aMember(service, admin);
    expect(await refusal(setRole(people.manager.token, target, { tenant_admin: true }))).toEqual([
      403,
      'CAPABILITY_UNAUTHORIZED',
    ]);
    expect((await setRole(people.manager.token, target, { can_manage_users: true })).body).toMatchObject({
      admin_scope: 'none',
      users_manage_scope: 'tenant',
    });
    expect((await setRole(people.tenantAdmin.token, target, { tenant_admin: true })).body).toMatchObject({
      admin_scope: 'tenant',
      users_manage_scope: 'tenant',
    });
    expect(await refusal(setRole(target.token, target, { tenant_admin: false }))).toEqual([
      409,
      'CANNOT_ACT_ON_SELF',
    ]);
    expect(await refusal(setRole(people.manager.token, target, { tenant_admin: false }))).toEqual([
      403,
      'CAPABILITY_UNAUTHORIZED',
    ]);
    const other = await aTenant(service, admin);
    await must(service, 'POST', `/tenants/${other}/members`, {
      as: admin.token,
      body: { user_id: target.id },
    });
    expect((await setRole(admin.token, target, { tenant_admin: true }, other)).body).toMatchObject({
      admin_scope: 'wider',
    });
    for (const act of [
      setRole(people.tenantAdmin.token, target, { tenant_admin: false }),
      call(service, 'DELETE', tenantPath(`/members?user_id=${target.id}`), as(people.tenantAdmin.token)),
    ]) {
      expect(await refusal(act)).toEqual([409, 'GRANT_WIDER_THAN_TENANT']);
    }
    expect(await refusal(setRole(admin.token, people.outsider, { tenant_admin: true }))).toEqual([
      404,
      'MEMBER_NOT_FOUND',
    ]);
  });

  it('lose a member together with the grants on the tenant', async () => {
    const target = await aManager(service, admin, { can_manage_users: true });
    const path = tenantPath(`/members?user_id=${target.id}`);
    expect(
      await matrix({ ...callers, admin: undefined, tenantAdmin: undefined, manager: undefined }, (token) =>
        call(service, 'DELETE', path, as(token)),
      ),
    ).toMatchObject({ outsider: 403, member: 403 });
    const reply = await call(service, 'DELETE', path, as(people.manager.token));
    expect([reply.status, reply.body]).toEqual([200, { user_id: target.id, removed: true }]);
    const { rows } = await service.pool.query('SELECT * FROM user_grants WHERE user_id = $1', [target.id]);
    expect(rows).toEqual([]);
    expect((await call(service, 'GET', tenantPath('/members'), as(target.token))).status).toBe(403);
    expect(await refusal(call(service, 'DELETE', path, as(admin.token)))).toEqual([404, 'MEMBER_NOT_FOUND']);
    const own = tenantPath(`/members?user_id=${people.manager.id}`);
    expect(await refusal(call(service, 'DELETE', own, as(people.manager.token)))).toEqual([
      409,
      'CANNOT_ACT_ON_SELF',
    ]);
  });

  it('keep their last administrator, whatever two of them do at the same moment', async () => {
    const replica = await startGenerous({ database: service.database });
    try {
      for (let round = 0; round < 3; round += 1) {
        const tenantId = await aTenant(service, admin);
        const [a, b] = [
          await aManager(service, admin, { tenant_admin: true }, [tenantId]),
          await aManager(service, admin, { tenant_admin: true }, [tenantId]),
        ];
        await service.pool.query('DELETE FROM tenant_members WHERE tenant_id = $1 AND user_id = $2', [
          tenantId,
          admin.id,
        ]);
        const demote = (at: RunningService, by: Person, whom: Person) =>
          call(
            at,
            'POST',
            `/tenants/${tenantId}/members/set-role?user_id=${whom.id}`,
            as(by.token, { tenant_admin: false }),
          );
        const statuses = (await Promise.all([demote(service, a, b), demote(replica, b, a)])).map(
          (reply) => reply.status,
        );
        const { rows } = await service.pool.query(
          `SELECT user_id FROM user_grants WHERE capability = 'admin' AND $1 = ANY (tenants)`,
          [tenantId],
        );
        expect(rows).toHaveLength(1);
        expect(statuses.filter((status) => status === 200)).toHaveLength(1);
      }
    } finally {
      await replica.stop();
    }
  });

  it('protect their last administrator from removal', async () => {
    const tenantId = await aTenant(service, admin);
    const only = await aManager(service, admin, { tenant_admin: true }, [tenantId]);
    await service.pool.query('DELETE FROM tenant_members WHERE tenant_id = $1 AND user_id = $2', [
      tenantId,
      admin.id,
    ]);
    const path = `/tenants/${tenantId}/members?user_id=${only.id}`;
    expect(await refusal(call(service, 'DELETE', path, as(admin.token)))).toEqual([409, 'LAST_TENANT_ADMIN']);
    expect(await refusal(setRole(admin.token, only, { tenant_admin: false }, tenantId))).toEqual([
      409,
      'LAST_TENANT_ADMIN',
    ]);
  });

  it('have default capabilities that an installation admin replaces', async () => {
    const defaults = { preview: {}, commit: {}, 'access-token-create': {}, 'access-token-refresh': {} };
    expect((await call(service, 'GET', '/caps/default', as(people.member.token))).body).toEqual({
      capabilities: defaults,
    });
    expect(
      await matrix(callers, (token) =>
        call(service, 'PUT', '/caps/default', as(token, { capabilities: defaults })),
      ),
    ).toEqual({
      anonymous: 401,
      outsider: 403,
      member: 403,
      manager: 403,
      tenantAdmin: 403,
      admin: 200,
    });
    await must(service, 'PUT', '/caps/default', { as: admin.token, body: { capabilities: { preview: {} } } });
    const { capabilities } = await must<{ capabilities: unknown }>(service, 'GET', '/whoami', {
      as: people.member.token,
    });
    expect(capabilities).toEqual({ preview: {} });
    await must(service, 'PUT', '/caps/default', { as: admin.token, body: { capabilities: defaults } });
    expect(
      (await call(service, 'PUT', '/caps/default', as(admin.token, { capabilities: { root: {} } }))).status,
    ).toBe(400);
  });

  it('have group rules no wider than themselves', async () => {
    const path = tenantPath('/caps/group-rules');
    const rule = {
      condition: { group: 'ops*' },
      grant: { commit: { tenants: [admin.tenantId] } },
      description: 'operators',
    };
    const expected = {
      anonymous: 401,
      outsider: 403,
      member: 403,
      manager: 403,
      tenantAdmin: 200,
      admin: 200,
    };
    expect(await matrix(callers, (token) => call(service, 'GET', path, as(token)))).toEqual(expected);
    expect(await matrix(callers, (token) => call(service, 'POST', path, as(token, rule)))).toEqual(expected);
    const { rules } = await must<{ rules: { id: string }[] }>(service, 'GET', path, { as: admin.token });
    expect(rules[0]).toEqual({
      id: expect.any(String) as string,
      ...rule,
      created_at: expect.any(String) as string,
      created_by: expect.any(String) as string,
    });
    for (const [grant, status, id] of [
      [{ commit: {} }, 422, 'GRANT_BEYOND_TENANT'],
      [{ commit: { tenants: [NOBODYS] } }, 422, 'GRANT_BEYOND_TENANT'],
      [{ commit: { states: { [NOBODYS]: ['*'] } } }, 422, 'GRANT_BEYOND_TENANT'],
      [{ sudo: { tenants: [admin.tenantId] } }, 422, 'GRANT_BEYOND_TENANT'],
      [{ nonsense: {} }, 400, 'INVALID_REQUEST'],
      [{}, 400, 'INVALID_REQUEST'],
    ] as const) {
      expect(await refusal(call(service, 'POST', path, as(admin.token, { ...rule, grant })))).toEqual([
        status,
        id,
      ]);
    }
    expect(await refusal(call(service, 'POST', path, as(admin.token, { ...rule, condition: {} })))).toEqual([
      400,
      'INVALID_REQUEST',
    ]);
    const one = `${path}/${rules[0]?.id ?? ''}`;
    expect((await call(service, 'DELETE', one, as(people.manager.token))).status).toBe(403);
    expect((await call(service, 'DELETE', one, as(people.tenantAdmin.token))).status).toBe(200);
    expect(await refusal(call(service, 'DELETE', one, as(admin.token)))).toEqual([
      404,
      'GROUP_RULE_NOT_FOUND',
    ]);
    const { rows } = await service.pool.query('SELECT deleted_at FROM capability_group_rules WHERE id = $1', [
      rules[0]?.id,
    ]);
    expect(rows).toEqual([{ deleted_at: expect.any(Date) as Date }]);
  });

  it('show what was done in them to their administrators', async () => {
    expect(await matrix(callers, (token) => call(service, 'GET', tenantPath('/audit'), as(token)))).toEqual({
      anonymous: 401,
      outsider: 403,
      member: 403,
      manager: 403,
      tenantAdmin: 200,
      admin: 200,
    });
    expect(await matrix(callers, (token) => call(service, 'GET', '/audit', as(token)))).toEqual({
      anonymous: 401,
      outsider: 403,
      member: 403,
      manager: 403,
      tenantAdmin: 403,
      admin: 200,
    });
    type Page = {
      entries: { action: string; created_at: string; actor?: { id: string } }[];
      next_cursor: string;
      total_count: number;
    };
    const page = await must<Page>(service, 'GET', tenantPath('/audit?limit=1&action=group-rule.delete'), {
      as: admin.token,
    });
    expect(page).toEqual({
      entries: [
        {
          id: expect.any(String) as string,
          created_at: expect.any(String) as string,
          actor: {
            id: people.tenantAdmin.id,
            name: people.tenantAdmin.name,
            credential: expect.stringMatching(/^session:/) as string,
          },
          action: 'group-rule.delete',
          object_type: 'group-rule',
          object_id: expect.any(String) as string,
          tenant_id: admin.tenantId,
          request_id: expect.any(String) as string,
          data: expect.any(Object) as object,
        },
      ],
      total_count: 1,
      limit: 1,
      has_more: false,
      next_cursor: null,
    });
    const prefix = await must<Page>(
      service,
      'GET',
      `/audit?action=member.*&actor=${people.manager.id}&limit=1`,
      { as: admin.token },
    );
    expect(prefix.entries[0]?.action).toMatch(/^member\./);
    const next = await must<Page>(
      service,
      'GET',
      `/audit?action=member.*&actor=${people.manager.id}&limit=1&cursor=${prefix.next_cursor}`,
      { as: admin.token },
    );
    expect(next.entries[0]?.action).toMatch(/^member\./);
    const body = { name: 'Newcomer', password: 'long enough' };
    const { id } = await must(service, 'POST', '/users', { as: people.manager.token, body });
    await must(service, 'DELETE', `/users/delete?user_id=${id ?? ''}`, { as: people.manager.token });
    const about = await must<{ entries: { action: string; object_id: string }[] }>(
      service,
      'GET',
      tenantPath(`/audit?actor=${people.manager.id}`),
      { as: people.tenantAdmin.token },
    );
    expect(about.entries.filter((entry) => entry.object_id === id).map((entry) => entry.action)).toEqual([
      'user.delete',
      'member.add',
    ]);
    const at = page.entries[0]?.created_at ?? '';
    const inside = await must<Page>(service, 'GET', `/audit?action=group-rule.delete&from=${at}&to=${at}`, {
      as: admin.token,
    });
    expect(inside.total_count).toBe(1);
    const before = await must<Page>(service, 'GET', '/audit?to=2001-01-01', { as: admin.token });
    expect(before.total_count).toBe(0);
    // PostgreSQL itself knows no such offset.
    const nearlyADay = 'from=2001-01-01T10:00:00-23:59';
    expect((await call(service, 'GET', `/audit?${nearlyADay}`, { as: admin.token })).status).toBe(200);
    for (const query of ['from=x', 'from=2026', 'to=2026-W01-1', 'actor=x', 'cursor=x', 'limit=0']) {
      expect((await call(service, 'GET', `/audit?${query}`, { as: admin.token })).status).toBe(400);
    }
    const { rows } = await service.pool.query<{ text: string }>(
      'SELECT a::text AS text FROM audit_entries a',
    );
    for (const person of [admin, ...Object.values(people)]) {
      for (const secret of [person.password, person.token])
        expect(rows.some(({ text }) => text.includes(secret))).toBe(false);
    }
  });
});
