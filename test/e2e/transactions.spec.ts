import { hash as digestOf, randomUUID } from 'node:crypto';
import {
  aBackend,
  type Answer,
  backendBlock,
  BackendClient,
  bytesOf,
  type TestBackend,
  type TestState,
} from '../support/backend.js';
import { startService } from '../support/service.js';
import { describeWith, TerraformWorkspace } from '../support/terraform.js';

interface Transaction {
  id: string;
  state: string;
  created_at: string;
  completed_at?: string;
  created_by?: string;
  tags: Record<string, unknown>;
  state_names: string[];
  plan_summary: Record<string, number>;
}

let backend: TestBackend;
beforeAll(async () => {
  backend = await aBackend();
});
afterAll(() => backend.stop());

const idOf = (answer: Answer) => [answer.status, (answer.json() as { id: string }).id];

async function create(body: Record<string, unknown> = {}, tenantId = backend.tenantId): Promise<Transaction> {
  const answer = await backend.api('POST', `/tenants/${tenantId}/tx/create`, {
    body: { state_schema_version: 1, ...body },
  });
  expect(answer.status).toBe(201);
  return answer.json() as Transaction;
}

async function write(state: TestState, values: Record<string, string>, key = backend.key, serial = 1) {
  const client = new BackendClient(state.address, key);
  try {
    return await client.post(bytesOf(new Map(Object.entries(values)), serial, `lineage of ${state.id}`));
  } finally {
    client.close();
  }
}

async function list(
  query = '',
  tenantId = backend.tenantId,
): Promise<{ ids: string[]; link: string | undefined }> {
  const answer = await backend.api('GET', `/tenants/${tenantId}/tx${query}`);
  expect(answer.status).toBe(200);
  const { results } = answer.json() as { results: Transaction[] };
  return { ids: results.map((tx) => tx.id), link: answer.headers['link'] as string | undefined };
}

describe('A transaction', () => {
  it('begins open, with what it was given', async () => {
    const tx = await create({ params: { skip_refresh: true }, tags: { ticket: 7 } });
    expect(tx).toMatchObject({
      state: 'open',
      params: { skip_refresh: true },
      tags: { ticket: 7 },
      created_by: backend.userId,
      created_by_name: 'Admin',
      plan_summary: { add: 0, change: 0, destroy: 0 },
      state_names: [],
    });
    expect((await backend.api('GET', `/tx/${tx.id}`)).json()).toEqual({
      tx,
      state_ids: [],
      share_url: `${backend.url}/transactions/${tx.id}`,
    });
    expect((await backend.api('GET', `/tx/${tx.id}/state-map`)).json()).toEqual({ results: [] });
    expect((await backend.api('GET', `/tx/${tx.id}/output`)).json()).toEqual({ results: [] });
  });

  it.each([
    ['another schema', { state_schema_version: 2 }, 'STATE_SCHEMA_VERSION_MISMATCH'],
    ['no schema', { state_schema_version: undefined }, 'INVALID_REQUEST'],
    ['a parameter of another type', { params: { skip_refresh: 'yes' } }, 'INVALID_REQUEST'],
    ['tags that are a list', { tags: [] }, 'INVALID_REQUEST'],
    ['tags beyond 16 KiB', { tags: { a: 'x'.repeat(20_000) } }, 'INVALID_REQUEST'],
    ['tags with NUL', { tags: { a: '\u0000' } }, 'INVALID_REQUEST'],
  ])('is not begun with %s', async (_, body, id) => {
    const before = await list();
    const answer = await backend.api('POST', `/tenants/${backend.tenantId}/tx/create`, {
      body: { state_schema_version: 1, ...body },
    });
    expect(idOf(answer)).toEqual([400, id]);
    expect(await list()).toEqual(before);
  });

  it('is aborted as often as one likes, and takes nothing any more', async () => {
    const { id } = await create();
    for (let i = 0; i < 2; i++) {
      const answer = await backend.api('POST', `/tx/${id}/abort`);
      expect([answer.status, (answer.json() as Transaction).state]).toEqual([200, 'aborted']);
      expect((answer.json() as Transaction).completed_at).toBeDefined();
    }
    const appended = await backend.api('POST', `/tx/${id}/logs/append`, { body: [] });
    expect(idOf(appended)).toEqual([409, 'TX_NOT_ACTIVE']);
  });

  it('is what a write through the backend makes, and cannot be aborted then', async () => {
    const state = await backend.aState({ name: 'written' });
    const { tx_id: id } = (await write(state, { 'test_thing.a': '1' })).json() as { tx_id: string };
    const { tx, state_ids } = (await backend.api('GET', `/tx/${id}`)).json() as {
      tx: Transaction;
      state_ids: string[];
    };
    expect([tx.state, tx.created_by, tx.state_names, state_ids]).toEqual([
      'committed',
      backend.userId,
      ['written'],
      [state.id],
    ]);
    expect(idOf(await backend.api('POST', `/tx/${id}/abort`))).toEqual([409, 'TX_NOT_ACTIVE']);
    const versions = (await backend.api('GET', `/states/${state.id}/versions`)).json() as {
      results: { tx_id: string }[];
    };
    expect(versions.results.map((version) => version.tx_id)).toEqual([id]);
  });
});

describe('The transactions of a tenant', () => {
  it('are listed newest first, page by page, each once', async () => {
    const tenant = await backend.aTenant();
    const made: string[] = [];
    for (let i = 0; i < 7; i++) made.unshift((await create({}, tenant)).id);
    await backend.service.pool.query(
      'UPDATE transactions SET created_at = date_trunc($2, created_at) WHERE tenant_id = $1',
      [tenant, 'hour'],
    );
    const seen: string[] = [];
    let query = '?limit=3';
    for (let page = 0; page < 5; page++) {
      const { ids, link } = await list(query, tenant);
      seen.push(...ids);
      if (!link) break;
      expect(link).toMatch(/^<http:\/\/.*>; rel="next"$/);
      query = new URL(link.slice(1, link.indexOf('>'))).search;
    }
    expect(seen.toSorted()).toEqual(made.toSorted());
  });

  it('are bounded by time, both bounds included', async () => {
    const tenant = await backend.aTenant();
    const [early, late] = [(await create({}, tenant)).id, (await create({}, tenant)).id];
    const set = 'UPDATE transactions SET created_at = $2 WHERE id = $1';
    await backend.service.pool.query(set, [early, '2026-03-01T10:00:00Z']);
    await backend.service.pool.query(set, [late, '2026-03-02T23:59:59.5Z']);
    const within = async (from: string, to: string) =>
      (await list(`?from=${encodeURIComponent(from)}&to=${encodeURIComponent(to)}`, tenant)).ids;
    expect(await within('2026-03-01T10:00:00Z', '2026-03-02')).toEqual([late, early]);
    expect(await within('2026-03-01T10:00:00.001Z', '2026-03-02')).toEqual([late]);
    expect(await within('2026-03-01', '2026-03-01')).toEqual([early]);
    expect(await within('2026-03-01T11:00:00+01:00', '2026-03-01T10:00:00Z')).toEqual([early]);
    // As shown, a time has lost its microseconds; it still bounds what it was shown of.
    await backend.service.pool.query(set, [early, '2026-03-01T10:00:00.123456Z']);
    expect(await within('2026-03-01T10:00:00.123Z', '2026-03-01T10:00:00.123Z')).toEqual([early]);
    expect(await within('2026-03-01T10:00:00.123', '2026-03-01T10:00:00.123')).toEqual([early]);
    expect(await within('2026-03-01T10:00:00Z', '2026-03-01T10:00:00.122Z')).toEqual([]);
    for (const bad of [
      '?from=yesterday',
      '?to=2026-02-30',
      '?from=2026-02-30T10:00:00Z',
      '?limit=0',
      '?page=x',
    ])
      expect([bad, (await backend.api('GET', `/tenants/${tenant}/tx${bad}`)).status]).toEqual([bad, 400]);
  });
});

describe('The log of a transaction', () => {
  const hcl = (name: string) => ({
    action: 'hcl_set',
    object_type: 'hcl',
    data: {
      file: 'main.tf',
      module: '',
      data: { resource: { aws_vpc: { [name]: { cidr: '${var.cidr}' } } } },
    },
  });

  it('keeps 10,000 entries in order, and derives what a block is', async () => {
    const { id } = await create();
    const entries = Array.from({ length: 10_000 }, (_, i) => hcl(`n${i}`));
    const answer = await backend.api('POST', `/tx/${id}/logs/append`, { body: entries });
    expect([answer.status, answer.json()]).toEqual([200, { appended: 10_000 }]);
    await backend.api('POST', `/tx/${id}/logs/append`, {
      body: [{ action: 'refresh', object_type: 'refresh' }],
    });
    const seen: { action: string; data: Record<string, unknown> }[] = [];
    let query = '?limit=4000';
    for (;;) {
      const page = await backend.api('GET', `/tx/${id}/logs${query}`);
      seen.push(...(page.json() as { results: typeof seen }).results);
      const link = page.headers['link'] as string | undefined;
      if (!link) break;
      query = new URL(link.slice(1, link.indexOf('>'))).search;
    }
    expect(seen.slice(0, -1).map((entry) => entry.data['address'])).toEqual(
      entries.map((_, i) => `aws_vpc.n${i}`),
    );
    expect(seen.at(-1)?.action).toBe('refresh');
    expect(seen[0]?.data).toMatchObject({ node_id: 'aws_vpc.n0', references: ['var.cidr'] });
  });

  it('takes all entries of a request or none, and no state of another tenant', async () => {
    const { id } = await create();
    const foreign = await backend.aState({ tenant_id: await backend.aTenant() });
    const own = await backend.aState();
    const provider = (state_id: string) => ({
      action: 'state_set',
      object_type: 'provider',
      state_id,
      data: { name: 'aws' },
    });
    const append = (body: unknown) => backend.api('POST', `/tx/${id}/logs/append`, { body });
    expect(idOf(await append([provider(own.id), provider(foreign.id)]))).toEqual([404, 'STATE_NOT_FOUND']);
    expect(idOf(await append([provider(own.id), { action: 'x', object_type: 'y' }]))).toEqual([
      400,
      'INVALID_REQUEST',
    ]);
    expect(idOf(await append({}))).toEqual([400, 'INVALID_REQUEST']);
    let attributes: unknown = 1;
    for (let i = 0; i < 3000; i++) attributes = { a: attributes };
    const data = {
      resource_address: 't.a',
      address: 't.a',
      mode: 'managed',
      type: 't',
      name: 'a',
      attributes,
    };
    const deep = { action: 'state_set', object_type: 'instance', state_id: own.id, data };
    expect(idOf(await append([deep]))).toEqual([400, 'INVALID_REQUEST']);
    expect((await backend.api('GET', `/tx/${id}/logs`)).json()).toEqual({ results: [] });
    expect((await append([provider(own.id)])).status).toBe(200);
    expect((await backend.api('GET', `/tx/${id}/state-map`)).json()).toEqual({ results: [own.id] });
  });

  it('shows no sensitive value, which is put into the state all the same', async () => {
    const [state, { id }] = [await backend.aState(), await create()];
    const data = { name: 'o', type: 'string', value: 'swordfish', sensitive: true };
    const entry = { action: 'state_set', object_type: 'output', state_id: state.id, data };
    expect((await backend.api('POST', `/tx/${id}/logs/append`, { body: [entry] })).status).toBe(200);
    expect((await backend.api('GET', `/tx/${id}/logs`)).json()).toMatchObject({
      results: [{ data: { ...data, value: '(sensitive value)' } }],
    });
    expect((await backend.api('POST', `/tx/${id}/apply`)).status).toBe(200);
    expect((await backend.api('GET', `/states/${state.id}/export`)).json()).toMatchObject({
      outputs: { o: { value: 'swordfish', sensitive: true } },
    });
  });

  it('never holds an ephemeral value', async () => {
    const { id } = await create();
    const data = { file: 'a.tfvars', name: 'password', data: 'swordfish' };
    await backend.api('POST', `/tx/${id}/logs/append`, {
      body: [{ action: 'tfvar_ephemeral', object_type: 'tfvar', data }],
    });
    const { rows } = await backend.service.pool.query(
      'SELECT data::text FROM transaction_logs WHERE tx_id = $1',
      [id],
    );
    expect(rows.length).toBe(1);
    expect(JSON.stringify(rows)).not.toContain('swordfish');
  });
});

describe('Planned operations and output', () => {
  it('planned operations and output come in pages', async () => {
    const { id } = await create();
    const state = await backend.aState();
    const { pool } = backend.service;
    await pool.query(
      `INSERT INTO transaction_plan_operations (tx_id, state_id, key, address, operation)
       SELECT $1, $2, gen_random_uuid(), 'test_thing.a' || n, (ARRAY['create','update','replace','destroy'])[n % 4 + 1] FROM generate_series(0, 9) n`,
      [id, state.id],
    );
    await pool.query("INSERT INTO transaction_output VALUES ($1, 0, '\"gr'), ($1, 1, 'üß\"')", [id]);
    await pool.query("UPDATE transactions SET output_kind = 'apply_stdout' WHERE id = $1", [id]);
    const { tx } = (await backend.api('GET', `/tx/${id}`)).json() as { tx: Transaction };
    expect(tx.plan_summary).toEqual({ add: 5, change: 3, destroy: 4 });

    type Rows = Record<string, unknown>[];
    const pages = async (path: string, rel: 'next' | 'prev'): Promise<{ all: Rows[]; last: string }> => {
      const all: Rows[] = [];
      for (let query = path; ;) {
        const answer = await backend.api('GET', `/tx/${id}/${query}`);
        expect(answer.status).toBe(200);
        all.push((answer.json() as { results: Rows }).results);
        const links = ((answer.headers['link'] as string | undefined) ?? '').split(', ');
        const link = links.find((each) => each.endsWith(`; rel="${rel}"`));
        if (!link) return { all, last: query };
        query = path.split('?')[0] + new URL(link.slice(1, link.indexOf('>'))).search;
      }
    };
    const forth = await pages('plan-operations?limit=3', 'next');
    expect(forth.all.flat().map((row) => row['address'])).toEqual(
      Array.from({ length: 10 }, (_, i) => `test_thing.a${i}`),
    );
    expect((await pages(forth.last, 'prev')).all).toEqual(forth.all.toReversed());
    const written = await pages('output', 'next');
    expect((await pages(written.last, 'prev')).all).toEqual(written.all.toReversed());
    const fragments = written.all.flat();
    expect(fragments.map((row) => row['idx'])).toEqual([0, 1]);
    const text = fragments.map((row) => Buffer.from(String(row['data']), 'base64').toString()).join('');
    expect(JSON.parse(text)).toBe('grüß');
    expect((await backend.api('GET', `/tx/${id}/plan-operations?page=x`)).status).toBe(400);
    expect((await backend.api('GET', `/tx/${id}/output?page=x`)).status).toBe(400);
  });
});

describe('Revisions', () => {
  it('are kept with the transaction, and compared with what was applied', async () => {
    const state = await backend.aState();
    const { id } = await create();
    const post = (path: string, body: unknown) =>
      backend.api('POST', `/states/${state.id}/revision${path}`, { body });
    expect(idOf(await post('/hash', undefined))).toEqual([404, 'REVISION_NOT_FOUND']);
    const nodes = [
      { key: 'aws_vpc.main', hash: 'one' },
      { key: 'aws_subnet.main', hash: 'two' },
    ];
    const recorded = await post('', { tx_id: id, nodes });
    expect([recorded.status, recorded.json()]).toEqual([200, {}]);
    expect((await post('/compare', { tx_id: id })).json()).toEqual({
      node_ids: ['aws_subnet.main', 'aws_vpc.main'],
    });
    await backend.service.pool.query("INSERT INTO state_revisions VALUES ($1, 'aws_vpc.main', 'one')", [
      state.id,
    ]);
    expect((await post('/compare', { tx_id: id })).json()).toEqual({ node_ids: ['aws_subnet.main'] });
    await backend.service.pool.query("INSERT INTO state_revisions VALUES ($1, $2, 'two'), ($1, 'zz', '')", [
      state.id,
      'file:"a"\\\u0001\u007f\u2028 ü😀',
    ]);
    type Page = { results: { key: string; hash: string }[]; next_page?: string };
    const nodesAt = async (query: string) =>
      (await backend.api('GET', `/states/${state.id}/revision/nodes?${query}`)).json() as Page;
    const first = await nodesAt('limit=2');
    const known = [...first.results, ...(await nodesAt(`page=${first.next_page}`)).results];
    expect(known.map(({ hash }) => hash)).toEqual(['one', 'two', '']);
    const texts = known.map(({ key, hash }) => JSON.stringify([key, hash]));
    expect((await post('/hash', undefined)).json()).toEqual({
      hash: digestOf('sha256', texts.join(''), 'hex'),
    });
    expect((await backend.api('GET', `/states/${state.id}/revision/nodes?page=x`)).status).toBe(400);
    const odd = await post('', { tx_id: id, nodes: [{ key: 'a\0b', hash: '\0' }] });
    expect(odd.status).toBe(200);
    const foreign = await create({}, await backend.aTenant());
    expect(idOf(await post('', { tx_id: foreign.id, nodes }))).toEqual([404, 'TX_NOT_FOUND']);
    expect(idOf(await post('/compare', { tx_id: foreign.id }))).toEqual([404, 'TX_NOT_FOUND']);
    for (const body of [
      { tx_id: id },
      { nodes },
      { tx_id: id, nodes: [{ key: 'a' }] },
      { tx_id: 'x', nodes },
    ])
      expect((await post('', body)).status).toBe(400);
  });
});

describe('Who may see and touch transactions', () => {
  it('members see them, `commit` begins and ends them, and strangers find nothing', async () => {
    const tenant = await backend.aTenant();
    const state = await backend.aState({ tenant_id: tenant });
    const { id } = await create({}, tenant);
    const reader = await backend.aKey({ 'users-manage': { tenants: [tenant] } });
    const stranger = (await backend.aUser()).session;
    await backend.service.pool.query('DELETE FROM tenant_members WHERE tenant_id = $1 AND user_id <> $2', [
      tenant,
      backend.userId,
    ]);
    const body = { state_schema_version: 1, tx_id: id, nodes: [] };
    const reads = [
      ['GET', `/tenants/${tenant}/tx`],
      ['GET', `/tx/${id}`],
      ['GET', `/tx/${id}/logs`],
      ['GET', `/tx/${id}/plan-operations`],
      ['GET', `/tx/${id}/output`],
      ['GET', `/tx/${id}/state-map`],
      ['POST', `/states/${state.id}/revision/compare`],
      ['GET', `/states/${state.id}/revision/nodes`],
    ] as const;
    const writes = [
      ['POST', `/tenants/${tenant}/tx/create`],
      ['POST', `/tx/${id}/logs/append`],
      ['POST', `/tx/${id}/commit`],
      ['POST', `/states/${state.id}/revision`],
      ['POST', `/tx/${id}/abort`],
    ] as const;
    const status = async (route: readonly [string, string], key: string | undefined) => {
      const [method, path] = route;
      const sent = path.endsWith('append') ? [] : body;
      const answer = await backend.api(method, path, { key, ...(method === 'POST' ? { body: sent } : {}) });
      return [path, answer.status];
    };
    for (const route of reads) {
      expect(await status(route, undefined)).toEqual([route[1], 401]);
      expect(await status(route, stranger)).toEqual([route[1], 404]);
      expect(await status(route, reader)).toEqual([route[1], 200]);
    }
    for (const route of writes) {
      expect(await status(route, undefined)).toEqual([route[1], 401]);
      expect(await status(route, stranger)).toEqual([route[1], 404]);
      expect(await status(route, reader)).toEqual([route[1], 403]);
    }
    expect((await backend.api('GET', `/tx/${randomUUID()}`)).status).toBe(404);
    expect((await backend.api('GET', '/tx/none')).status).toBe(404);
  });
});

describe('A session', () => {
  async function begin(body: Record<string, unknown> = {}, key = backend.key) {
    const answer = await backend.api('POST', '/tx/session/create', {
      key,
      body: { tenant_id: backend.tenantId, ...body },
    });
    expect(answer.status).toBe(201);
    return answer.json() as { token: string; tx: Transaction };
  }

  it('puts the writes of several states into one transaction, visible at once', async () => {
    const { token, tx } = await begin({ tags: { run: 'nightly' } });
    const [one, two] = [await backend.aState({ name: 'one' }), await backend.aState({ name: 'two' })];
    for (const state of [one, two]) {
      const answer = await write(state, { 'test_thing.a': '1' }, token);
      expect([answer.status, (answer.json() as { tx_id: string }).tx_id]).toEqual([200, tx.id]);
    }
    const shown = (await backend.api('GET', `/tx/${tx.id}`, { key: token })).json() as { tx: Transaction };
    expect([shown.tx.state, shown.tx.state_names, shown.tx.tags]).toEqual([
      'open',
      ['one', 'two'],
      { run: 'nightly' },
    ]);
    expect(idOf(await backend.api('POST', `/tx/${tx.id}/abort`, { key: token }))).toEqual([
      409,
      'TX_HAS_WRITES',
    ]);
    const committed = await backend.api('POST', `/tx/${tx.id}/commit`, { key: token });
    const { task, token: step } = committed.json() as { task: { id: string; state: string }; token: string };
    expect([committed.status, task.state]).toEqual([200, 'completed']);
    expect((await backend.api('GET', `/tx/${tx.id}`, { key: step })).status).toBe(401);
    expect((await backend.api('GET', `/tasks/${task.id}`)).json()).toEqual({
      id: task.id,
      state: 'completed',
    });
    expect((await write(one, { 'test_thing.a': '2' }, token, 2)).status).toBe(401);
    expect(((await backend.api('GET', `/tx/${tx.id}`)).json() as { tx: Transaction }).tx.state).toBe(
      'committed',
    );
  });

  it('can be aborted while it only has entries, for nothing was written', async () => {
    const state = await backend.aState();
    const body = { tenant_id: backend.tenantId };
    const { tx } = (await backend.api('POST', '/tx/session/create', { body })).json() as {
      tx: { id: string };
    };
    const entry = { action: 'refresh', object_type: 'refresh', state_id: state.id, data: {} };
    expect((await backend.api('POST', `/tx/${tx.id}/logs/append`, { body: [entry] })).status).toBe(200);
    expect((await backend.api('POST', `/tx/${tx.id}/abort`)).status).toBe(200);
  });

  it('opens its own transaction and the backend, and nothing else', async () => {
    const { token } = await begin();
    const other = await create();
    expect((await backend.api('GET', `/tx/${other.id}`, { key: token })).status).toBe(404);
    for (const path of [
      '/user/tenants',
      `/tenants/${backend.tenantId}/states`,
      `/tenants/${backend.tenantId}/tx`,
    ])
      expect([path, (await backend.api('GET', path, { key: token })).status]).toEqual([path, 401]);
    const foreign = await backend.aState({ tenant_id: await backend.aTenant() });
    expect((await write(foreign, { 'test_thing.a': '1' }, token)).status).toBe(403);
  });

  it('needs a tenant when the credential reaches several, and one the caller is in', async () => {
    await backend.aTenant();
    const post = (body: unknown, key = backend.key) =>
      backend.api('POST', '/tx/session/create', { key, body });
    expect(idOf(await post({}))).toEqual([400, 'INVALID_REQUEST']);
    expect(idOf(await post({ tenant_id: null }))).toEqual([400, 'INVALID_REQUEST']);
    const user = await backend.aUser();
    const foreign = await backend.aTenant();
    expect((await post({ tenant_id: foreign }, user.key)).status).toBe(404);
    expect((await post({ tenant_id: randomUUID() }, user.key)).status).toBe(404);
    expect((await post({ tenant_id: randomUUID() })).status).toBe(404);
    expect((await post({ tenant_id: 'x' })).status).toBe(400);
  });

  it('ends with the key it was made with', async () => {
    const answer = await backend.api('POST', '/user/access-tokens', {
      key: backend.session,
      body: { name: 'short-lived' },
    });
    const { token: key } = answer.json() as { token: string };
    const listed = (await backend.api('GET', '/user/access-tokens')).json() as {
      tokens: { id: string; name: string }[];
    };
    const id = listed.tokens.find((each) => each.name === 'short-lived')?.id;
    const { token, tx } = await begin({}, key);
    expect((await backend.api('GET', `/tx/${tx.id}`, { key: token })).status).toBe(200);
    expect((await backend.api('POST', `/user/access-tokens/revoke?token_id=${id}`)).status).toBe(200);
    expect((await backend.api('GET', `/tx/${tx.id}`, { key: token })).status).toBe(401);
  });

  it('ends with the session it was made with, when that is left or the password changes', async () => {
    const user = await backend.aUser();
    const keyed = await begin({}, user.key);
    const seen = async ({ token, tx }: { token: string; tx: Transaction }) =>
      (await backend.api('GET', `/tx/${tx.id}`, { key: token })).status;
    const signedIn = await begin({}, user.session);
    expect([await seen(signedIn), await seen(keyed)]).toEqual([200, 200]);
    const path = `/users/change-password?user_id=${user.id}`;
    const body = { new_password: 'another password' };
    expect((await backend.api('POST', path, { key: backend.session, body })).status).toBe(200);
    expect([await seen(signedIn), await seen(keyed)]).toEqual([401, 200]);
    const other = await backend.aUser();
    const left = await begin({}, other.session);
    await backend.api('GET', '/logout', { key: other.session });
    expect(await seen(left)).toBe(401);
  });

  it('is never more than the key it was made with', async () => {
    const [mine, other] = [await backend.aState(), await backend.aState()];
    const narrow = await backend.aKey({ commit: { states: { [mine.id]: ['*'] } } });
    const { token } = await begin({}, narrow);
    const statuses = [
      await write(mine, { 'test_thing.a': '1' }, token),
      await write(other, { 'test_thing.a': '1' }, token),
    ];
    expect(statuses.map((answer) => answer.status)).toEqual([
      (await write(mine, { 'test_thing.a': '1' }, narrow)).status,
      403,
    ]);
  });

  it('cannot be joined from outside: `?tx=` names runs, and takes no transaction of somebody else', async () => {
    const state = await backend.aState();
    const { tx } = await begin({}, (await backend.aUser()).key);
    const client = new BackendClient(`${state.address}?tx=${tx.id}`, backend.key);
    const refused = await client.post(bytesOf(new Map([['test_thing.a', '1']]), 1, 'one'));
    expect(idOf(refused)).toEqual([409, 'TX_NOT_ACTIVE']);
    client.close();
    const { rows } = await backend.service.pool.query(
      `SELECT data ->> 'error' AS error FROM audit_entries WHERE object_id = $1 AND action = 'state.refuse'`,
      [state.id],
    );
    expect(rows).toEqual([{ error: 'TX_NOT_ACTIVE' }]);
    const run = randomUUID();
    const own = new BackendClient(`${state.address}?tx=${run}`, backend.key);
    for (const serial of [1, 2]) {
      const answer = await own.post(bytesOf(new Map([['test_thing.a', String(serial)]]), serial, 'one'));
      expect([answer.status, (answer.json() as { tx_id: string }).tx_id]).toEqual([200, run]);
    }
    own.close();
    expect(((await backend.api('GET', `/tx/${run}`)).json() as { tx: Transaction }).tx.state).toBe(
      'committed',
    );
  });

  it('a session that is open for a day is committed if it has writes, otherwise aborted', async () => {
    const [written, idle, recent] = [await begin(), await begin(), await begin()];
    await write(await backend.aState(), { 'test_thing.a': '1' }, written.token);
    const { pool, database } = backend.service;
    await pool.query(
      "UPDATE transactions SET created_at = now() - interval '25 hours', written_at = written_at - interval '25 hours' WHERE id = ANY($1)",
      [[written.tx.id, idle.tx.id]],
    );
    const worker = await startService({ role: 'worker', database });
    const states = async () => {
      const { rows } = await pool.query<{ id: string; state: string }>(
        'SELECT id, state FROM transactions WHERE id = ANY($1)',
        [[written.tx.id, idle.tx.id, recent.tx.id]],
      );
      return new Map(rows.map((row) => [row.id, row.state]));
    };
    for (let i = 0; (await states()).get(idle.tx.id) === 'open' && i < 100; i++)
      await new Promise((done) => setTimeout(done, 100));
    const found = await states();
    expect([written, idle, recent].map(({ tx }) => found.get(tx.id))).toEqual([
      'committed',
      'aborted',
      'open',
    ]);
    await worker.stop();
  });
});

describeWith('terraform', 'A session of the real client', () => {
  it('lands several applies over two states in one transaction', async () => {
    const answer = await backend.api('POST', '/tx/session/create', {
      body: { tenant_id: backend.tenantId, tags: { by: 'terraform' } },
    });
    const { token, tx } = answer.json() as { token: string; tx: Transaction };
    const states = [await backend.aState({ name: 'first' }), await backend.aState({ name: 'second' })];
    for (const state of states) {
      const resource = (input: string) => `resource "terraform_data" "a" { input = "${input}" }\n`;
      const workspace = new TerraformWorkspace({
        'main.tf': backendBlock(state.address, token) + resource('1'),
      });
      try {
        await workspace.run(['init', '-no-color']);
        await workspace.run(['apply', '-auto-approve', '-no-color']);
        workspace.write({ 'main.tf': backendBlock(state.address, token) + resource('2') });
        await workspace.run(['apply', '-auto-approve', '-no-color']);
        expect(await workspace.run(['state', 'pull'])).toContain('"input"');
      } finally {
        workspace.remove();
      }
    }
    const { state_ids } = (await backend.api('GET', `/tx/${tx.id}`)).json() as { state_ids: string[] };
    expect(state_ids.toSorted()).toEqual(states.map((state) => state.id).toSorted());
    for (const state of states) {
      const { results } = (await backend.api('GET', `/states/${state.id}/versions`)).json() as {
        results: { tx_id: string }[];
      };
      expect(new Set(results.map((version) => version.tx_id))).toEqual(new Set([tx.id]));
      expect(results.length).toBeGreaterThan(1);
    }
  }, 120_000);
});
