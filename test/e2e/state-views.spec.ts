import { randomUUID } from 'node:crypto';
import {
  aBackend,
  type Answer,
  BackendClient,
  send,
  type TestBackend,
  type TestState,
} from '../support/backend.js';
import { TransactionClient } from '../support/transactions.js';

const LOCK = { ID: 'lock-1', Operation: 'OperationTypeApply', Who: 'ada@host', Version: '1.11.4', Info: '' };
const anyTime = expect.stringMatching(/^\d{4}-.*Z$/) as string;

let backend: TestBackend;
let member: { id: string; key: string; session: string };
let elsewhere: string;
beforeAll(async () => {
  backend = await aBackend();
  member = await backend.aUser();
  // Made after the user, who is therefore no member of it.
  elsewhere = await backend.aTenant();
});
afterAll(() => backend?.stop());

const json = async (call: Promise<Answer>): Promise<{ status: number; body: Record<string, unknown> }> => {
  const answer = await call;
  return { status: answer.status, body: answer.json() as Record<string, unknown> };
};

async function aLockedState(info: unknown = LOCK, tenantId = backend.tenantId): Promise<TestState> {
  const state = await backend.aState({ tenant_id: tenantId });
  const client = new BackendClient(state.address, backend.key);
  expect((await client.lock(info)).status).toBe(200);
  client.close();
  return state;
}

/** Every caller of the access matrix with the status each must get. */
async function statuses(
  method: string,
  pathOf: (state: TestState) => string,
): Promise<Record<string, number>> {
  const own = await aLockedState();
  const foreign = await aLockedState(LOCK, elsewhere);
  const scoped = await backend.aKey({ commit: { tenants: [elsewhere] } });
  const call = async (state: TestState, key: string | undefined) =>
    (await backend.api(method, pathOf(state), { key })).status;
  return {
    anonymous: await call(own, undefined),
    outsider: await call(foreign, member.key),
    member: await call(own, member.key),
    'key that commits elsewhere': await call(own, scoped),
    'unknown state': await call({ ...own, id: randomUUID() }, backend.key),
    administrator: await call(own, backend.key),
  };
}

describe('The lock of a state', () => {
  it('is shown to members and broken by administrators only', async () => {
    expect(await statuses('GET', ({ id }) => `/states/${id}/lock`)).toEqual({
      anonymous: 401,
      outsider: 404,
      member: 200,
      'key that commits elsewhere': 200,
      'unknown state': 404,
      administrator: 200,
    });
    expect(await statuses('DELETE', ({ id }) => `/states/${id}/lock`)).toEqual({
      anonymous: 401,
      outsider: 404,
      member: 403,
      'key that commits elsewhere': 403,
      'unknown state': 404,
      administrator: 200,
    });
    const { id } = await aLockedState();
    const refused = await json(backend.api('DELETE', `/states/${id}/lock`, { key: member.key }));
    expect(refused.body['id']).toBe('ADMIN_REQUIRED');
  });

  it('shows its holder, also in the rows of states', async () => {
    const state = await aLockedState();
    const shown = await json(backend.api('GET', `/states/${state.id}/lock`));
    expect(shown.body).toEqual({
      locked: true,
      id: 'lock-1',
      who: 'ada@host',
      operation: 'OperationTypeApply',
      version: '1.11.4',
      created_at: anyTime,
      abandoned: false,
    });
    const row = await json(backend.api('GET', `/states/${state.id}`));
    const lock = { who: 'ada@host', operation: 'OperationTypeApply', created_at: shown.body['created_at'] };
    expect(row.body).toMatchObject({ lock, instances: 0, resources: 0, version: 0 });
    await backend.service.pool.query(
      "UPDATE state_locks SET created_at = now() - interval '30 days' WHERE state_id = $1",
      [state.id],
    );
    expect((await json(backend.api('GET', `/states/${state.id}/lock`))).body).toMatchObject({
      locked: true,
      abandoned: true,
    });
  });

  it('shows a holder that says only its id', async () => {
    const state = await aLockedState({ ID: 'bare', Who: 7, Operation: '' });
    const { body } = await json(backend.api('GET', `/states/${state.id}/lock`));
    expect(body).toEqual({ locked: true, id: 'bare', created_at: anyTime, abandoned: false });
  });

  it('is broken once, with its holder and the reason in the audit log', async () => {
    const state = await aLockedState();
    const breakLock = (body?: unknown) => json(backend.api('DELETE', `/states/${state.id}/lock`, { body }));
    expect(await breakLock({ reason: 'the runner is gone' })).toEqual({
      status: 200,
      body: { unlocked: true },
    });
    expect(await breakLock()).toEqual({ status: 200, body: { unlocked: false } });
    expect((await json(backend.api('GET', `/states/${state.id}/lock`))).body).toEqual({ locked: false });
    expect((await breakLock({ reason: 'x'.repeat(1001) })).status).toBe(400);
    const { rows } = await backend.service.pool.query<{ data: unknown; actor: string }>(
      "SELECT data, actor_id AS actor FROM audit_entries WHERE action = 'state.force-unlock' AND object_id = $1",
      [state.id],
    );
    expect(rows).toEqual([
      {
        actor: backend.userId,
        data: {
          lock_id: 'lock-1',
          holder: 'ada@host',
          operation: 'OperationTypeApply',
          reason: 'the runner is gone',
        },
      },
    ]);
    const client = new BackendClient(state.address, backend.key);
    expect((await client.lock({ ID: 'another' })).status).toBe(200);
    client.close();
  });
});

describe('The outputs of a state', () => {
  it('are shown to members only', async () => {
    expect(await statuses('GET', ({ id }) => `/states/${id}/outputs`)).toEqual({
      anonymous: 401,
      outsider: 404,
      member: 200,
      'key that commits elsewhere': 200,
      'unknown state': 404,
      administrator: 200,
    });
  });

  it('are listed by name with every digit, and without the value of a sensitive one', async () => {
    const state = await backend.aState();
    const outputs = `{"zone":{"value":["a",null,{"b":true}],"type":["tuple",["string","dynamic",["object",{"b":"bool"}]]]},
      "big":{"value":9007199254740993,"type":"number"},"price":{"value":0.10,"type":"number"},
      "password":{"value":"hunter2","type":"string","sensitive":true}}`;
    const client = new BackendClient(state.address, backend.key);
    const document = `{"version":4,"terraform_version":"1.11.4","serial":1,"lineage":"one","outputs":${outputs},"resources":[],"check_results":null}`;
    expect((await client.post(document)).status).toBe(200);
    client.close();
    const answer = await backend.api('GET', `/states/${state.id}/outputs`);
    const text = answer.bytes.toString();
    expect(text).toContain('"value":9007199254740993');
    expect(text).toContain('"value":0.10');
    expect(text).not.toContain('hunter2');
    const { results } = answer.json() as { results: Record<string, unknown>[] };
    expect(results.map(({ name, sensitive, type }) => [name, sensitive, type])).toEqual([
      ['big', false, 'number'],
      ['password', true, 'string'],
      ['price', false, 'number'],
      ['zone', false, ['tuple', ['string', 'dynamic', ['object', { b: 'bool' }]]]],
    ]);
    expect(results[1]).not.toHaveProperty('value');
    expect(results[3]?.['value']).toEqual(['a', null, { b: true }]);
  });

  it('are none for a state that was never written', async () => {
    const state = await backend.aState();
    expect((await json(backend.api('GET', `/states/${state.id}/outputs`))).body).toEqual({ results: [] });
  });
});

describe('The list of states', () => {
  let tenantId: string;
  const ids: Record<string, string> = {};
  beforeAll(async () => {
    tenantId = await backend.aTenant();
    for (const name of ['network', 'Data_base', 'data%base', 'apps'])
      ids[name] = (await backend.aState({ name, tenant_id: tenantId })).id;
    const group = randomUUID();
    ids['staged'] = (
      await backend.aState({ name: 'zone', workspace: 'staging', group_id: group, tenant_id: tenantId })
    ).id;
    ids['group'] = group;
  });

  async function names(query: string): Promise<unknown[]> {
    const { status, body } = await json(backend.api('GET', `/tenants/${tenantId}/states?${query}`));
    expect(status).toBe(200);
    return (body['results'] as { name: string }[]).map(({ name }) => name);
  }

  it('finds parts of names, workspaces and group ids, and takes them literally', async () => {
    expect(await names('search=BASE')).toEqual(['Data_base', 'data%base']);
    expect(await names('search=a_b')).toEqual(['Data_base']);
    expect(await names('search=a%25b')).toEqual(['data%base']);
    expect(await names('search=stag')).toEqual(['zone']);
    expect(await names(`search=${ids['group']?.slice(0, 13)}`)).toEqual(['zone']);
    expect(await names('search=nothing-like-it')).toEqual([]);
    expect(await names('search=')).toHaveLength(5);
  });

  it.each(['', 'sort=name', 'sort=-updated_at'])('pages through every state once (%s)', async (sort) => {
    const all = await names(sort);
    expect(all).toHaveLength(5);
    const paged: string[] = [];
    for (let page: string | undefined = ''; page !== undefined;) {
      const query: string = `${sort}&limit=2${page === '' ? '' : `&page=${page}`}`;
      const { body } = await json(backend.api('GET', `/tenants/${tenantId}/states?${query}`));
      paged.push(...(body['results'] as { name: string }[]).map(({ name }) => name));
      page = body['next_page'] as string | undefined;
    }
    expect(paged).toEqual(all);
  });

  it('sorts by name, and by the latest change first', async () => {
    const { rows } = await backend.service.pool.query<{ name: string }>(
      'SELECT name FROM states WHERE tenant_id = $1 ORDER BY name',
      [tenantId],
    );
    expect(await names('sort=name')).toEqual(rows.map(({ name }) => name));
    await backend.service.pool.query(
      "UPDATE states SET updated_at = now() + interval '1 hour' WHERE id = $1",
      [ids['Data_base']],
    );
    expect((await names('sort=-updated_at'))[0]).toBe('Data_base');
  });

  it('finds those that are locked', async () => {
    const tenant = await backend.aTenant();
    await backend.aState({ name: 'free', tenant_id: tenant });
    const { id } = await aLockedState(LOCK, tenant);
    const listed = async (query: string) => {
      const { status, body } = await json(backend.api('GET', `/tenants/${tenant}/states?${query}`));
      return [status, (body['results'] as { id: string }[] | undefined)?.map((state) => state.id)];
    };
    expect(await listed('locked=true')).toEqual([200, [id]]);
    expect((await listed('locked=no'))[0]).toBe(400);
  });

  it('refuses another order, and a page token of another list', async () => {
    const status = async (query: string) =>
      (await backend.api('GET', `/tenants/${tenantId}/states?${query}`)).status;
    expect(await status('sort=size')).toBe(400);
    expect(await status(`sort=name&page=${Buffer.from('[1,2]').toString('base64url')}`)).toBe(400);
    expect(
      await status(
        `sort=-updated_at&page=${Buffer.from(JSON.stringify(['a name', randomUUID()])).toString('base64url')}`,
      ),
    ).toBe(400);
  });
});

describe('The list of transactions', () => {
  it('is filtered by state of the transaction, by state and by author', async () => {
    const client = new TransactionClient(backend);
    const tenantId = await backend.aTenant();
    const state = await backend.aState({ tenant_id: tenantId });
    const open = await client.create(tenantId);
    const aborted = await client.create(tenantId);
    expect((await client.call('POST', `/tx/${aborted}/abort`)).status).toBe(200);
    const writer = new BackendClient(state.address, backend.key);
    const document = {
      version: 4,
      serial: 1,
      lineage: 'one',
      outputs: {},
      resources: [],
      check_results: null,
    };
    const written = (await writer.post(JSON.stringify(document))).json() as { tx_id: string };
    writer.close();
    const list = async (query: string) => {
      const { body } = await json(backend.api('GET', `/tenants/${tenantId}/tx?${query}`));
      return (body['results'] as { id: string; tenant_id: string }[] | undefined)?.map((tx) => [
        tx.id,
        tx.tenant_id,
      ]);
    };
    const of = (...txIds: string[]) => txIds.map((id) => [id, tenantId]);
    expect(await list('')).toEqual(of(written.tx_id, aborted, open));
    expect(await list('state=open')).toEqual(of(open));
    expect(await list('state=open&state=aborted')).toEqual(of(aborted, open));
    expect(await list(`state_id=${state.id}`)).toEqual(of(written.tx_id));
    expect(await list(`created_by=${backend.userId}&state=committed`)).toEqual(of(written.tx_id));
    expect(await list(`created_by=${member.id}`)).toEqual([]);
    for (const query of ['state=gone', 'state_id=x', 'created_by=x'])
      expect((await backend.api('GET', `/tenants/${tenantId}/tx?${query}`)).status).toBe(400);
    const { body } = await json(backend.api('GET', `/tx/${open}`));
    expect(body['tx']).toMatchObject({ id: open, tenant_id: tenantId });
  });
});

it('The lock route takes a body of DELETE that is empty or no JSON as the other routes do', async () => {
  const state = await aLockedState();
  const url = `${backend.url}/api/v1/states/${state.id}/lock`;
  const headers = { 'content-type': 'application/json' };
  expect((await send(url, { method: 'DELETE', key: backend.key, headers, body: '{"cut' })).status).toBe(400);
  expect((await send(url, { method: 'DELETE', key: backend.key })).json()).toEqual({ unlocked: true });
});
