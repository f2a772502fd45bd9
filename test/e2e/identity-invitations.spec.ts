import {
  type Admin,
  aKey,
  aManager,
  aMember,
  anAdmin,
  anOutsider,
  call,
  matrix,
  must,
  type Person,
  type Reply,
  startGenerous,
} from '../support/identity.js';
import { aMailSink, type MailSink } from '../support/mail-sink.js';
import { freePort, type RunningService } from '../support/service.js';

interface Sent {
  invitation: { id: string; delivered?: boolean };
  invite_url: string;
  delivery: string;
}

describe('Invitations', () => {
  let service: RunningService;
  let admin: Admin;
  let people: Record<'outsider' | 'member' | 'manager' | 'tenantAdmin', Person>;
  let callers: Record<string, string | undefined>;
  let path: string;
  let n = 0;

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
    path = `/tenants/${admin.tenantId}/invitations`;
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
  const invite = async (values: { email?: string; tenant_admin?: boolean } = {}) => {
    const body = { email: `invited-${(n += 1)}@example.com`, tenant_admin: false, ...values };
    const sent = await must<Sent>(service, 'POST', path, { as: admin.token, body });
    return { ...sent, token: new URL(sent.invite_url).searchParams.get('token') ?? '', email: body.email };
  };
  const preview = (token: string) => call(service, 'GET', `/invitations/preview?token=${token}`);
  const accept = (person: { token: string }, token: string, at = service) =>
    call(at, 'POST', '/invitations/accept', as(person.token, { token }));
  const letCooldownPass = () =>
    service.pool.query(`UPDATE invitations SET sent_at = sent_at - interval '61 seconds'`);
  const expire = (id: string) =>
    service.pool.query('UPDATE invitations SET expires_at = now() WHERE id = $1', [id]);

  it('are the business of those who manage the tenant', async () => {
    const expected = {
      anonymous: 401,
      outsider: 403,
      member: 403,
      manager: 200,
      tenantAdmin: 200,
      admin: 200,
    };
    expect(await matrix(callers, (token) => call(service, 'GET', path, as(token)))).toEqual(expected);
    const create = (token: string | undefined) =>
      call(service, 'POST', path, as(token, { email: `m${(n += 1)}@example.com`, tenant_admin: false }));
    expect(await matrix(callers, create)).toEqual({
      ...expected,
      manager: 201,
      tenantAdmin: 201,
      admin: 201,
    });
    const asAdmin = (token: string | undefined) =>
      call(service, 'POST', path, as(token, { email: `m${(n += 1)}@example.com`, tenant_admin: true }));
    expect(await matrix(callers, asAdmin)).toEqual({
      ...expected,
      manager: 403,
      tenantAdmin: 201,
      admin: 201,
    });
    const missing = `${path}/reissue?id=00000000-0000-4000-8000-000000000000`;
    expect(await matrix(callers, (token) => call(service, 'POST', missing, as(token)))).toEqual({
      ...expected,
      manager: 404,
      tenantAdmin: 404,
      admin: 404,
    });
  });

  it('are made once for an address, with a link and nothing mailed when there is no mail server', async () => {
    const sent = await invite({ email: 'Jane@example.com' });
    expect(sent.invite_url).toBe(`${service.url}/invitations/accept?token=${sent.token}`);
    expect(sent).toMatchObject({
      invitation: {
        id: expect.any(String) as string,
        email: 'Jane@example.com',
        role: 'member',
        status: 'pending',
        invited_by_name: 'Ada',
        created_at: expect.any(String) as string,
        expires_at: expect.any(String) as string,
        send_count: 1,
      },
      delivery: 'not_configured',
    });
    expect(sent.invitation).not.toHaveProperty('delivered');
    expect(
      await refusal(call(service, 'POST', path, as(admin.token, { email: 'jane@EXAMPLE.com' }))),
    ).toEqual([409, 'INVITATION_EXISTS']);
    expect((await call(service, 'POST', path, as(admin.token, { email: 'nonsense' }))).status).toBe(400);
    const { rows } = await service.pool.query(
      `SELECT 1 FROM invitations i WHERE i::text LIKE '%' || $1 || '%'`,
      [sent.token],
    );
    expect(rows).toEqual([]);
    expect((await preview(sent.token)).body).toEqual({
      tenant_name: 'Example',
      inviter_name: 'Ada',
      role: 'member',
      status: 'pending',
      expires_at: expect.any(String) as string,
      invited_email_masked: 'J***@example.com',
    });
  });

  it('are listed newest first, expired ones by the time', async () => {
    const [older, newer] = [await invite(), await invite()];
    await expire(older.invitation.id);
    const page = await must<{ invitations: { id: string; status: string }[]; total_count: number }>(
      service,
      'GET',
      `${path}?limit=2`,
      { as: admin.token },
    );
    expect(page.invitations.map(({ id, status }) => [id, status])).toEqual([
      [newer.invitation.id, 'pending'],
      [older.invitation.id, 'expired'],
    ]);
    expect(await refusal(preview(older.token))).toEqual([410, 'INVITATION_EXPIRED']);
    expect(await refusal(accept(people.outsider, older.token))).toEqual([410, 'INVITATION_EXPIRED']);
    await invite({ email: older.email });
  });

  it('are sent again with a new link after a pause', async () => {
    const sent = await invite();
    const reissue = () =>
      call<Sent & { id: string }>(
        service,
        'POST',
        `${path}/reissue?id=${sent.invitation.id}`,
        as(admin.token),
      );
    const early = await reissue();
    expect([early.status, early.body.id]).toEqual([429, 'RATE_LIMITED']);
    expect(Number(early.headers.get('retry-after'))).toBeGreaterThan(0);
    await letCooldownPass();
    const again = await reissue();
    expect([again.status, again.body.invitation]).toMatchObject([
      200,
      { id: sent.invitation.id, send_count: 1 },
    ]);
    expect(await refusal(preview(sent.token))).toEqual([404, 'INVITATION_NOT_FOUND']);
    expect((await preview(new URL(again.body.invite_url).searchParams.get('token') ?? '')).status).toBe(200);
  });

  it('end when they are revoked', async () => {
    const sent = await invite();
    const revoke = () => call(service, 'POST', `${path}/revoke?id=${sent.invitation.id}`, as(admin.token));
    expect((await revoke()).status).toBe(204);
    expect(await refusal(revoke())).toEqual([409, 'INVITATION_NOT_PENDING']);
    expect(await refusal(preview(sent.token))).toEqual([409, 'INVITATION_NOT_PENDING']);
    expect(await refusal(accept(people.outsider, sent.token))).toEqual([409, 'INVITATION_NOT_PENDING']);
    await letCooldownPass();
    expect(
      (await call(service, 'POST', `${path}/reissue?id=${sent.invitation.id}`, as(admin.token))).status,
    ).toBe(409);
    expect(await refusal(preview('unknown'))).toEqual([404, 'INVITATION_NOT_FOUND']);
  });

  it('make whoever is signed in a member, and say when the address is another', async () => {
    const guest = await anOutsider(service, admin);
    const sent = await invite();
    expect((await call(service, 'POST', '/invitations/accept', { body: { token: sent.token } })).status).toBe(
      401,
    );
    expect((await accept({ token: await aKey(service, guest) }, sent.token)).status).toBe(401);
    expect((await accept(guest, sent.token)).body).toEqual({
      tenant_id: admin.tenantId,
      tenant_name: 'Example',
      already_member: false,
      email_mismatch: true,
    });
    expect((await accept(guest, sent.token)).body).toMatchObject({ already_member: true });
    expect(await refusal(accept(people.outsider, sent.token))).toEqual([409, 'INVITATION_NOT_PENDING']);
  });

  it('an invitation as administrator adds the tenant to those that the person administers', async () => {
    const sent = await invite({ tenant_admin: true, email: people.member.email });
    expect((await accept(people.member, sent.token)).body).toMatchObject({
      already_member: true,
      email_mismatch: false,
    });
    const { rows } = await service.pool.query(
      `SELECT tenants FROM user_grants WHERE user_id = $1 AND capability = 'admin'`,
      [people.member.id],
    );
    expect(rows).toEqual([{ tenants: [admin.tenantId] }]);
  });

  it('are accepted by one of two people who try at the same moment on two replicas', async () => {
    const replica = await startGenerous({ database: service.database });
    try {
      for (let round = 0; round < 5; round += 1) {
        const [a, b] = [await anOutsider(service, admin), await anOutsider(service, admin)];
        const sent = await invite();
        const replies = await Promise.all([accept(a, sent.token), accept(b, sent.token, replica)]);
        expect(replies.map((reply) => reply.status).sort()).toEqual([200, 409]);
        const { rows } = await service.pool.query(
          'SELECT user_id FROM tenant_members WHERE user_id = ANY ($1)',
          [[a.id, b.id]],
        );
        expect(rows).toHaveLength(1);
      }
    } finally {
      await replica.stop();
    }
  });

  it('are limited for an inviter in an hour, a tenant in a day, and an address that tries links', async () => {
    const env = {
      SERVICE_INVITES_PER_INVITER_HOUR: '2',
      SERVICE_INVITES_PER_TENANT_DAY: '3',
      SERVICE_INVITE_RATE_PER_ADDRESS: '3',
    };
    const limited = await startGenerous({ env });
    try {
      const boss = await anAdmin(limited);
      const second = await aManager(limited, boss, { tenant_admin: true });
      const third = await aManager(limited, boss, { tenant_admin: true });
      const send = async (by: Person) => {
        const body = { email: `l${(n += 1)}@example.com`, tenant_admin: false };
        return (await call(limited, 'POST', `/tenants/${boss.tenantId}/invitations`, as(by.token, body)))
          .status;
      };
      expect([await send(boss), await send(boss), await send(boss)]).toEqual([201, 201, 429]);
      expect([await send(second), await send(third)]).toEqual([201, 429]);
      const looks = [];
      for (let i = 0; i < 4; i += 1)
        looks.push((await call(limited, 'GET', '/invitations/preview?token=x')).status);
      expect(looks).toEqual([404, 404, 404, 429]);
    } finally {
      await limited.stop();
    }
  });
});

describe('Mail of invitations', () => {
  let sink: MailSink;

  beforeAll(async () => {
    sink = await aMailSink();
  });
  afterAll(() => sink.stop());

  it('is delivered, refused or not tried, and the answer says which', async () => {
    const service = await startGenerous({ env: { SERVICE_SMTP_URL: sink.url } });
    try {
      const admin = await anAdmin(service);
      const path = `/tenants/${admin.tenantId}/invitations`;
      const invite = (email: string, by = admin.token) =>
        must<Sent>(service, 'POST', path, { as: by, body: { email, tenant_admin: false } });
      const sent = await invite('one@example.com');
      expect([sent.delivery, sent.invitation.delivered]).toEqual(['emailed', true]);
      expect(sink.mails).toHaveLength(1);
      expect(sink.mails[0]?.to).toEqual(['one@example.com']);
      const text = (sink.mails[0]?.raw ?? '').replace(/=\r\n/g, '').replace(/=3D/g, '=');
      expect(text).toContain(sent.invite_url);
      expect(text).toContain(`Reply-To: ${admin.email}`);
      sink.refuse(true);
      const refused = await invite('two@example.com');
      expect([refused.delivery, refused.invitation.delivered]).toEqual(['transport_failed', false]);
      sink.refuse(false);
      const { id = '' } = await must(service, 'POST', '/users', {
        as: admin.token,
        body: { name: 'No mail', password: 'long enough' },
      });
      await must(service, 'POST', `/tenants/${admin.tenantId}/members/set-role?user_id=${id}`, {
        as: admin.token,
        body: { can_manage_users: true },
      });
      await service.pool.query(`UPDATE users SET email = 'x@example.com' WHERE id = $1`, [id]);
      const { session_token: token = '' } = await must(service, 'POST', '/login/password', {
        body: { email: 'x@example.com', password: 'long enough' },
      });
      await service.pool.query('UPDATE users SET email = NULL WHERE id = $1', [id]);
      const untried = await invite('three@example.com', token);
      expect(untried.delivery).toBe('inviter_has_no_email');
      expect(untried.invitation).not.toHaveProperty('delivered');
      expect(sink.mails).toHaveLength(1);
    } finally {
      await service.stop();
    }
  });

  it('fails no invitation when the server cannot be reached', async () => {
    const service = await startGenerous({
      env: { SERVICE_SMTP_URL: `smtp://127.0.0.1:${await freePort()}` },
    });
    try {
      const admin = await anAdmin(service);
      const sent = await must<Sent>(service, 'POST', `/tenants/${admin.tenantId}/invitations`, {
        as: admin.token,
        body: { email: 'one@example.com', tenant_admin: false },
      });
      expect([sent.delivery, sent.invitation.delivered]).toEqual(['transport_failed', false]);
      expect(service.output()).not.toContain('one@example.com');
    } finally {
      await service.stop();
    }
  });
});
