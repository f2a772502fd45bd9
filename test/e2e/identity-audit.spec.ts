import { randomUUID } from 'node:crypto';
import { type Application, startGenerousApplication } from '../support/application.js';
import {
  type Admin,
  aKey,
  aMember,
  anAdmin,
  anOutsider,
  aTenant,
  call,
  must,
  type Reply,
} from '../support/identity.js';

/** Everything that identity keeps, but for the audit trail and counters. */
const TABLES = [
  'users',
  'user_grants',
  'tenants',
  'tenant_members',
  'api_keys',
  'refresh_tokens',
  'capability_defaults',
  'capability_group_rules',
  'invitations',
  'invitation_sendings',
  'ended_sessions',
  'session_rules',
  'setup_completion',
];

describe('A change and its audit entry', () => {
  let service: Application;
  let admin: Admin;

  beforeAll(async () => {
    service = await startGenerousApplication({
      SERVICE_EDITION: 'enterprise',
      SERVICE_INVITE_COOLDOWN_SECONDS: '0',
    });
    admin = await anAdmin(service);
    await service.pool.query(
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused by the test'; END $$`,
    );
  });
  afterAll(() => service.stop());

  const contents = async (tables: readonly string[]) => {
    const parts: string[] = [];
    for (const table of tables) {
      const { rows } = await service.pool.query<{ text: string }>(`SELECT t::text AS text FROM ${table} t`);
      parts.push(
        `${table}: ${rows
          .map(({ text }) => text)
          .sort()
          .join('\n')}`,
      );
    }
    return parts;
  };
  /** Every write is refused: of the audit trail at once, or of everything else at the end of the transaction. */
  const whileRefusing = async <T>(what: 'trail' | 'rest', act: () => Promise<T>): Promise<T> => {
    const tables = what === 'trail' ? ['audit_entries'] : TABLES;
    for (const table of tables) {
      await service.pool.query(
        what === 'trail'
          ? `CREATE TRIGGER refuse BEFORE INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION refuse()`
          : `CREATE CONSTRAINT TRIGGER refuse AFTER INSERT OR UPDATE OR DELETE ON ${table}
               DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse()`,
      );
    }
    try {
      return await act();
    } finally {
      for (const table of tables) await service.pool.query(`DROP TRIGGER refuse ON ${table}`);
    }
  };

  const post = (path: string, body?: unknown, as = admin.token) =>
    call(service, 'POST', path, { as, ...(body === undefined ? {} : { body }) });
  const tenantPath = (rest = '') => `/tenants/${admin.tenantId}${rest}`;
  const anInvitation = async () => {
    const body = { email: `${randomUUID()}@example.com`, tenant_admin: true };
    const sent = await must<{ invitation: { id: string }; invite_url: string }>(
      service,
      'POST',
      tenantPath('/invitations'),
      { as: admin.token, body },
    );
    return { id: sent.invitation.id, token: new URL(sent.invite_url).searchParams.get('token') ?? '' };
  };
  const aKeyId = async () => {
    await aKey(service, admin);
    const { rows } = await service.pool.query<{ id: string }>(
      'SELECT id FROM api_keys WHERE revoked_at IS NULL LIMIT 1',
    );
    return rows[0]?.id ?? '';
  };
  const aRefreshTokenId = async () => {
    await must(service, 'POST', '/github/access-token', {
      as: admin.token,
      body: { name: 'x', capabilities: [] },
    });
    const { rows } = await service.pool.query<{ id: string }>(
      'SELECT id FROM refresh_tokens WHERE revoked_at IS NULL LIMIT 1',
    );
    return rows[0]?.id ?? '';
  };
  const aRule = () =>
    must(service, 'POST', tenantPath('/caps/group-rules'), {
      as: admin.token,
      body: { condition: { group: 'g' }, grant: { commit: { tenants: [admin.tenantId] } } },
    });
  const userId = async () => (await aMember(service, admin)).id;

  /** The entry's action, and the act, made ready while everything still works. */
  const ACTS: [action: string, arrange: () => Promise<() => Promise<Reply>>][] = [
    [
      'user.create',
      async () => () => post('/users', { name: 'N', password: 'long enough', is_instance_admin: true }),
    ],
    [
      'user.update',
      async () => {
        const id = await userId();
        return () =>
          call(service, 'PUT', `/users/update?user_id=${id}`, { as: admin.token, body: { name: 'M' } });
      },
    ],
    [
      'user.delete',
      async () => {
        const id = await userId();
        return () => call(service, 'DELETE', `/users/delete?user_id=${id}`, { as: admin.token });
      },
    ],
    [
      'user.change-password',
      async () => {
        const id = await userId();
        return () => post(`/users/change-password?user_id=${id}`, { new_password: 'another one' });
      },
    ],
    [
      'user.set-instance-admin',
      async () => {
        const id = await userId();
        return () => post(`/users/set-instance-admin?user_id=${id}`, { is_instance_admin: true });
      },
    ],
    ['user.create', async () => () => post('/api-users', { name: 'robot', tenant_id: admin.tenantId })],
    ['key.create', async () => () => post('/user/access-tokens', { name: 'k' })],
    [
      'key.revoke',
      async () => {
        const id = await aKeyId();
        return () => post(`/user/access-tokens/revoke?token_id=${id}`);
      },
    ],
    ['refresh-token.create', async () => () => post('/gitlab/access-token', { name: 'r', capabilities: [] })],
    [
      'refresh-token.revoke',
      async () => {
        const id = await aRefreshTokenId();
        return () => call(service, 'DELETE', `/github/access-token?id=${id}`, { as: admin.token });
      },
    ],
    [
      'capability-defaults.replace',
      async () => () =>
        call(service, 'PUT', '/caps/default', { as: admin.token, body: { capabilities: { commit: {} } } }),
    ],
    [
      'group-rule.create',
      async () => () =>
        post(tenantPath('/caps/group-rules'), {
          condition: { group: 'h' },
          grant: { commit: { tenants: [admin.tenantId] } },
        }),
    ],
    [
      'group-rule.delete',
      async () => {
        const { id = '' } = await aRule();
        return () => call(service, 'DELETE', tenantPath(`/caps/group-rules/${id}`), { as: admin.token });
      },
    ],
    ['tenant.create', async () => () => post('/tenants', { name: randomUUID() })],
    [
      'tenant.rename',
      async () => {
        const id = await aTenant(service, admin);
        return () =>
          call(service, 'PUT', `/tenants/${id}`, { as: admin.token, body: { name: randomUUID() } });
      },
    ],
    [
      'member.add',
      async () => {
        const { id } = await anOutsider(service, admin);
        return () => post(tenantPath('/members'), { user_id: id });
      },
    ],
    [
      'member.set-role',
      async () => {
        const id = await userId();
        return () =>
          post(tenantPath(`/members/set-role?user_id=${id}`), { tenant_admin: true, can_manage_users: true });
      },
    ],
    [
      'member.remove',
      async () => {
        const id = await userId();
        return () => call(service, 'DELETE', tenantPath(`/members?user_id=${id}`), { as: admin.token });
      },
    ],
    [
      'invitation.create',
      async () => () => post(tenantPath('/invitations'), { email: `${randomUUID()}@example.com` }),
    ],
    [
      'invitation.reissue',
      async () => {
        const { id } = await anInvitation();
        return () => post(tenantPath(`/invitations/reissue?id=${id}`));
      },
    ],
    [
      'invitation.revoke',
      async () => {
        const { id } = await anInvitation();
        return () => post(tenantPath(`/invitations/revoke?id=${id}`));
      },
    ],
    [
      'invitation.accept',
      async () => {
        const [guest, { token }] = [await anOutsider(service, admin), await anInvitation()];
        return () => post('/invitations/accept', { token }, guest.token);
      },
    ],
    [
      'session.end',
      async () => {
        const { token } = await aMember(service, admin);
        return () => call(service, 'GET', '/logout', { as: token });
      },
    ],
    ['setup.complete', async () => () => post('/setup/complete')],
  ];

  it.each(ACTS)('%s: neither stands without the other', async (action, arrange) => {
    const act = await arrange();
    const [before, trail] = [await contents(TABLES), await contents(['audit_entries'])];
    expect((await whileRefusing('trail', act)).status).toBe(500);
    expect(await contents(TABLES)).toEqual(before);
    expect((await whileRefusing('rest', act)).status).toBe(500);
    expect(await contents(TABLES)).toEqual(before);
    expect(await contents(['audit_entries'])).toEqual(trail);
    expect((await act()).status).toBeLessThan(400);
    expect(await contents(TABLES)).not.toEqual(before);
    const { rows } = await service.pool.query<{ action: string }>(
      'SELECT action FROM audit_entries ORDER BY id DESC LIMIT 5',
    );
    expect(rows.map((row) => row.action)).toContain(action);
  });

  it('session.begin: nobody is let in without an entry', async () => {
    const { email, password } = await aMember(service, admin);
    const login = () => call(service, 'POST', '/login/password', { body: { email, password } });
    const refused = await whileRefusing('trail', login);
    expect([refused.status, refused.headers.get('set-cookie')]).toEqual([500, null]);
    expect((await login()).status).toBe(200);
  });
});
