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
  startGenerous,
} from '../support/identity.js';
import type { RunningService } from '../support/service.js';

describe('What was handed out', () => {
  let service: RunningService;
  let root: Admin;
  let tenant: string;

  beforeAll(async () => {
    service = await startGenerous({ env: { SERVICE_EDITION: 'enterprise' } });
    root = await anAdmin(service);
    tenant = `/tenants/${root.tenantId}`;
  });
  afterAll(() => service.stop());

  const inviteBy = async (inviter: Person, isAdmin: boolean) => {
    const { invite_url: link = '', ...sent } = await must<{
      invite_url: string;
      invitation: { id: string };
    }>(service, 'POST', `${tenant}/invitations`, {
      as: inviter.token,
      body: { email: `${randomUUID()}@example.com`, tenant_admin: isAdmin },
    });
    return { id: sent.invitation.id, token: new URL(link).searchParams.get('token') ?? '' };
  };
  const accept = (guest: Person, token: string) =>
    call(service, 'POST', '/invitations/accept', { as: guest.token, body: { token } });
  const statusOf = async (id: string) => {
    const { invitations } = await must<{ invitations: { id: string; status: string }[] }>(
      service,
      'GET',
      `${tenant}/invitations?limit=100`,
      { as: root.token },
    );
    return invitations.find((invitation) => invitation.id === id)?.status;
  };

  describe('invitations end with the right to invite', () => {
    const setRole = (person: Person, body: Record<string, boolean>) =>
      must(service, 'POST', `${tenant}/members/set-role?user_id=${person.id}`, { as: root.token, body });
    const losses: Record<string, (inviter: Person) => Promise<unknown>> = {
      'the inviter was removed': ({ id }) =>
        must(service, 'DELETE', `${tenant}/members?user_id=${id}`, { as: root.token }),
      'the inviter was deleted': ({ id }) =>
        must(service, 'DELETE', `/users/delete?user_id=${id}`, { as: root.token }),
      'the inviter was demoted': (inviter) =>
        setRole(inviter, { tenant_admin: false, can_manage_users: false }),
    };

    it.each(Object.keys(losses))('%s', async (name) => {
      const inviter = await aManager(service, root, { tenant_admin: true });
      const guest = await aMember(service, root, []);
      const sent = [await inviteBy(inviter, true), await inviteBy(inviter, false)];
      await losses[name]?.(inviter);
      for (const { id, token } of sent) {
        const answer = await accept(guest, token);
        expect([answer.status, answer.body['id']]).toEqual([409, 'INVITATION_NOT_PENDING']);
        expect(await statusOf(id)).toBe('revoked');
        expect((await call(service, 'GET', `/invitations/preview?token=${token}`)).status).toBe(409);
      }
      const { entries } = await must<{ entries: { action: string }[] }>(
        service,
        'GET',
        `${tenant}/audit?action=invitation.revoke`,
        { as: root.token },
      );
      expect(entries.length).toBeGreaterThanOrEqual(2);
      expect((await call(service, 'GET', `${tenant}/states`, { as: guest.token })).status).toBe(404);
    });

    it('to what is left of it', async () => {
      const inviter = await aManager(service, root, { tenant_admin: true, can_manage_users: true });
      const guest = await aMember(service, root, []);
      const [asAdmin, asMember] = [await inviteBy(inviter, true), await inviteBy(inviter, false)];
      await setRole(inviter, { tenant_admin: false });
      expect([await statusOf(asAdmin.id), await statusOf(asMember.id)]).toEqual(['revoked', 'pending']);
      expect((await accept(guest, asMember.token)).status).toBe(200);
    });

    it('an invitation outlives the rights of its sender if somebody else has sent it again', async () => {
      const [first, second] = [
        await aManager(service, root, { tenant_admin: true }),
        await aManager(service, root, { tenant_admin: true }),
      ];
      const { id } = await inviteBy(first, false);
      await service.pool.query(`UPDATE invitations SET sent_at = now() - interval '1 hour' WHERE id = $1`, [
        id,
      ]);
      const { invite_url: link } = await must<{ invite_url: string }>(
        service,
        'POST',
        `${tenant}/invitations/reissue?id=${id}`,
        { as: second.token },
      );
      await must(service, 'DELETE', `/users/delete?user_id=${first.id}`, { as: root.token });
      const guest = await aMember(service, root, []);
      expect((await accept(guest, new URL(link).searchParams.get('token') ?? '')).status).toBe(200);
    });
  });

  describe('refresh tokens', () => {
    const ALL = [
      'access_token_create',
      'access_token_refresh',
      'kv_store_read',
      'kv_store_write',
      'kv_store_system_read',
      'kv_store_system_write',
    ];
    const create = (as: string, capabilities: unknown[], vcs = 'github') =>
      call<{ refresh_token: string }>(service, 'POST', `/${vcs}/access-token`, {
        as,
        body: { name: 'x', capabilities },
      });
    const refresh = async (refreshToken: string) => {
      const { token = '' } = await must(service, 'POST', '/access-token/refresh', { as: refreshToken });
      return token;
    };
    const list = async (as: string, vcs = 'github') => {
      const { results } = await must<{ results: { id: string; name: string; capabilities: unknown[] }[] }>(
        service,
        'GET',
        `/${vcs}/access-token?limit=100`,
        { as },
      );
      return results;
    };
    const idOf = (jwt: string) =>
      (JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString()) as { jti: string }).jti;
    /** What an access token holds is seen in what it can hand down. */
    const handedDown = async (access: string) => {
      const { refresh_token: child } = (await create(access, ALL)).body;
      return (await list(access)).find(({ id }) => id === idOf(child))?.capabilities;
    };

    it('are cut down to what their owner holds at each use', async () => {
      const person = await aMember(service, root);
      const promote = (value: boolean) =>
        must(service, 'POST', `/users/set-instance-admin?user_id=${person.id}`, {
          as: root.token,
          body: { is_instance_admin: value },
        });
      await promote(true);
      const parent = (await create(person.token, ALL)).body.refresh_token;
      const access = await refresh(parent);
      expect(await handedDown(access)).toEqual(ALL);
      await promote(false);
      const left = ALL.filter((name) => !name.startsWith('kv_store_system'));
      expect(await handedDown(access)).toEqual(left);
      expect(await handedDown(await refresh(parent))).toEqual(left);
      // The right to make tokens is taken from everybody: the older token is no way around it.
      const { capabilities } = await must<{ capabilities: Record<string, unknown> }>(
        service,
        'GET',
        '/caps/default',
        { as: root.token },
      );
      const { 'access-token-create': _, ...without } = capabilities;
      await must(service, 'PUT', '/caps/default', { as: root.token, body: { capabilities: without } });
      try {
        expect((await create(person.token, [])).status).toBe(403);
        expect((await create(access, [])).status).toBe(403);
        expect((await create(await refresh(parent), [])).status).toBe(403);
      } finally {
        await must(service, 'PUT', '/caps/default', { as: root.token, body: { capabilities } });
      }
    });

    it('take their access tokens along', async () => {
      const person = await aMember(service, root);
      const parent = (await create(person.token, ALL)).body.refresh_token;
      const access = await refresh(parent);
      expect((await create(access, [])).status).toBe(200);
      await must(service, 'DELETE', `/github/access-token?id=${idOf(parent)}`, { as: person.token });
      expect((await create(access, [])).status).toBe(401);
      expect((await call(service, 'GET', '/github/access-token', { as: access })).status).toBe(401);
    });

    it('take along those that were made through their access tokens, whatever their names', async () => {
      const person = await aMember(service, root);
      const parent = (await create(person.token, ALL)).body.refresh_token;
      const child = (await create(await refresh(parent), ALL)).body.refresh_token;
      const grandchild = (await create(await refresh(child), ALL)).body.refresh_token;
      const other = (await create(person.token, ALL)).body.refresh_token;
      const access = await refresh(grandchild);
      await must(service, 'DELETE', `/github/access-token?id=${idOf(parent)}`, { as: person.token });
      for (const ended of [parent, child, grandchild])
        expect((await call(service, 'POST', '/access-token/refresh', { as: ended })).status).toBe(403);
      expect((await call(service, 'GET', '/github/access-token', { as: access })).status).toBe(401);
      expect((await call(service, 'POST', '/access-token/refresh', { as: other })).status).toBe(200);
      const { rows } = await service.pool.query<{ n: number }>(
        `SELECT count(*)::int AS n FROM audit_entries WHERE action = 'refresh-token.revoke' AND actor_id = $1`,
        [person.id],
      );
      expect(rows).toEqual([{ n: 3 }]);
    });

    it('are managed within their provider and limits, which are cut down and never added to', async () => {
      const person = await aMember(service, root);
      const [gitlab, github] = [
        { name: 'vcs', vcs: 'gitlab' },
        { name: 'vcs', vcs: 'github' },
      ];
      const limited = (await create(person.token, ['access_token_create', gitlab], 'gitlab')).body;
      const access = await refresh(limited.refresh_token);
      const elsewhere = [
        await call(service, 'GET', '/github/access-token', { as: access }),
        await create(access, [], 'github'),
        await call(service, 'DELETE', `/github/access-token?id=${randomUUID()}`, { as: access }),
        // None of the creator's limits is asked for: nothing is left.
        await create(access, ['access_token_create', github], 'gitlab'),
      ];
      expect(elsewhere.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
      await must(service, 'POST', '/gitlab/access-token', {
        as: access,
        body: { name: 'child', capabilities: ['access_token_create', github, gitlab] },
      });
      const child = (await list(access, 'gitlab')).find(({ name }) => name === 'child');
      expect(child?.capabilities).toEqual(['access_token_create', gitlab]);
    });
  });

  describe('a key for a purpose', () => {
    const keysSeenBy = async (as: string) =>
      (
        await must<{ tokens: { id: string; name: string; owner_id: string }[] }>(
          service,
          'GET',
          '/user/access-tokens',
          { as },
        )
      ).tokens;
    const revoke = (as: string, id: string) =>
      call(service, 'POST', `/user/access-tokens/revoke?token_id=${id}`, { as });

    it.each(['one for the outputs of a state', 'one for plans'])(
      'sees and ends itself only: %s',
      async (kind) => {
        const owner = await aManager(service, root, { tenant_admin: true });
        await aMember(service, root);
        const main = await aKey(service, owner);
        const { id: stateId = '' } = await must(service, 'POST', `${tenant}/states`, {
          as: root.token,
          body: { name: `state ${randomUUID()}` },
        });
        const capabilities = kind.endsWith('plans')
          ? { preview: { tenants: [root.tenantId] } }
          : { preview: { states: { [stateId]: ['outputs'] } } };
        const limited = await aKey(service, owner, capabilities);
        const all = await keysSeenBy(owner.token);
        expect(all.filter((key) => key.owner_id === owner.id)).toHaveLength(2);
        const [own, ...others] = await keysSeenBy(limited);
        expect(others).toEqual([]);
        for (const { id } of all.filter((key) => key.id !== own?.id))
          expect((await revoke(limited, id)).status).toBe(404);
        expect((await call(service, 'GET', '/whoami', { as: main })).status).toBe(200);
        expect((await revoke(limited, own?.id ?? '')).status).toBe(200);
        expect((await call(service, 'GET', '/whoami', { as: limited })).status).toBe(401);
        // A key that may make keys manages them.
        expect((await keysSeenBy(main)).map(({ owner_id }) => owner_id)).toContain(owner.id);
      },
    );
  });
});
