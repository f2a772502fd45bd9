import { type Application, startGenerousApplication } from '../support/application.js';
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
  type Reply,
  signIn,
  startGenerous,
} from '../support/identity.js';
import type { RunningService } from '../support/service.js';

describe('Users', () => {
  let service: Application;
  let admin: Admin;
  let other: string;
  let people: Record<'member' | 'outsider' | 'manager' | 'tenantAdmin', Person>;
  let callers: Record<string, string | undefined>;

  beforeAll(async () => {
    service = await startGenerousApplication();
    admin = await anAdmin(service);
    other = await aTenant(service, admin);
    people = {
      member: await aMember(service, admin),
      outsider: await anOutsider(service, admin),
      manager: await aManager(service, admin, { can_manage_users: true }),
      tenantAdmin: await aManager(service, admin, { tenant_admin: true }),
    };
    callers = {
      anonymous: undefined,
      outsider: people.outsider.token,
      member: people.member.token,
      manager: people.manager.token,
      tenantAdmin: people.tenantAdmin.token,
      limitedKey: await aKey(service, admin, { preview: {} }),
      admin: admin.token,
    };
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

  it('are listed by grants that are not limited to tenants', async () => {
    expect(await matrix(callers, (token) => call(service, 'GET', '/users', as(token)))).toEqual({
      anonymous: 401,
      outsider: 403,
      member: 403,
      manager: 403,
      tenantAdmin: 403,
      limitedKey: 403,
      admin: 200,
    });
  });

  it('lists users in pages, filtered by type and by a part of name or address', async () => {
    const names: string[] = [];
    let cursor: string | null = null;
    do {
      const page: {
        users: { name: string }[];
        total_count: number;
        limit: number;
        next_cursor: string | null;
      } = await must(service, 'GET', `/users?limit=2${cursor ? `&cursor=${cursor}` : ''}`, {
        as: admin.token,
      });
      expect([page.total_count, page.limit]).toEqual([5, 2]);
      names.push(...page.users.map((user) => user.name));
      cursor = page.next_cursor;
    } while (cursor);
    expect(names).toEqual(['Ada', ...Object.values(people).map((person) => person.name)]);
    const found = await must<{ users: { id: string }[] }>(
      service,
      'GET',
      `/users?type=user&search=${people.member.email.slice(0, 9).toUpperCase()}`,
      { as: admin.token },
    );
    expect(found.users.map((user) => user.id)).toEqual([people.member.id]);
    expect((await call(service, 'GET', '/users?search=%25', { as: admin.token })).body['total_count']).toBe(
      0,
    );
    expect((await call(service, 'GET', '/users?cursor=nonsense', { as: admin.token })).status).toBe(400);
  });

  it('show details to whom their tenants are reached', async () => {
    const path = `/users/detail?user_id=${people.member.id}`;
    expect(await matrix(callers, (token) => call(service, 'GET', path, as(token)))).toEqual({
      anonymous: 401,
      outsider: 403,
      member: 403,
      manager: 200,
      tenantAdmin: 200,
      limitedKey: 403,
      admin: 200,
    });
    const wide = await aMember(service, admin, [admin.tenantId, other]);
    const detail = `/users/detail?user_id=${wide.id}`;
    expect(await refusal(call(service, 'GET', detail, as(people.manager.token)))).toEqual([
      403,
      'CAPABILITY_UNAUTHORIZED',
    ]);
    for (const id of ['nonsense', '00000000-0000-4000-8000-000000000000']) {
      const unknown = call(service, 'GET', `/users/detail?user_id=${id}`, as(admin.token));
      expect(await refusal(unknown)).toEqual([404, 'USER_NOT_FOUND']);
    }
  });

  it('join the tenants of their creator that the grant reaches', async () => {
    const body = { name: 'New', password: 'long enough' };
    expect(await matrix(callers, (token) => call(service, 'POST', '/users', as(token, body)))).toEqual({
      anonymous: 401,
      outsider: 403,
      member: 403,
      manager: 201,
      tenantAdmin: 201,
      limitedKey: 403,
      admin: 201,
    });
    const created = await call(
      service,
      'POST',
      '/users',
      as(people.manager.token, { ...body, email: 'new@example.com' }),
    );
    expect(created.body).toEqual({
      id: expect.any(String) as string,
      name: 'New',
      email: 'new@example.com',
      is_instance_admin: false,
    });
    const { rows } = await service.pool.query('SELECT tenant_id FROM tenant_members WHERE user_id = $1', [
      created.body['id'],
    ]);
    expect(rows).toEqual([{ tenant_id: admin.tenantId }]);
    expect(
      await refusal(call(service, 'POST', '/users', as(admin.token, { ...body, email: 'NEW@example.com' }))),
    ).toEqual([409, 'EMAIL_TAKEN']);
    const bold = call(
      service,
      'POST',
      '/users',
      as(people.tenantAdmin.token, { ...body, is_instance_admin: true }),
    );
    expect(await refusal(bold)).toEqual([403, 'CAPABILITY_UNAUTHORIZED']);
    for (const password of ['1234567', 'a'.repeat(129)]) {
      expect((await call(service, 'POST', '/users', as(admin.token, { name: 'New', password }))).status).toBe(
        400,
      );
    }
  });

  it('are changed by those with strictly more authority', async () => {
    const target = await aMember(service, admin);
    const path = `/users/update?user_id=${target.id}`;
    expect(
      await matrix(callers, (token) => call(service, 'PUT', path, as(token, { name: 'Renamed' }))),
    ).toEqual({
      anonymous: 401,
      outsider: 403,
      member: 403,
      manager: 200,
      tenantAdmin: 200,
      limitedKey: 403,
      admin: 200,
    });
    const peer = `/users/update?user_id=${(await aManager(service, admin, { can_manage_users: true })).id}`;
    expect(await refusal(call(service, 'PUT', peer, as(people.manager.token, { name: 'X' })))).toEqual([
      403,
      'CAPABILITY_UNAUTHORIZED',
    ]);
    expect((await call(service, 'PUT', peer, as(people.tenantAdmin.token, { name: 'X' }))).status).toBe(200);
    const byManager = call(service, 'PUT', path, as(people.manager.token, { email: 'x@example.com' }));
    expect(await refusal(byManager)).toEqual([403, 'CAPABILITY_UNAUTHORIZED']);
    const promoted = await call(
      service,
      'PUT',
      path,
      as(admin.token, { is_instance_admin: true, avatar_url: 'https://example.com/a.png' }),
    );
    expect(promoted.body).toMatchObject({
      name: 'Renamed',
      avatar_url: 'https://example.com/a.png',
      admin_rights: { is_instance_admin: true, is_tenant_admin: false },
    });
    await must(service, 'DELETE', `/users/delete?user_id=${target.id}`, { as: admin.token });
  });

  it('keep everything as it was when the last admin would lose the right', async () => {
    const path = `/users/update?user_id=${admin.id}`;
    const body = {
      name: 'Gone',
      email: 'gone@example.com',
      avatar_url: 'https://example.com/x',
      is_instance_admin: false,
    };
    expect(await refusal(call(service, 'PUT', path, as(admin.token, body)))).toEqual([
      400,
      'CANNOT_REMOVE_LAST_ADMIN',
    ]);
    const { body: after } = await call(service, 'GET', `/users/detail?user_id=${admin.id}`, as(admin.token));
    expect(after).toMatchObject({ name: 'Ada', email: admin.email });
    expect(after['avatar_url']).toBeUndefined();
  });

  it('get and lose the installation admin grant by a set value', async () => {
    const target = await aManager(service, admin, { tenant_admin: true });
    const path = `/users/set-instance-admin?user_id=${target.id}`;
    const set = (value: boolean, token = admin.token) =>
      call(service, 'POST', path, as(token, { is_instance_admin: value }));
    expect(await refusal(set(true, people.tenantAdmin.token))).toEqual([403, 'CAPABILITY_UNAUTHORIZED']);
    expect((await set(false)).body).toEqual({ id: target.id, is_instance_admin: false });
    const { admin_rights: kept } = await must<Record<string, unknown>>(service, 'GET', '/whoami', {
      as: target.token,
    });
    expect(kept).toEqual({ is_instance_admin: false, is_tenant_admin: true });
    const promoted = { id: target.id, is_instance_admin: true };
    expect([(await set(true)).body, (await set(true)).body]).toEqual([promoted, promoted]);
    const own = `/users/set-instance-admin?user_id=${target.id}`;
    expect(await refusal(call(service, 'POST', own, as(target.token, { is_instance_admin: false })))).toEqual(
      [400, 'CANNOT_ACT_ON_SELF'],
    );
    expect((await set(false)).body).toEqual({ id: target.id, is_instance_admin: false });
    const last = `/users/set-instance-admin?user_id=${admin.id}`;
    expect(await refusal(call(service, 'POST', last, as(admin.token, { is_instance_admin: false })))).toEqual(
      [400, 'CANNOT_REMOVE_LAST_ADMIN'],
    );
    expect((await call(service, 'POST', '/users/toggle-admin', as(admin.token, {}))).status).toBe(404);
  });

  it('are deleted for good, with their sessions and keys', async () => {
    const target = await aMember(service, admin);
    const key = await aKey(service, target);
    const path = `/users/delete?user_id=${target.id}`;
    expect(
      await matrix({ ...callers, manager: undefined, tenantAdmin: undefined, admin: undefined }, (token) =>
        call(service, 'DELETE', path, as(token)),
      ),
    ).toMatchObject({ outsider: 403, member: 403, limitedKey: 403 });
    const manager2 = await aManager(service, admin, { can_manage_users: true });
    for (const victim of [manager2, people.tenantAdmin]) {
      const reply = call(service, 'DELETE', `/users/delete?user_id=${victim.id}`, as(people.manager.token));
      expect(await refusal(reply)).toEqual([403, 'CAPABILITY_UNAUTHORIZED']);
    }
    expect((await call(service, 'DELETE', path, as(people.manager.token))).body).toEqual({
      id: target.id,
      deleted: true,
    });
    for (const token of [target.token, key])
      expect((await call(service, 'GET', '/whoami', as(token))).status).toBe(401);
    expect(await refusal(call(service, 'DELETE', path, as(admin.token)))).toEqual([404, 'USER_NOT_FOUND']);
    const login = { email: target.email, password: target.password };
    expect((await call(service, 'POST', '/login/password', { body: login })).status).toBe(401);
    expect(
      await refusal(call(service, 'DELETE', `/users/delete?user_id=${admin.id}`, as(admin.token))),
    ).toEqual([400, 'CANNOT_DELETE_LAST_ADMIN']);
    const second = await aMember(service, admin);
    await must(service, 'POST', `/users/set-instance-admin?user_id=${second.id}`, {
      as: admin.token,
      body: { is_instance_admin: true },
    });
    expect(
      await refusal(call(service, 'DELETE', `/users/delete?user_id=${second.id}`, as(second.token))),
    ).toEqual([400, 'CANNOT_DELETE_OWN_ACCOUNT']);
    expect(
      (await call(service, 'DELETE', `/users/delete?user_id=${second.id}`, as(admin.token))).status,
    ).toBe(200);
  });

  it('have their passwords set by others without the old one, given authority', async () => {
    const target = await aMember(service, admin);
    const path = `/users/change-password?user_id=${target.id}`;
    const body = { new_password: 'set by somebody else' };
    expect(await refusal(call(service, 'POST', path, as(people.member.token, body)))).toEqual([
      403,
      'CAPABILITY_UNAUTHORIZED',
    ]);
    expect((await call(service, 'POST', path, as(people.manager.token, body))).status).toBe(200);
    await signIn(service, target.email, 'set by somebody else');
    const up = call(
      service,
      'POST',
      `/users/change-password?user_id=${admin.id}`,
      as(people.tenantAdmin.token, body),
    );
    expect(await refusal(up)).toEqual([403, 'CAPABILITY_UNAUTHORIZED']);
    const own = call(service, 'POST', `/users/change-password?user_id=${admin.id}`, as(admin.token, body));
    expect(await refusal(own)).toEqual([400, 'INVALID_REQUEST']);
  });
});

describe('The last installation admin', () => {
  it('remains when two demote or delete each other at the same moment, on two replicas', async () => {
    const one = await startGenerous();
    const two = await startGenerous({ database: one.database });
    try {
      const first = await anAdmin(one);
      for (const act of ['demote', 'delete', 'demote', 'delete'] as const) {
        const second = await aMember(one, first);
        await must(one, 'POST', `/users/set-instance-admin?user_id=${second.id}`, {
          as: first.token,
          body: { is_instance_admin: true },
        });
        const onto = (service: RunningService, by: Person, whom: Person) =>
          act === 'demote'
            ? call(service, 'POST', `/users/set-instance-admin?user_id=${whom.id}`, {
                as: by.token,
                body: { is_instance_admin: false },
              })
            : call(service, 'DELETE', `/users/delete?user_id=${whom.id}`, { as: by.token });
        await Promise.all([onto(one, first, second), onto(two, second, first)]);
        const { rows } = await one.pool.query<{ user_id: string }>(
          `SELECT g.user_id FROM user_grants g JOIN users u ON u.id = g.user_id
            WHERE g.capability = 'admin' AND g.tenants IS NULL AND u.deleted_at IS NULL`,
        );
        expect(rows).toHaveLength(1);
        const [survivor] = rows;
        if (survivor?.user_id === first.id) continue;
        await one.pool.query(`UPDATE users SET deleted_at = NULL WHERE id = $1`, [first.id]);
        await one.pool.query(`INSERT INTO user_grants (user_id, capability) VALUES ($1, 'admin')`, [
          first.id,
        ]);
        await one.pool.query('DELETE FROM user_grants WHERE user_id = $1', [second.id]);
        first.token = await signIn(one, first.email, first.password);
      }
    } finally {
      await two.stop();
      await one.stop();
    }
  });
});
