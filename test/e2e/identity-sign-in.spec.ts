import { setTimeout as delay } from 'node:timers/promises';
import { decodeProtectedHeader } from 'jose';
import {
  type Admin,
  aKey,
  aMember,
  anAdmin,
  call,
  must,
  type Person,
  signIn,
  startGenerous,
} from '../support/identity.js';
import { type RunningService, startService } from '../support/service.js';

describe('Setup, sign-in and sessions', () => {
  let service: RunningService;
  let admin: Admin;
  let member: Person;

  beforeAll(async () => {
    service = await startGenerous();
    expect((await call(service, 'GET', '/setup/status')).body).toEqual({ needs_setup: true });
    admin = await anAdmin(service);
    member = await aMember(service, admin);
  });
  afterAll(() => service.stop());

  it('is set up once', async () => {
    expect((await call(service, 'GET', '/setup/status')).body).toEqual({ needs_setup: false });
    const body = { email: 'b@example.com', password: 'long enough', name: 'B', organization: 'B' };
    for (const as of [undefined, admin.token]) {
      const again = await call(service, 'POST', '/setup/admin', { body, ...(as ? { as } : {}) });
      expect([again.status, again.body['id']]).toEqual([409, 'SETUP_ALREADY_DONE']);
    }
    expect((await call(service, 'POST', '/setup/complete')).status).toBe(401);
    expect((await call(service, 'POST', '/setup/complete', { as: member.token })).status).toBe(403);
    expect((await call(service, 'POST', '/setup/complete', { as: admin.token })).status).toBe(200);
    const { results } = await must<{ results: { name: string }[] }>(service, 'GET', '/user/tenants', {
      as: admin.token,
    });
    expect(results.map((tenant) => tenant.name)).toEqual(['Default', 'Example']);
  });

  it('says who is there and what they may do', async () => {
    const { body } = await call(service, 'GET', '/whoami', { as: admin.token });
    expect(body).toEqual({
      id: admin.id,
      name: 'Ada',
      email: admin.email,
      type: 'user',
      admin_rights: { is_instance_admin: true, is_tenant_admin: false },
      auth_origin: 'local',
      created_at: expect.any(String) as string,
      capabilities: {
        admin: {},
        preview: {},
        commit: {},
        'access-token-create': {},
        'access-token-refresh': {},
      },
    });
  });

  it('knows nobody at a code-hosting provider where no account is linked', async () => {
    for (const name of ['github', 'gitlab', 'vcs_a', 'vcs_b']) {
      expect((await call(service, 'GET', `/${name}/whoami`)).status).toBe(401);
      const reply = await call(service, 'GET', `/${name}/whoami`, { as: member.token });
      expect([reply.status, reply.body['id']]).toEqual([403, 'FORBIDDEN']);
    }
  });

  it('takes a session or a key as cookie, bearer and the password of Basic', async () => {
    const key = await aKey(service, member);
    for (const secret of [member.token, key]) {
      const basic = Buffer.from(`session:${secret}`).toString('base64');
      const ways: Record<string, string>[] = [
        { Authorization: `Bearer ${secret}` },
        { Authorization: `Basic ${basic}` },
        { Cookie: `session=${secret}` },
      ];
      for (const headers of ways) {
        const { status, body } = await call(service, 'GET', '/whoami', { headers });
        expect([status, body['id']]).toEqual([200, member.id]);
      }
    }
  });

  it('answers a wrong password, an unknown address and an account without a password alike', async () => {
    for (const body of [
      { email: member.email, password: 'wrong password' },
      { email: 'nobody@example.com', password: 'wrong password' },
    ]) {
      const reply = await call(service, 'POST', '/login/password', { body });
      expect([reply.status, reply.body['id'], reply.body['data']]).toEqual([
        401,
        'UNAUTHENTICATED',
        'email or password is wrong',
      ]);
    }
    const { status, body } = await call(service, 'POST', '/login/password', {
      body: { email: member.email },
    });
    expect([status, body['id']]).toEqual([400, 'INVALID_REQUEST']);
  });

  it('looks at the whole of a long password', async () => {
    const { id = '' } = await must(service, 'POST', '/users', {
      as: admin.token,
      body: { name: 'Long', email: 'long@example.com', password: `${'a'.repeat(100)}X` },
    });
    const wrong = { email: 'long@example.com', password: `${'a'.repeat(100)}Y` };
    expect((await call(service, 'POST', '/login/password', { body: wrong })).status).toBe(401);
    await signIn(service, 'LONG@example.com', `${'a'.repeat(100)}X`);
    await must(service, 'DELETE', `/users/delete?user_id=${id}`, { as: admin.token });
  });

  it('sets a cookie that scripts cannot read, and ends the session on logout', async () => {
    const reply = await call(service, 'POST', '/login/password', {
      body: { email: member.email, password: member.password },
    });
    const token = reply.body['session_token'] as string;
    expect(reply.body).toEqual({ session_token: token, success: true });
    expect(reply.headers.get('set-cookie')).toMatch(
      /^session=.+; Max-Age=2592000; Path=\/;.*HttpOnly; SameSite=Lax$/,
    );
    const out = await call(service, 'GET', '/logout?rd=/somewhere', {
      headers: { Cookie: `session=${token}` },
    });
    expect([out.status, out.headers.get('location')]).toEqual([302, '/somewhere']);
    expect(out.headers.get('set-cookie')).toMatch(/^session=;/);
    expect((await call(service, 'GET', '/whoami', { as: token })).status).toBe(401);
    const away = await call(service, 'GET', '/logout?rd=https://evil.example/');
    expect(away.headers.get('location')).toBe(service.url);
  });

  it('ends every session when the password changes, and keeps keys', async () => {
    const person = await aMember(service, admin);
    const key = await aKey(service, person);
    const path = `/users/change-password?user_id=${person.id}`;
    const wrong = await call(service, 'POST', path, {
      as: person.token,
      body: { new_password: 'another password', current_password: 'wrong' },
    });
    expect([wrong.status, wrong.body['id']]).toEqual([400, 'WRONG_CURRENT_PASSWORD']);
    expect(
      (await call(service, 'POST', path, { as: person.token, body: { new_password: 'another password' } }))
        .status,
    ).toBe(400);
    const body = { new_password: 'another password', current_password: person.password };
    const reply = await call(service, 'POST', path, { as: person.token, body });
    expect(reply.body).toEqual({ id: person.id, password_changed: true });
    expect((await call(service, 'GET', '/whoami', { as: person.token })).status).toBe(401);
    expect((await call(service, 'GET', '/whoami', { as: key })).status).toBe(200);
    await signIn(service, person.email, 'another password');
  });

  it('refuses forged tokens and tokens of another use', async () => {
    const [head = '', payload = ''] = member.token.split('.');
    const none = Buffer.from('{"alg":"none"}').toString('base64url');
    for (const token of [`${head}.${payload}.AAAA`, `${none}.${payload}.`, 'a.b.c', 'x']) {
      expect((await call(service, 'GET', '/whoami', { as: token })).status).toBe(401);
    }
  });

  it('offers nothing but the password in local mode', async () => {
    expect((await call(service, 'GET', '/login/options')).body).toEqual({ options: [] });
    expect((await call(service, 'GET', '/login/google')).status).toBe(503);
    expect((await call(service, 'GET', '/oauth2/oidc/complete')).status).toBe(401);
    expect((await fetch(`${service.url}/oauth2/oidc/callback?code=x&state=y`)).status).toBe(404);
  });
});

describe('Limits of sign-in', () => {
  it('are shared by replicas, and count by account and by address', async () => {
    const env = { SERVICE_LOGIN_RATE_PER_ACCOUNT: '3', SERVICE_LOGIN_RATE_PER_ADDRESS: '6' };
    const one = await startService({ env });
    const two = await startService({ env, database: one.database });
    try {
      const attempt = (service: RunningService, email: string) =>
        call(service, 'POST', '/login/password', { body: { email, password: 'wrong password' } });
      const statuses = [];
      for (const service of [one, two, one, two])
        statuses.push((await attempt(service, 'A@example.com')).status);
      expect(statuses).toEqual([401, 401, 401, 429]);
      await attempt(two, 'b@example.com');
      await attempt(one, 'c@example.com');
      const refused = await attempt(two, 'd@example.com');
      expect([refused.status, refused.body['id']]).toEqual([429, 'RATE_LIMITED']);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    } finally {
      await two.stop();
      await one.stop();
    }
  });
});

describe('Limits of the setup', () => {
  it('are shared by replicas, and count by address before and after it is done', async () => {
    const env = { SERVICE_SETUP_RATE_PER_ADDRESS: '3' };
    const one = await startService({ env });
    const two = await startService({ env, database: one.database });
    try {
      const body = { email: 'a@example.com', password: 'long enough', name: 'A', organization: 'A' };
      for (const [path, statuses] of [
        ['/setup/complete', [200, 200, 200]],
        ['/setup/admin', [201, 409, 409]],
      ] as const) {
        const seen = [];
        for (const service of [one, two, one])
          seen.push((await call(service, 'POST', path, { body })).status);
        expect(seen).toEqual(statuses);
        for (const service of [one, two]) {
          const refused = await call(service, 'POST', path, { body });
          expect([refused.status, refused.body['id']]).toEqual([429, 'RATE_LIMITED']);
          expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
        }
      }
    } finally {
      await two.stop();
      await one.stop();
    }
  });
});

describe('Two setups at the same moment', () => {
  it('concurrent setups create one administrator', async () => {
    const one = await startGenerous();
    const two = await startGenerous({ database: one.database });
    try {
      const setUp = (service: RunningService, n: number) =>
        call(service, 'POST', '/setup/admin', {
          body: { email: `${n}@example.com`, password: 'long enough', name: 'N', organization: `Org ${n}` },
        });
      const replies = await Promise.all([one, two, one, two].map(setUp));
      expect(replies.map((reply) => reply.status).sort()).toEqual([201, 409, 409, 409]);
      const { rows } = await one.pool.query('SELECT count(*)::int AS users FROM users');
      expect(rows).toEqual([{ users: 1 }]);
    } finally {
      await two.stop();
      await one.stop();
    }
  });
});

describe('A signing key that has grown old', () => {
  it('is followed by a new one that a worker makes, and goes on verifying what it signed', async () => {
    const one = await startGenerous();
    const two = await startGenerous({ database: one.database });
    const env = { SERVICE_SIGNING_KEY_MAX_AGE_DAYS: '7' };
    await one.pool.query(`UPDATE signing_keys SET created_at = now() - interval '8 days'`);
    const keyOf = (token: string) => decodeProtectedHeader(token).kid;
    try {
      const admin = await anAdmin(one);
      const worker = await startService({ role: 'worker', database: one.database, env });
      try {
        const newest = await eventually(async () => {
          const { rows } = await one.pool.query<{ id: string }>(
            'SELECT id FROM signing_keys ORDER BY created_at DESC',
          );
          return rows.length > 1 ? rows[0]?.id : undefined;
        });
        // A replica that starts now signs with the new key, and those that run already know it when they meet it.
        const three = await startGenerous({ database: one.database });
        try {
          const fresh = await signIn(three, admin.email, admin.password);
          expect([keyOf(fresh) === newest, keyOf(admin.token) === newest]).toEqual([true, false]);
          for (const service of [one, two, three]) {
            for (const as of [admin.token, fresh])
              expect((await call(service, 'GET', '/whoami', { as })).status).toBe(200);
          }
        } finally {
          await three.stop();
        }
      } finally {
        await worker.stop();
      }
    } finally {
      await two.stop();
      await one.stop();
    }
  });
});

/** Asks again until there is an answer. */
async function eventually<T>(ask: () => Promise<T | undefined>): Promise<T> {
  for (const begun = Date.now(); Date.now() - begun < 20_000;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    await delay(50);
  }
  throw new Error('it never came');
}
