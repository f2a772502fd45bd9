import {
  type Admin,
  aKey,
  aMember,
  anAdmin,
  aTenant,
  call,
  must,
  type Person,
  startGenerous,
} from '../support/identity.js';
import { anAccessToken, anInstallation, type KvCalls, kvOf } from '../support/kv.js';
import type { RunningService } from '../support/service.js';

const PROVIDERS = ['github', 'gitlab'] as const;
type Provider = (typeof PROVIDERS)[number];
const READ_AND_WRITE = ['kv_store_read', 'kv_store_write'];

/** Everything that a list of limits of one kind may name: nothing, one of two, both. */
const subsets = <T>(a: T, b: T): T[][] => [[], [a], [b], [a, b]];

interface Limits {
  installations: string[];
  providers: Provider[];
}

const limitsOf = ({ installations, providers }: Limits): unknown[] => [
  ...installations.map((id) => ({ name: 'installation_id', id })),
  ...providers.map((vcs) => ({ name: 'vcs', vcs })),
];

describe('Access to the key-value store by tokens', () => {
  let service: RunningService;
  let admin: Admin;
  let member: Person;
  let here: Record<Provider, string>;

  beforeAll(async () => {
    service = await startGenerous({ env: { SERVICE_EDITION: 'enterprise' } });
    admin = await anAdmin(service);
    member = await aMember(service, admin);
    here = {
      github: await anInstallation(service, { provider: 'github', tenantId: admin.tenantId }),
      gitlab: await anInstallation(service, { provider: 'gitlab', tenantId: admin.tenantId }),
    };
    for (const provider of PROVIDERS) {
      const calls = kvOf(service, admin.token, here[provider], provider);
      for (const key of ['a', 'system/a']) await calls.put(key, { data: 'x' });
    }
  });
  afterAll(async () => service.stop());

  /** Statuses of all eight rows for one key; nothing that a success changes is looked at again. */
  const rows = async (calls: KvCalls, key: string): Promise<number[]> =>
    (
      await Promise.all([
        calls.get(key),
        calls.count(key),
        calls.size(key),
        calls.iterate(key),
        calls.put(`${key}-put`, { data: 'x' }),
        calls.commit([{ key }]),
        calls.cas(`${key}-cas`, { data: 'x', version: 99 }),
        calls.remove(`${key}-none`),
      ])
    ).map(({ status }) => status);

  const OPEN = [200, 200, 200, 200, 200, 200, 400, 200];
  const CLOSED = Array<number>(8).fill(403);

  describe.each(PROVIDERS)('made below /%s', (made) => {
    it.each(PROVIDERS)('follows every combination of limits on /%s', async (target) => {
      const wrong: string[] = [];
      for (const installations of subsets(here[target], 'elsewhere'))
        for (const providers of subsets<Provider>('github', 'gitlab')) {
          const limits = { installations, providers };
          const token = await anAccessToken(service, member, [...READ_AND_WRITE, ...limitsOf(limits)], made);
          const isOpen =
            made === target &&
            (installations.length === 0 || installations.includes(here[target])) &&
            (providers.length === 0 || providers.includes(target));
          const found = await rows(kvOf(service, token, here[target], target), 'a');
          if (found.join() !== (isOpen ? OPEN : CLOSED).join())
            wrong.push(`${JSON.stringify(limits)}: ${found.join()}`);
        }
      expect(wrong).toEqual([]);
    });

    it('opens what each capability alone opens, for plain and for system keys', async () => {
      const found: Record<string, number[]> = {};
      for (const capability of [...READ_AND_WRITE, 'kv_store_system_read', 'kv_store_system_write']) {
        const token = await anAccessToken(service, admin, [capability], made);
        for (const key of ['a', 'system/a'])
          found[`${capability} ${key}`] = await rows(kvOf(service, token, here[made], made), key);
      }
      const reads = [200, 200, 200, 200, 403, 403, 403, 403];
      const writes = [403, 403, 403, 403, 200, 200, 403, 403];
      expect(found).toEqual({
        'kv_store_read a': reads,
        'kv_store_read system/a': CLOSED,
        'kv_store_write a': writes,
        'kv_store_write system/a': CLOSED,
        'kv_store_system_read a': CLOSED,
        'kv_store_system_read system/a': reads,
        'kv_store_system_write a': CLOSED,
        'kv_store_system_write system/a': writes,
      });
    });
  });

  it('never grows when a limited token makes another one', async () => {
    const wrong: string[] = [];
    const all = subsets(here.github, 'elsewhere').flatMap((installations) =>
      subsets<Provider>('github', 'gitlab').map((providers) => ({ installations, providers })),
    );
    const reaches = ({ installations, providers }: Limits): boolean =>
      (installations.length === 0 || installations.includes(here.github)) &&
      (providers.length === 0 || providers.includes('github'));
    const isDisjoint = (asked: readonly string[], own: readonly string[]): boolean =>
      asked.length > 0 && own.length > 0 && !asked.some((each) => own.includes(each));
    for (const parent of all) {
      const creator = await anAccessToken(service, member, [
        ...READ_AND_WRITE,
        'access_token_create',
        ...limitsOf(parent),
      ]);
      const mayManage = parent.providers.length === 0 || parent.providers.includes('github');
      for (const child of all) {
        const made = await call<{ refresh_token?: string }>(service, 'POST', '/github/access-token', {
          as: creator,
          body: { name: 'child', capabilities: ['kv_store_read', ...limitsOf(child)] },
        });
        const isRefused =
          !mayManage ||
          isDisjoint(child.installations, parent.installations) ||
          isDisjoint(child.providers, parent.providers);
        const name = `${JSON.stringify(parent)} > ${JSON.stringify(child)}`;
        if (made.status !== (isRefused ? 403 : 200)) wrong.push(`${name}: made with ${made.status}`);
        if (made.body.refresh_token === undefined) continue;
        const { token = '' } = await must(service, 'POST', '/access-token/refresh', {
          as: made.body.refresh_token,
        });
        const { status } = await kvOf(service, token, here.github).get('a');
        const expected = reaches(parent) && reaches(child) ? 200 : 403;
        if (status !== expected) wrong.push(`${name}: ${status}`);
        const write = await kvOf(service, token, here.github).put('child', { data: 'x' });
        if (write.status !== 403) wrong.push(`${name} writes`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('does not grow when a key without administration of the installation makes a token', async () => {
    const tenantId = await aTenant(service, admin);
    await service.pool.query('DELETE FROM tenant_members WHERE user_id = $1 AND tenant_id = $2', [
      admin.id,
      tenantId,
    ]);
    const foreign = await anInstallation(service, { tenantId });
    const outside = await anInstallation(service);
    const key = await aKey(service, admin, { 'access-token-create': {} });
    const token = await anAccessToken(service, { token: key }, READ_AND_WRITE);
    for (const as of [key, token]) {
      expect((await kvOf(service, as, here.github).get('a')).status).toBe(200);
      for (const id of [foreign, outside]) expect((await kvOf(service, as, id).get('a')).status).toBe(403);
    }
    const own = await anAccessToken(service, admin, READ_AND_WRITE);
    for (const id of [foreign, outside]) expect((await kvOf(service, own, id).get('a')).status).toBe(404);
  });

  it('opens the tenants that a token owner administers without being a member, unless a lesser key made it', async () => {
    const tenantId = await aTenant(service, admin);
    const linked = await anInstallation(service, { tenantId });
    const owner = await aMember(service, admin);
    const lesser = await aKey(service, owner, { 'access-token-create': {} });
    await service.pool.query(`INSERT INTO user_grants VALUES ($1, 'admin', ARRAY[$2::uuid])`, [
      owner.id,
      tenantId,
    ]);
    const credentials = {
      session: owner.token,
      key: await aKey(service, owner),
      'access token': await anAccessToken(service, owner, READ_AND_WRITE),
      'lesser key': lesser,
      'access token of the lesser key': await anAccessToken(service, { token: lesser }, READ_AND_WRITE),
    };
    const found: Record<string, number> = {};
    for (const [name, as] of Object.entries(credentials))
      found[name] = (await kvOf(service, as, linked).put('a', { data: 'x' })).status;
    expect(found).toEqual({
      session: 200,
      key: 200,
      'access token': 200,
      'lesser key': 403,
      'access token of the lesser key': 403,
    });
  });

  it('ends for every credential when a user leaves the tenant, and when the user is deleted', async () => {
    const leaver = await aMember(service, admin);
    const credentials = {
      session: leaver.token,
      key: await aKey(service, leaver),
      'access token': await anAccessToken(service, leaver, READ_AND_WRITE),
    };
    const found = async (): Promise<Record<string, number[]>> =>
      Object.fromEntries(
        await Promise.all(
          Object.entries(credentials).map(async ([name, as]) => [
            name,
            [...new Set(await rows(kvOf(service, as, here.github), 'a'))],
          ]),
        ),
      ) as Record<string, number[]>;
    const all = (statuses: number[]): Record<string, number[]> => ({
      session: statuses,
      key: statuses,
      'access token': statuses,
    });
    expect(await found()).toEqual(all([200, 400]));
    await must(service, 'DELETE', `/tenants/${admin.tenantId}/members?user_id=${leaver.id}`, {
      as: admin.token,
    });
    expect(await found()).toEqual(all([403]));
    await must(service, 'POST', `/tenants/${admin.tenantId}/members`, {
      as: admin.token,
      body: { user_id: leaver.id },
    });
    expect(await found()).toEqual(all([200, 400]));
    await must(service, 'DELETE', `/users/delete?user_id=${leaver.id}`, { as: admin.token });
    expect(await found()).toEqual(all([401]));
  });

  it('ends when the refresh token is revoked', async () => {
    const owner = await aMember(service, admin);
    const { refresh_token: refresh = '' } = await must(service, 'POST', '/github/access-token', {
      as: owner.token,
      body: { name: 'revoked', capabilities: READ_AND_WRITE },
    });
    const { token = '' } = await must(service, 'POST', '/access-token/refresh', { as: refresh });
    const calls = kvOf(service, token, here.github);
    expect((await calls.get('a')).status).toBe(200);
    const { results } = await must<{ results: { id: string; name: string }[] }>(
      service,
      'GET',
      '/github/access-token?limit=100',
      { as: owner.token },
    );
    const id = results.find(({ name }) => name === 'revoked')?.id;
    await must(service, 'DELETE', `/github/access-token?id=${id}`, { as: owner.token });
    expect(await rows(calls, 'a')).toEqual(Array<number>(8).fill(401));
  });
});
