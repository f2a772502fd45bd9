import { randomUUID } from 'node:crypto';
import { type Held, whileHeld } from '../support/held-lock.js';
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
import { anInstallation } from '../support/kv.js';
import { headOf, RawClient } from '../support/raw-client.js';
import type { RunningService } from '../support/service.js';

/** The lock that changes of who may do what take. */
const ADMINISTRATION = { text: 'SELECT pg_advisory_xact_lock(7310845228)' };
const document = (serial: number, lineage = 'l') => ({
  version: 4,
  serial,
  lineage,
  terraform_version: '1.11.0',
  outputs: {},
  resources: [],
});

describe('Authority is judged when it is used, not when the request came', () => {
  let service: RunningService;
  let root: Admin;
  /** a second administrator of the installation, whose rights end in the middle of requests */
  let actor: Person;
  let tenant: string;

  beforeAll(async () => {
    service = await startGenerous({ env: { SERVICE_EDITION: 'enterprise' } });
    root = await anAdmin(service);
    tenant = `/tenants/${root.tenantId}`;
    actor = await aMember(service, root);
    await grantAdmin();
  });
  afterAll(() => service.stop());

  const grantAdmin = () =>
    service.pool.query(
      `INSERT INTO user_grants (user_id, capability, tenants) VALUES ($1, 'admin', NULL) ON CONFLICT DO NOTHING`,
      [actor.id],
    );
  const demote = () => service.pool.query('DELETE FROM user_grants WHERE user_id = $1', [actor.id]);
  const revokeKeysOf = (userId: string) =>
    service.pool.query('UPDATE api_keys SET revoked_at = now() WHERE owner_id = $1 AND name = $2', [
      userId,
      'a key',
    ]);
  const counts = async () => {
    const { rows } = await service.pool.query<Record<string, string>>(
      `SELECT (SELECT count(*) FROM audit_entries) AS audit, (SELECT string_agg(u::text, ',' ORDER BY id) FROM users u) AS users,
        (SELECT string_agg(g::text, ',' ORDER BY user_id, capability) FROM user_grants g WHERE user_id <> $1) AS grants,
        (SELECT string_agg(m::text, ',' ORDER BY user_id, tenant_id) FROM tenant_members m) AS members,
        (SELECT string_agg(i::text, ',' ORDER BY id) FROM invitations i) AS invitations,
        (SELECT string_agg(r::text, ',' ORDER BY id) FROM capability_group_rules r) AS rules,
        (SELECT count(*) FROM api_keys WHERE owner_id <> $1 AND revoked_at IS NULL) AS keys,
        (SELECT string_agg(r::text, ',' ORDER BY id) FROM refresh_tokens r) AS refresh_tokens,
        (SELECT string_agg(t::text, ',' ORDER BY id) FROM tenants t) AS tenants,
        (SELECT capabilities::text FROM capability_defaults) AS defaults`,
      [actor.id],
    );
    return rows[0];
  };

  describe('in what administrators do', () => {
    type Act = (as: string) => Promise<Reply>;
    let acts: Record<string, Act>;

    beforeAll(async () => {
      const victim = await aMember(service, root);
      const { user_id: robot = '', token: robotKey = '' } = await must(service, 'POST', '/api-users', {
        as: root.token,
        body: { name: 'robot', tenant_id: root.tenantId },
      });
      const { tokens } = await must<{ tokens: { id: string; owner_id: string }[] }>(
        service,
        'GET',
        '/user/access-tokens',
        { as: root.token },
      );
      const keyId = tokens.find((key) => key.owner_id === robot)?.id ?? '';
      const rule = {
        condition: { group: 'g' },
        grant: { commit: { tenants: [root.tenantId] } },
        description: '',
      };
      const { id: ruleId = '' } = await must(service, 'POST', `${tenant}/caps/group-rules`, {
        as: root.token,
        body: rule,
      });
      const { invitation } = await must<{ invitation: { id: string } }>(
        service,
        'POST',
        `${tenant}/invitations`,
        { as: root.token, body: { email: 'guest@example.com' } },
      );
      await service.pool.query(`UPDATE invitations SET sent_at = now() - interval '1 hour'`);
      const { refresh_token: refresh = '' } = await must(service, 'POST', '/github/access-token', {
        as: actor.token,
        body: { name: 'refresh', capabilities: ['kv_store_read'] },
      });
      const refreshId = (
        JSON.parse(Buffer.from(refresh.split('.')[1] ?? '', 'base64url').toString()) as { jti: string }
      ).jti;
      expect(robotKey).not.toBe('');
      const act =
        (method: string, path: string, body?: unknown): Act =>
        (as) =>
          call(service, method, path, { as, ...(body === undefined ? {} : { body }) });
      acts = {
        'POST /users': act('POST', '/users', {
          name: 'x',
          email: 'x@example.com',
          password: 'long enough',
          is_instance_admin: true,
        }),
        'PUT /users/update': act('PUT', `/users/update?user_id=${victim.id}`, { name: 'renamed' }),
        'DELETE /users/delete': act('DELETE', `/users/delete?user_id=${victim.id}`),
        'POST /users/change-password': act('POST', `/users/change-password?user_id=${victim.id}`, {
          new_password: 'another one',
        }),
        'POST /users/set-instance-admin': act('POST', `/users/set-instance-admin?user_id=${victim.id}`, {
          is_instance_admin: true,
        }),
        'POST /api-users': act('POST', '/api-users', { name: 'x', tenant_id: root.tenantId }),
        'POST /user/access-tokens/revoke': act('POST', `/user/access-tokens/revoke?token_id=${keyId}`),
        'PUT /caps/default': act('PUT', '/caps/default', { capabilities: { preview: {} } }),
        'POST group-rules': act('POST', `${tenant}/caps/group-rules`, rule),
        'DELETE group-rules': act('DELETE', `${tenant}/caps/group-rules/${ruleId}`),
        'POST members': act('POST', `${tenant}/members`, { user_id: actor.id }),
        'POST members/set-role': act('POST', `${tenant}/members/set-role?user_id=${victim.id}`, {
          tenant_admin: true,
        }),
        'DELETE members': act('DELETE', `${tenant}/members?user_id=${victim.id}`),
        'POST invitations': act('POST', `${tenant}/invitations`, { email: 'new@example.com' }),
        'POST invitations/reissue': act('POST', `${tenant}/invitations/reissue?id=${invitation.id}`),
        'POST invitations/revoke': act('POST', `${tenant}/invitations/revoke?id=${invitation.id}`),
        'POST /tenants': act('POST', '/tenants', { name: 'another' }),
        'PUT /tenants': act('PUT', tenant, { name: 'renamed' }),
        'POST /user/access-tokens': act('POST', '/user/access-tokens', { name: 'child' }),
        'POST /github/access-token': act('POST', '/github/access-token', {
          name: 'x',
          capabilities: ['kv_store_read'],
        }),
        'DELETE /github/access-token': act('DELETE', `/github/access-token?id=${refreshId}`),
      };
    });

    /** Every act, each with a key of its own, whose right ends while the act waits for its turn. */
    async function interrupted(
      names: readonly string[],
      end: () => Promise<unknown>,
    ): Promise<Record<string, unknown>> {
      const outcomes: Record<string, unknown> = {};
      for (const name of names) {
        await grantAdmin();
        const key = await aKey(service, actor);
        const before = await counts();
        const held: Held<Reply> = await whileHeld(service.pool, ADMINISTRATION, {
          action: () => acts[name]?.(key) ?? Promise.reject(new Error(name)),
          meanwhile: end,
        });
        const after = await counts();
        const isUnchanged = JSON.stringify(before) === JSON.stringify(after);
        outcomes[name] = held.waited && isUnchanged ? held.result.status : { ...held, isUnchanged };
        await grantAdmin();
      }
      return outcomes;
    }

    it('a key that was revoked meanwhile changes nothing', async () => {
      const names = Object.keys(acts);
      expect(await interrupted(names, () => revokeKeysOf(actor.id))).toEqual(
        Object.fromEntries(names.map((name) => [name, 401])),
      );
    });

    it('an administrator who was demoted meanwhile changes nothing', async () => {
      // What people may do without being administrators, and a key that is not theirs to see.
      const names = Object.keys(acts).filter((name) => !/access-token/.test(name));
      expect(await interrupted(names, demote)).toEqual(Object.fromEntries(names.map((name) => [name, 403])));
      expect(await interrupted(['POST /user/access-tokens/revoke'], demote)).toEqual({
        'POST /user/access-tokens/revoke': 404,
      });
    });

    it('two who delete or demote each other at the same moment: one of them', async () => {
      const people = [await aMember(service, root), await aMember(service, root)] as const;
      for (const { id } of people)
        await must(service, 'POST', `/users/set-instance-admin?user_id=${id}`, {
          as: root.token,
          body: { is_instance_admin: true },
        });
      const [one, two] = people;
      const remove = (by: Person, whom: Person) =>
        call(service, 'DELETE', `/users/delete?user_id=${whom.id}`, { as: by.token });
      const answers = await Promise.all([remove(one, two), remove(two, one)]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);

      const admins = [
        await aManager(service, root, { tenant_admin: true }),
        await aManager(service, root, { tenant_admin: true }),
      ] as const;
      const depose = (by: Person, whom: Person) =>
        call(service, 'POST', `${tenant}/members/set-role?user_id=${whom.id}`, {
          as: by.token,
          body: { tenant_admin: false },
        });
      const deposed = await Promise.all([depose(admins[0], admins[1]), depose(admins[1], admins[0])]);
      expect(deposed.map(({ status }) => status).sort()).toEqual([200, 403]);
    });

    it('an invitation is not accepted by a session that has ended', async () => {
      const guest = await aMember(service, root, []);
      const { invite_url: link = '' } = await must(service, 'POST', `${tenant}/invitations`, {
        as: root.token,
        body: { email: 'late@example.com', tenant_admin: true },
      });
      const token = new URL(link).searchParams.get('token');
      const { result, waited } = await whileHeld(service.pool, ADMINISTRATION, {
        action: () => call(service, 'POST', '/invitations/accept', { as: guest.token, body: { token } }),
        meanwhile: () =>
          service.pool.query('UPDATE users SET session_epoch = session_epoch + 1 WHERE id = $1', [guest.id]),
      });
      expect([waited, result.status]).toEqual([true, 401]);
    });
  });

  describe('in writes that took their time', () => {
    interface Writer {
      person: Person;
      key: string;
    }
    const aWriter = async (): Promise<Writer> => {
      const person = await aMember(service, root);
      return { person, key: await aKey(service, person) };
    };
    /** Each takes the right in another way, by the API and with its answer awaited. */
    const losses: Record<string, { take: (writer: Writer) => Promise<unknown>; status: number }> = {
      'a key was revoked': {
        take: async ({ person }) => {
          const { tokens } = await must<{ tokens: { id: string; owner_id: string }[] }>(
            service,
            'GET',
            '/user/access-tokens',
            { as: root.token },
          );
          const id = tokens.find((token) => token.owner_id === person.id)?.id ?? '';
          await must(service, 'POST', `/user/access-tokens/revoke?token_id=${id}`, { as: root.token });
        },
        status: 401,
      },
      'a member was removed': {
        take: ({ person }) =>
          must(service, 'DELETE', `${tenant}/members?user_id=${person.id}`, { as: root.token }),
        status: 403,
      },
      'a user was deleted': {
        take: ({ person }) =>
          must(service, 'DELETE', `/users/delete?user_id=${person.id}`, { as: root.token }),
        status: 401,
      },
    };
    const raw = async (method: string, path: string, key: string, body: unknown) => {
      const answer = await fetch(`${service.url}/api/v1${path}`, {
        method,
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      });
      await answer.arrayBuffer();
      return answer.status;
    };
    const stored = async () => {
      const { rows } = await service.pool.query<Record<string, string>>(
        `SELECT (SELECT count(*) FROM state_versions) AS versions, (SELECT count(*) FROM states) AS states,
          (SELECT count(*) FROM transaction_logs) AS logs, (SELECT count(*) FROM transaction_plans) AS plans,
          (SELECT string_agg(state, ',' ORDER BY id) FROM transactions) AS transactions`,
      );
      return rows[0];
    };

    it.each(Object.keys(losses))('a backend write stores nothing once %s', async (name) => {
      const writer = await aWriter();
      const state = await must(service, 'POST', `${tenant}/states`, {
        as: root.token,
        body: { name: `state ${randomUUID()}` },
      });
      const before = await stored();
      const { result, waited } = await whileHeld(
        service.pool,
        { text: 'SELECT FROM states WHERE id = $1 FOR UPDATE', values: [state['id']] },
        {
          action: () => raw('POST', `/states/backend/${state['group_id']}`, writer.key, document(1)),
          meanwhile: () => losses[name]?.take(writer) ?? Promise.reject(new Error(name)),
        },
      );
      expect([waited, result, await stored()]).toEqual([true, losses[name]?.status, before]);
    });

    it.each(Object.keys(losses))('an import stores nothing once %s', async (name) => {
      const writer = await aWriter();
      const groupId = randomUUID();
      const before = await stored();
      const { result, waited } = await whileHeld(
        service.pool,
        {
          text: 'INSERT INTO state_groups (group_id, tenant_id) VALUES ($1, $2)',
          values: [groupId, root.tenantId],
        },
        {
          action: () =>
            raw('POST', `${tenant}/states/import`, writer.key, {
              name: 'imported',
              group_id: groupId,
              state: document(1),
            }),
          meanwhile: () => losses[name]?.take(writer) ?? Promise.reject(new Error(name)),
        },
      );
      expect([waited, result, await stored()]).toEqual([true, losses[name]?.status, before]);
    });

    it.each(Object.keys(losses))('log entries are not appended once %s', async (name) => {
      const writer = await aWriter();
      const { id: txId } = await must(service, 'POST', `${tenant}/tx/create`, {
        as: writer.key,
        body: { state_schema_version: 1 },
      });
      const before = await stored();
      const { result, waited } = await whileHeld(
        service.pool,
        { text: 'SELECT FROM transactions WHERE id = $1 FOR UPDATE', values: [txId] },
        {
          action: () =>
            raw('POST', `/tx/${txId}/logs/append`, writer.key, [
              { action: 'refresh', object_type: 'refresh', data: {} },
            ]),
          meanwhile: () => losses[name]?.take(writer) ?? Promise.reject(new Error(name)),
        },
      );
      expect([waited, result, await stored()]).toEqual([true, losses[name]?.status, before]);
    });

    it.each(Object.keys(losses))('a report of a runner is not taken once %s', async (name) => {
      const writer = await aWriter();
      const { id: txId } = await must(service, 'POST', `${tenant}/tx/create`, {
        as: writer.key,
        body: { state_schema_version: 1 },
      });
      const { token } = await must<{ token: string }>(service, 'POST', `/tx/${txId}/preview`, {
        as: writer.key,
      });
      const before = await stored();
      const report = {
        idx: 0,
        request: { kind: 'preview', has_changes: false, plan: '', plan_json: { format_version: '1.2' } },
      };
      const { result, waited } = await whileHeld(
        service.pool,
        { text: 'SELECT FROM transactions WHERE id = $1 FOR UPDATE', values: [txId] },
        {
          action: () => raw('POST', '/actuator/results', token, report),
          meanwhile: () => losses[name]?.take(writer) ?? Promise.reject(new Error(name)),
        },
      );
      expect([waited, result, await stored()]).toEqual([true, 401, before]);
    });

    /** Waits behind whoever takes rights from the user, as each write does late in its transaction. */
    const rightsOf = (userId: string) => ({
      text: 'SELECT pg_advisory_xact_lock(7310, hashtext($1))',
      values: [userId],
    });

    describe('with a small body', () => {
      let act: Record<string, (key: string) => Promise<number>>;
      const rows = async () => {
        const { rows: found } = await service.pool.query<Record<string, string>>(
          `SELECT (SELECT string_agg(id::text || version, ',' ORDER BY id) FROM states) AS states,
            (SELECT string_agg(l::text, ',' ORDER BY state_id) FROM state_locks l) AS locks,
            (SELECT string_agg(id::text, ',' ORDER BY id) FROM security_waivers) AS waivers,
            (SELECT string_agg(check_id, ',' ORDER BY check_id) FROM security_custom_checks) AS checks,
            (SELECT string_agg(id || status, ',' ORDER BY id) FROM state_submissions) AS submissions,
            (SELECT count(*) FROM tasks) AS tasks`,
        );
        return found[0];
      };

      beforeAll(async () => {
        const create = async () =>
          must(service, 'POST', `${tenant}/states`, { as: root.token, body: { name: `s ${randomUUID()}` } });
        const state = await create();
        const path = `/states/${state['id']}`;
        const backend = `/states/backend/${state['group_id']}`;
        expect(await raw('POST', backend, root.token, document(1))).toBe(200);
        expect(await raw('POST', backend, root.token, { ...document(2), lineage: 'other' })).toBe(409);
        const { rows: submissions } = await service.pool.query<{ id: string }>(
          'SELECT id FROM state_submissions WHERE state_id = $1',
          [state['id']],
        );
        const waiver = { check_id: '*', address: 'a.b', reason: 'because' };
        const { id: waiverId = '' } = await must(service, 'POST', `${tenant}/security/waivers`, {
          as: root.token,
          body: waiver,
        });
        const check = {
          title: 'a',
          severity: 'low',
          resource_types: ['a_b'],
          fail: { a: 'c', op: 'true' },
        };
        await must(service, 'PUT', `${tenant}/security/checks/CUSTOM-KNOWN`, { as: root.token, body: check });
        const to =
          (method: string, at: string, body: unknown = {}) =>
          (key: string) =>
            raw(method, at, key, body);
        act = {
          'creating a state': to('POST', `${tenant}/states`, { name: 'late' }),
          'deleting a state': to('DELETE', path),
          'restoring a version': to('POST', `${path}/versions/1/restore`),
          'accepting a submission': to('POST', `${path}/submissions/${submissions[0]?.id ?? ''}/accept`),
          'locking a state': to('LOCK', backend, { ID: 'late' }),
          'unlocking a state': to('UNLOCK', backend, { ID: 'late' }),
          'breaking a lock': to('DELETE', `${path}/lock`),
          'accepting a risk': to('POST', `${tenant}/security/waivers`, waiver),
          'withdrawing a waiver': to('DELETE', `${tenant}/security/waivers/${waiverId}`),
          'writing a check': to('PUT', `${tenant}/security/checks/CUSTOM-LATE`, check),
          'deleting a check': to('DELETE', `${tenant}/security/checks/CUSTOM-KNOWN`),
          'scanning a state': to('POST', `${path}/security/scan`),
        };
      });

      it.each([
        'creating a state',
        'deleting a state',
        'restoring a version',
        'accepting a submission',
        'locking a state',
        'unlocking a state',
        'breaking a lock',
        'accepting a risk',
        'withdrawing a waiver',
        'writing a check',
        'deleting a check',
        'scanning a state',
      ])('%s is nothing that a revoked key or a removed member does', async (name) => {
        const ends: [status: number, end: (person: Person) => Promise<unknown>][] = [
          [
            401,
            ({ id }) =>
              service.pool.query('UPDATE api_keys SET revoked_at = now() WHERE owner_id = $1', [id]),
          ],
          [
            403,
            async ({ id }) => {
              await service.pool.query('DELETE FROM user_grants WHERE user_id = $1', [id]);
              await service.pool.query('DELETE FROM tenant_members WHERE user_id = $1', [id]);
            },
          ],
        ];
        for (const [status, end] of ends) {
          const person = await aManager(service, root, { tenant_admin: true });
          const key = await aKey(service, person);
          const before = await rows();
          const { result, waited } = await whileHeld(service.pool, rightsOf(person.id), {
            action: () => act[name]?.(key) ?? Promise.reject(new Error(name)),
            meanwhile: () => end(person),
          });
          expect([waited, result, await rows()]).toEqual([true, status, before]);
        }
      });
    });

    it.each([
      ['PUT', 'key/late'],
      ['PUT', 'cas/key/late'],
      ['POST', 'commit'],
    ])('a record is not written by %s %s whose body came after its right had ended', async (method, at) => {
      for (const [name, loss] of Object.entries(losses)) {
        const writer = await aWriter();
        const installation = await anInstallation(service, { tenantId: root.tenantId });
        const body = JSON.stringify(at === 'commit' ? { keys: [{ key: 'late' }] } : { data: 'x' });
        const client = await RawClient.open(service.url);
        client.send(
          headOf(method, `/api/v1/github/kv/${installation}/${at}`, {
            Authorization: `Bearer ${writer.key}`,
            'Content-Type': 'application/json',
            'Content-Length': body.length,
          }) + body.slice(0, 5),
        );
        // Before the guard has let it in, it would be refused there.
        await new Promise((resolve) => setTimeout(resolve, 1000));
        await loss.take(writer);
        client.send(body.slice(5));
        expect([name, await client.statuses(1)]).toEqual([name, [loss.status]]);
        client.end();
      }
      const { rows: written } = await service.pool.query(`SELECT FROM kv_records WHERE key = 'late'`);
      expect(written).toEqual([]);
    });

    it('a write that was judged already is done before the right is gone', async () => {
      const writer = await aManager(service, root, { tenant_admin: true });
      const state = await must(service, 'POST', `${tenant}/states`, {
        as: root.token,
        body: { name: `state ${randomUUID()}` },
      });
      let removal: Promise<Reply> | undefined;
      let waiting: { locktype: string; classid: number | null }[] = [];
      // The write waits for the audit trail, into which it writes after it was judged.
      const { waited, result } = await whileHeld(
        service.pool,
        { text: 'LOCK TABLE audit_entries IN EXCLUSIVE MODE' },
        {
          action: () =>
            raw('POST', `/states/backend/${state['group_id']}?force=true`, writer.token, document(1)),
          meanwhile: async () => {
            removal = call(service, 'DELETE', `${tenant}/members?user_id=${writer.id}`, { as: root.token });
            // Other databases of the cluster have waiting transactions too.
            const isRemoval = ({ classid }: (typeof waiting)[number]) => classid === 7310;
            for (let look = 0; look < 2_000 && !waiting.some(isRemoval); look++) {
              const { rows } = await service.pool.query<(typeof waiting)[number]>(
                `SELECT locktype, classid::int FROM pg_locks WHERE NOT granted
                   AND (database IS NULL OR database = (SELECT oid FROM pg_database WHERE datname = current_database()))`,
              );
              waiting = rows;
            }
          },
        },
      );
      expect([waited, result, (await removal)?.status]).toEqual([true, 200, 200]);
      expect(waiting).toContainEqual({ locktype: 'advisory', classid: 7310 });
    });
  });
});
