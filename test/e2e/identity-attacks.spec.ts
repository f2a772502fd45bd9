import { randomUUID } from 'node:crypto';
import {
  type Admin,
  aKey,
  aManager,
  aMember,
  anAdmin,
  call,
  must,
  type Person,
  type Reply,
  startGenerous,
} from '../support/identity.js';
import { type RunningService, startService } from '../support/service.js';

/** What somebody tries who means harm, or whose client sends odd things. */
describe('Attacks on identity', () => {
  let service: RunningService;
  let admin: Admin;
  let member: Person;

  beforeAll(async () => {
    service = await startGenerous({ env: { SERVICE_LOGIN_RATE_PER_ACCOUNT: '5' } });
    admin = await anAdmin(service);
    member = await aMember(service, admin);
  });
  afterAll(() => service.stop());

  const refusal = async (reply: Promise<Reply>) => {
    const { status, body } = await reply;
    return [status, body['id']];
  };
  const tenantPath = (rest: string) => `/tenants/${admin.tenantId}${rest}`;
  const aState = async () =>
    (await must(service, 'POST', tenantPath('/states'), { as: admin.token, body: { name: randomUUID() } }))[
      'id'
    ] ?? '';
  const setDefaults = (capabilities: unknown) =>
    must(service, 'PUT', '/caps/default', { as: admin.token, body: { capabilities } });
  const defaults = { preview: {}, commit: {}, 'access-token-create': {}, 'access-token-refresh': {} };

  describe('by a key that is limited to outputs of one state', () => {
    const outputsOf = (stateId: string) => ({ preview: { states: { [stateId]: ['outputs'] } } });
    const reads = async (key: string, stateId: string) =>
      (await call(service, 'GET', `/states/${stateId}`, { as: key })).status;

    it('read no more when the owner loses what the key was cut from', async () => {
      const [own, other] = [await aState(), await aState()];
      const key = await aKey(service, member, outputsOf(own));
      expect(await reads(key, other)).toBe(404);
      await setDefaults({});
      try {
        expect(await reads(key, other)).toBe(404);
        expect(await reads(key, own)).toBe(404);
        expect((await call(service, 'GET', tenantPath('/states'), { as: key })).status).toBe(404);
      } finally {
        await setDefaults(defaults);
      }
    });

    it('read nothing when the state is unknown', async () => {
      const key = await aKey(service, member, outputsOf(randomUUID()));
      expect(await reads(key, await aState())).toBe(404);
    });

    it('make no key that reads more', async () => {
      const [own, other] = [await aState(), await aState()];
      const key = await aKey(service, member, {
        ...outputsOf(own),
        'access-token-create': { states: { [own]: ['*'] } },
      });
      for (const wanted of [undefined, {}, { preview: {} }, { sudo: {} }]) {
        expect(await reads(await aKey(service, { token: key }, wanted), other)).toBe(404);
      }
    });
  });

  describe('on somebody of the same rank', () => {
    it('is refused when the rank comes from the defaults', async () => {
      const [one, two] = [await aMember(service, admin), await aMember(service, admin)];
      await setDefaults({ ...defaults, 'users-manage': {} });
      try {
        const acts = [
          call(service, 'PUT', `/users/update?user_id=${two.id}`, { as: one.token, body: { name: 'X' } }),
          call(service, 'POST', `/users/change-password?user_id=${two.id}`, {
            as: one.token,
            body: { new_password: 'set by an equal' },
          }),
          call(service, 'DELETE', `/users/delete?user_id=${two.id}`, { as: one.token }),
        ];
        for (const act of acts) expect(await refusal(act)).toEqual([403, 'CAPABILITY_UNAUTHORIZED']);
      } finally {
        await setDefaults(defaults);
      }
    });
  });

  describe('through values that are null', () => {
    it('does not take rights away that were not named', async () => {
      const boss = await aManager(service, admin, { tenant_admin: true, can_manage_users: true });
      const role = await must<Record<string, unknown>>(
        service,
        'POST',
        tenantPath(`/members/set-role?user_id=${boss.id}`),
        { as: admin.token, body: { tenant_admin: null, can_manage_users: null } },
      );
      expect(role).toMatchObject({ admin_scope: 'tenant', users_manage_scope: 'tenant' });
      const second = await aMember(service, admin);
      const path = `/users/set-instance-admin?user_id=${second.id}`;
      await must(service, 'POST', path, { as: admin.token, body: { is_instance_admin: true } });
      const updated = await must<Record<string, unknown>>(
        service,
        'PUT',
        `/users/update?user_id=${second.id}`,
        { as: admin.token, body: { name: 'Second', is_instance_admin: null, email: null, avatar_url: null } },
      );
      expect(updated).toMatchObject({ name: 'Second', admin_rights: { is_instance_admin: true } });
      await must(service, 'POST', path, { as: admin.token, body: { is_instance_admin: false } });
      const manager = await aManager(service, admin, { can_manage_users: true });
      const plain = await aMember(service, admin);
      await must(service, 'PUT', `/users/update?user_id=${plain.id}`, {
        as: manager.token,
        body: { name: 'Plain', email: null, is_instance_admin: null },
      });
    });
  });

  describe('by text that the database does not take', () => {
    it.each(['\u0000', '\ud800', 'a\u0000b'])(
      '%j is refused or kept, never an unexpected error',
      async (odd) => {
        const text = `x${odd}x`;
        const query = encodeURIComponent(odd === '\ud800' ? '\ufffd' : odd);
        const replies = [
          await call(service, 'POST', '/login/password', { body: { email: text, password: text } }),
          await call(service, 'GET', `/invitations/preview?token=${query}`),
          await call(service, 'GET', `/logout?rd=${query}`),
          await call(service, 'POST', '/users', {
            as: admin.token,
            body: { name: text, password: `long enough ${odd}` },
          }),
          await call(service, 'GET', `/users?search=${query}`, { as: admin.token }),
          await call(service, 'POST', '/tenants', { as: admin.token, body: { name: text } }),
          await call(service, 'PUT', tenantPath(''), { as: admin.token, body: { name: text } }),
          await call(service, 'POST', '/user/access-tokens', { as: admin.token, body: { name: text } }),
          await call(service, 'POST', '/user/access-tokens', {
            as: admin.token,
            body: { name: 'k', capabilities: { commit: { states: { [randomUUID()]: [text] } } } },
          }),
          await call(service, 'POST', '/api-users', {
            as: admin.token,
            body: { name: text, tenant_id: admin.tenantId },
          }),
          await call(service, 'POST', tenantPath('/invitations'), {
            as: admin.token,
            body: { email: `${text}@example.com` },
          }),
          await call(service, 'POST', tenantPath('/caps/group-rules'), {
            as: admin.token,
            body: {
              condition: { group: text },
              grant: { commit: { tenants: [admin.tenantId] } },
              description: text,
            },
          }),
          await call(service, 'GET', `/audit?action=${query}`, { as: admin.token }),
          await call(service, 'POST', '/invitations/accept', { as: member.token, body: { token: text } }),
        ];
        expect(replies.filter((reply) => reply.status >= 500).map((reply) => reply.body)).toEqual([]);
        await must(service, 'PUT', tenantPath(''), { as: admin.token, body: { name: 'Example' } });
      },
    );
  });

  describe('by guessing passwords', () => {
    const guess = (email: string, headers: Record<string, string> = {}) =>
      call(service, 'POST', '/login/password', { body: { email, password: 'a wrong password' }, headers });

    it('counts every spelling of an address for one account', async () => {
      const { email } = await aMember(service, admin);
      const statuses = [];
      for (const spelling of [
        email,
        email.toUpperCase(),
        ` ${email}`,
        `${email}\t`,
        email.replace('e', 'E'),
        email,
      ])
        statuses.push((await guess(spelling)).status);
      expect(statuses).toEqual([401, 401, 401, 401, 429, 429]);
      const { rows } = await service.pool.query<{ key: string }>(
        `SELECT key FROM rate_limits WHERE key LIKE 'login:account-address:%' AND hits = 7`,
      );
      expect(rows).toHaveLength(1);
    });

    it('is counted for one address, whatever the client says of proxies', async () => {
      const strict = await startService({ env: { SERVICE_LOGIN_RATE_PER_ADDRESS: '3' } });
      try {
        const statuses = [];
        for (let n = 0; n < 5; n += 1) {
          const headers = {
            'X-Forwarded-For': `10.0.0.${n}`,
            'X-Real-IP': `10.0.0.${n}`,
            Forwarded: `for=10.0.0.${n}`,
          };
          const body = { email: `${n}@example.com`, password: 'a wrong password' };
          statuses.push((await call(strict, 'POST', '/login/password', { body, headers })).status);
        }
        expect(statuses).toEqual([401, 401, 401, 429, 429]);
      } finally {
        await strict.stop();
      }
    });

    it('is counted for the current password of a session at hand, too', async () => {
      const target = await aMember(service, admin);
      const statuses = [];
      for (let n = 0; n < 7; n += 1) {
        const body = { new_password: 'set by a thief', current_password: `guess ${n}` };
        const path = `/users/change-password?user_id=${target.id}`;
        statuses.push((await call(service, 'POST', path, { as: target.token, body })).status);
      }
      expect(statuses.slice(-1)).toEqual([429]);
    });
  });

  describe('on the cookie', () => {
    it('meets one that is sent over https only, where the service is browsed by https', async () => {
      const secure = await startGenerous({
        database: service.database,
        env: { SERVICE_UI_BASE: 'https://infra.example.com' },
      });
      try {
        const body = { email: member.email, password: member.password };
        const login = await call(secure, 'POST', '/login/password', { body });
        expect(login.headers.get('set-cookie')).toMatch(/; HttpOnly; Secure; SameSite=Lax$/);
        const out = await call(secure, 'GET', '/logout', { as: login.body['session_token'] as string });
        expect(out.headers.get('set-cookie')).toMatch(/^session=;.*HttpOnly; Secure; SameSite=Lax$/);
      } finally {
        await secure.stop();
      }
    });

    it('finds that other origins are told nothing', async () => {
      const headers = { Origin: 'https://evil.example', Cookie: `session=${member.token}` };
      const reply = await call(service, 'GET', '/whoami', { headers });
      expect(reply.headers.get('access-control-allow-origin')).toBeNull();
      expect(reply.headers.get('access-control-allow-credentials')).toBeNull();
    });
  });

  describe('on the last administrator', () => {
    it('counts people only, and lets a service account go', async () => {
      const { user_id: robot = '' } = await must(service, 'POST', '/api-users', {
        as: admin.token,
        body: { name: 'robot', tenant_id: admin.tenantId },
      });
      const set = (value: boolean) =>
        call(service, 'POST', `/users/set-instance-admin?user_id=${robot}`, {
          as: admin.token,
          body: { is_instance_admin: value },
        });
      expect((await set(true)).status).toBe(200);
      expect(
        await refusal(
          call(service, 'POST', `/users/set-instance-admin?user_id=${admin.id}`, {
            as: admin.token,
            body: { is_instance_admin: false },
          }),
        ),
      ).toEqual([400, 'CANNOT_REMOVE_LAST_ADMIN']);
      expect((await set(false)).body).toEqual({ id: robot, is_instance_admin: false });
      expect((await set(true)).status).toBe(200);
      expect(
        (await call(service, 'DELETE', `/users/delete?user_id=${robot}`, { as: admin.token })).status,
      ).toBe(200);
    });
  });
});
