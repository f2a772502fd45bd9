import { randomUUID } from 'node:crypto';
import { aBackend, BackendClient, bytesOf, type TestBackend, type TestState } from '../support/backend.js';
import { type RunningService, startService } from '../support/service.js';
import {
  change,
  entriesBesideInstances,
  PLAN_OF_ALL_KINDS,
  runState,
  setInstance,
  TransactionClient,
} from '../support/transactions.js';

let backend: TestBackend;
let client: TransactionClient;
let worker: RunningService;
beforeAll(async () => {
  backend = await aBackend();
  worker = await startService({ role: 'worker', database: backend.service.database });
  client = new TransactionClient(backend);
});
afterAll(async () => {
  await worker.stop();
  await backend.stop();
});

const idOf = (answer: { status: number; json(): unknown }) => [
  answer.status,
  (answer.json() as { id: string }).id,
];

async function post(state: TestState, values: Record<string, string>, serial: number, lineage: string) {
  const connection = new BackendClient(state.address, backend.key);
  try {
    await connection.get();
    const answer = await connection.post(bytesOf(new Map(Object.entries(values)), serial, lineage));
    expect(answer.status).toBe(200);
    return (answer.json() as { tx_id: string }).tx_id;
  } finally {
    connection.close();
  }
}

describe('Applying what was logged', () => {
  it('makes a document of a state that was never written, under the lineage that was logged', async () => {
    const state = await backend.aState();
    const tx = await client.logged(state.id, [
      { address: 'test_thing.a', value: 'one' },
      { address: 'module.m.test_thing.b', value: 'two', index: 'k' },
      { address: 'test_thing.c', value: 'three', index: 0 },
    ]);
    await client.append(tx, entriesBesideInstances(state.id));
    expect(await client.apply(tx)).toEqual({ status: 200, task: 'completed' });
    expect(await client.state(tx)).toBe('committed');
    const document = await client.document(state.id);
    expect([document.version, document.serial, document.lineage, document.terraform_version]).toEqual([
      4,
      1,
      'another',
      '1.11.4',
    ]);
    expect(await client.values(state.id)).toEqual({
      'test_thing.a': 'one',
      'module.m.test_thing.b["k"]': 'two',
      'test_thing.c[0]': 'three',
    });
    expect(document.resources[0]?.provider).toBe('provider["registry.terraform.io/hashicorp/test"]');
    expect(document.outputs).toEqual({ o: { value: 'v', type: 'string', sensitive: true } });
    expect(document.check_results).toEqual([
      {
        object_kind: 'check',
        config_addr: 'check.c',
        status: 'pass',
        objects: [{ object_addr: 'check.c', status: 'pass' }],
      },
    ]);
    const summary = await backend.api('GET', `/states/${state.id}/summary`);
    expect(summary.json()).toMatchObject({ instances: 3, resources: 3 });
    const versions = (await backend.api('GET', `/states/${state.id}/versions`)).json() as {
      results: { tx_id: string; origin: string }[];
    };
    expect(versions.results).toEqual([expect.objectContaining({ tx_id: tx, origin: 'transaction' })]);
  });

  it('changes what it names, keeps the rest, and every digit of it', async () => {
    const state = await backend.aState();
    const lineage = randomUUID();
    await post(state, { a: '1', b: '2', c: '3' }, 4, lineage);
    const tx = await client.logged(state.id, [{ address: 'test_thing.d', value: 'new' }], ['test_thing.c']);
    const text = JSON.stringify([setInstance(state.id, { address: 'test_thing.a', value: 'DIGITS' })]);
    const appended = await fetch(`${backend.url}/api/v1/tx/${tx}/logs/append`, {
      method: 'POST',
      headers: { authorization: `Bearer ${backend.key}`, 'content-type': 'application/json' },
      body: text.replace('"DIGITS"', '123456789012345678901234567890.10'),
    });
    expect(appended.status).toBe(200);
    expect(await client.apply(tx)).toEqual({ status: 200, task: 'completed' });
    const exported = await backend.api('GET', `/states/${state.id}/export`);
    expect(exported.bytes.toString()).toContain('"value": 123456789012345678901234567890.10');
    const document = await client.document(state.id);
    expect([document.serial, document.lineage]).toEqual([5, lineage]);
    expect(Object.keys(await client.values(state.id)).sort()).toEqual([
      'test_thing.a',
      'test_thing.b',
      'test_thing.d',
    ]);
  });

  it('makes no version when everything is as it says', async () => {
    const state = await backend.aState();
    const content = [{ address: 'test_thing.a', value: 'same' }];
    const entries = [
      {
        action: 'state_set',
        object_type: 'resource',
        state_id: state.id,
        data: { address: 'test_thing.a', mode: 'managed', type: 'test_thing', name: 'a', provider: 'test' },
      },
    ];
    for (let i = 0; i < 2; i++) {
      const tx = await client.logged(state.id, content);
      await client.append(tx, entries);
      expect(await client.apply(tx)).toEqual({ status: 200, task: 'completed' });
    }
    expect((await client.document(state.id)).serial).toBe(1);
  });

  it('removes whole resources, and with overwrite whatever it does not name', async () => {
    const state = await backend.aState();
    const first = await client.logged(state.id, [
      { address: 'test_thing.a', value: 1, index: 0 },
      { address: 'test_thing.a', value: 2, index: 1 },
      { address: 'test_thing.b', value: 3 },
      { address: 'test_thing.c', value: 4 },
    ]);
    expect((await client.apply(first)).task).toBe('completed');
    const second = await client.create();
    await client.append(second, [
      {
        action: 'state_delete',
        object_type: 'resource',
        state_id: state.id,
        data: { address: 'test_thing.a' },
      },
      setInstance(state.id, { address: 'test_thing.a', value: 5, index: 7 }),
    ]);
    expect((await client.apply(second)).task).toBe('completed');
    expect(await client.values(state.id)).toEqual({
      'test_thing.a[7]': 5,
      'test_thing.b': 3,
      'test_thing.c': 4,
    });
    const third = await client.logged(state.id, [{ address: 'test_thing.b', value: 6 }]);
    expect((await client.apply(third, '?replace=overwrite')).task).toBe('completed');
    expect(await client.values(state.id)).toEqual({ 'test_thing.b': 6 });
    const fourth = await client.logged(state.id, [{ address: 'test_thing.z', value: 7 }]);
    expect((await client.apply(fourth, '?replace=hcl')).task).toBe('completed');
    expect(await client.values(state.id)).toEqual({ 'test_thing.b': 6 });
    expect((await client.call('POST', `/tx/${await client.create()}/apply?replace=all`)).status).toBe(400);
  });

  it('goes over several states at once, or over none', async () => {
    const [one, two] = [await backend.aState(), await backend.aState()];
    const tx = await client.create();
    await client.append(tx, [
      setInstance(one.id, { address: 'test_thing.a', value: 1 }),
      setInstance(two.id, { address: 'test_thing.a', value: 2 }),
    ]);
    expect((await client.apply(tx)).task).toBe('completed');
    expect([await client.values(one.id), await client.values(two.id)]).toEqual([
      { 'test_thing.a': 1 },
      { 'test_thing.a': 2 },
    ]);
    const opaque = await backend.aState();
    const encrypted = { serial: 1, lineage: 'l', meta: {}, encrypted_data: 'x', encryption_version: 'v0' };
    const connection = new BackendClient(opaque.address, backend.key);
    expect((await connection.post(Buffer.from(JSON.stringify(encrypted)))).status).toBe(200);
    connection.close();
    const blocked = await client.create();
    await client.append(blocked, [
      setInstance(one.id, { address: 'test_thing.b', value: 1 }),
      setInstance(opaque.id, { address: 'test_thing.b', value: 1 }),
    ]);
    expect(await client.apply(blocked)).toMatchObject({ status: 200, task: 'failed' });
    expect(await client.state(blocked)).toBe('failed-committed');
    expect(await client.values(one.id)).toEqual({ 'test_thing.a': 1 });
  });

  it('stores the hashes that were recorded, and tells what is not recorded any more', async () => {
    const state = await backend.aState();
    const record = async (tx: string, nodes: Record<string, string>) => {
      const body = { tx_id: tx, nodes: Object.entries(nodes).map(([key, hash]) => ({ key, hash })) };
      expect((await client.call('POST', `/states/${state.id}/revision`, body)).status).toBe(200);
    };
    const compare = async (tx: string) =>
      (await client.call('POST', `/states/${state.id}/revision/compare`, { tx_id: tx })).json();
    const [first, second, third] = [await client.create(), await client.create(), await client.create()];
    await record(first, { a: '1', b: '1' });
    expect(await compare(first)).toEqual({ node_ids: ['a', 'b'] });
    expect((await client.apply(first)).task).toBe('completed');
    await record(second, { a: '1', b: '2' });
    await record(third, { a: '3', b: '1' });
    expect(await compare(second)).toEqual({ node_ids: ['b'] });
    expect((await client.apply(second)).task).toBe('completed');
    // What the third found stored already is no change of its own: b stays as the second made it.
    expect((await client.apply(third)).task).toBe('completed');
    const last = await client.create();
    await record(last, { a: '3', b: '2' });
    expect(await compare(last)).toEqual({ node_ids: [] });
    const shorter = await client.create();
    await record(shorter, { a: '3' });
    expect(await compare(shorter)).toEqual({ node_ids: [], removed: ['b'] });
  });
});

describe('Two transactions', () => {
  it('conflict over one instance, whichever way the first went: the first to commit wins', async () => {
    const state = await backend.aState();
    const [first, second] = [
      await client.logged(state.id, [{ address: 'test_thing.a', value: 1 }]),
      await client.logged(state.id, [{ address: 'test_thing.a', value: 2 }]),
    ];
    expect((await client.apply(first)).task).toBe('completed');
    const refused = await client.call('POST', `/tx/${second}/commit`);
    expect([refused.status, refused.json()]).toEqual([409, { id: 'TX_CONFLICT', data: first }]);
    expect(await client.apply(second)).toEqual({ status: 409, id: 'TX_CONFLICT' });
    expect(await client.state(second)).toBe('open');
    expect(await client.values(state.id)).toEqual({ 'test_thing.a': 1 });
  });

  it('conflict while one is committing, until that one is given up', async () => {
    const state = await backend.aState();
    const [first, second] = [
      await client.logged(state.id, [{ address: 'test_thing.a', value: 1 }]),
      await client.logged(state.id, [{ address: 'test_thing.a', value: 2 }]),
    ];
    await client.begin(first, 'commit');
    expect(await client.apply(second)).toEqual({ status: 409, id: 'TX_CONFLICT' });
    expect((await client.call('POST', `/tx/${first}/abort`)).status).toBe(200);
    expect(await client.apply(second)).toEqual({ status: 200, task: 'completed' });
  });

  it('conflict over an output, and never over different instances', async () => {
    const state = await backend.aState();
    const output = (tx: string, value: string) =>
      client.append(tx, [
        {
          action: 'state_set',
          object_type: 'output',
          state_id: state.id,
          data: { name: 'o', type: 'string', value },
        },
      ]);
    const [first, second, third] = [
      await client.logged(state.id, [{ address: 'test_thing.a', value: 1 }]),
      await client.logged(state.id, [{ address: 'test_thing.b', value: 2 }]),
      await client.logged(state.id, [{ address: 'test_thing.c', value: 3 }]),
    ];
    await output(first, 'of the first');
    await output(third, 'of the third');
    const outcomes = await Promise.all([client.apply(first), client.apply(second)]);
    expect(outcomes.map(({ task }) => task)).toEqual(['completed', 'completed']);
    expect(await client.apply(third)).toEqual({ status: 409, id: 'TX_CONFLICT' });
    expect(await client.values(state.id)).toEqual({ 'test_thing.a': 1, 'test_thing.b': 2 });
  });

  it('conflict with a write of plain Terraform in between', async () => {
    const state = await backend.aState();
    const lineage = randomUUID();
    await post(state, { a: '1', b: '1' }, 1, lineage);
    const [over, beside] = [
      await client.logged(state.id, [{ address: 'test_thing.a', value: 'mine' }]),
      await client.logged(state.id, [{ address: 'test_thing.b', value: 'mine' }]),
    ];
    const other = await post(state, { a: '2', b: '1' }, 2, lineage);
    const refused = await client.call('POST', `/tx/${over}/apply`);
    expect([refused.status, refused.json()]).toEqual([409, { id: 'TX_CONFLICT', data: other }]);
    expect((await client.apply(beside)).task).toBe('completed');
    const later = await client.logged(state.id, [{ address: 'test_thing.a', value: 'mine' }]);
    expect((await client.apply(later)).task).toBe('completed');
    expect(await client.values(state.id)).toEqual({ 'test_thing.a': 'mine', 'test_thing.b': 'mine' });
  });

  it('does not count as applied what plain Terraform changed since, and nothing once it added something', async () => {
    const state = await backend.aState();
    const lineage = randomUUID();
    const block = (name: string) => ({
      action: 'hcl_set',
      object_type: 'hcl',
      state_id: state.id,
      data: { file: 'main.tf', module: '', data: { resource: { test_thing: { [name]: { count: 1 } } } } },
    });
    const nodes = ['test_thing.a', 'test_thing.b'].map((key) => ({ key, hash: `of ${key}` }));
    const record = async () => {
      const tx = await client.create();
      expect((await client.call('POST', `/states/${state.id}/revision`, { tx_id: tx, nodes })).status).toBe(
        200,
      );
      return tx;
    };
    const ask = async (path: string, tx?: string) =>
      (await client.call('POST', `/states/${state.id}/revision/${path}`, tx && { tx_id: tx })).json();
    await post(state, { a: '1', b: '1' }, 1, lineage);
    const first = await record();
    await client.append(first, [block('a'), block('b')]);
    expect((await client.apply(first)).task).toBe('completed');
    const applied = await ask('hash');
    expect(await ask('compare', await record())).toEqual({ node_ids: [] });

    await post(state, { a: '1', b: '2' }, 2, lineage);
    expect(await ask('hash')).not.toEqual(applied);
    const second = await record();
    expect(await ask('compare', second)).toEqual({ node_ids: ['test_thing.b'] });
    await client.append(second, [block('b')]);
    expect((await client.apply(second)).task).toBe('completed');
    expect(await ask('hash')).toEqual(applied);

    await post(state, { a: '1', b: '2', c: '1' }, 3, lineage);
    expect(await ask('hash')).toMatchObject({ id: 'REVISION_NOT_FOUND' });
    expect(await ask('compare', await record())).toEqual({ node_ids: ['test_thing.a', 'test_thing.b'] });
  });

  it('exactly one of many concurrent commits succeeds', async () => {
    const state = await backend.aState();
    const all = await Promise.all(
      Array.from({ length: 8 }, (_, n) => client.logged(state.id, [{ address: 'test_thing.a', value: n }])),
    );
    const outcomes = await Promise.all(all.map((tx) => client.apply(tx)));
    expect(outcomes.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(outcomes.filter(({ id }) => id === 'TX_CONFLICT')).toHaveLength(7);
    const winner = outcomes.findIndex(({ status }) => status === 200);
    expect(await client.values(state.id)).toEqual({ 'test_thing.a': winner });
  });
});

describe('A runner', () => {
  async function previewed(state: TestState, plan: unknown = PLAN_OF_ALL_KINDS): Promise<string> {
    const tx = await client.create();
    await client.append(tx, [{ action: 'refresh', object_type: 'refresh', state_id: state.id, data: {} }]);
    const { task, token } = await client.begin(tx, 'preview');
    const answer = await client.report(token, {
      kind: 'preview',
      has_changes: true,
      plan: 'the plan',
      plan_json: plan,
    });
    expect([answer.status, answer.json()]).toEqual([200, { task: { id: task, state: 'completed' } }]);
    return tx;
  }

  it('reports a plan: its operations, and nothing sensitive', async () => {
    const state = await backend.aState();
    const tx = await previewed(state);
    expect(await client.state(tx)).toBe('previewed');
    expect((await client.call('GET', `/tx/${tx}/plan-operations`)).json()).toEqual({
      results: [
        { address: 'test_thing.gone', operation: 'destroy' },
        { address: 'test_thing.new', operation: 'create' },
        { address: 'test_thing.same', operation: 'destroy' },
        { address: 'test_thing.swap', operation: 'replace' },
        { address: 'test_thing.swap2', operation: 'replace' },
        { address: 'test_thing.up', operation: 'update' },
      ],
    });
    const view = (await client.call('GET', `/tx/${tx}`)).json() as { tx: { plan_summary: unknown } };
    expect(view.tx.plan_summary).toEqual({ add: 3, change: 1, destroy: 4 });
    const { rows } = await backend.service.pool.query<{ plan_json: unknown }>(
      'SELECT plan_json FROM transaction_plans WHERE tx_id = $1',
      [tx],
    );
    const stored = JSON.stringify(rows[0]);
    expect(stored).toContain('"open"');
    expect(stored).not.toContain('hush');
  });

  it('reads the plan back, and has no other door', async () => {
    const state = await backend.aState();
    const tx = await client.create();
    await client.append(tx, [{ action: 'refresh', object_type: 'refresh', state_id: state.id, data: {} }]);
    const { token } = await client.begin(tx, 'preview');
    const ask = (path: string, key: string, method = 'POST') => client.call(method, path, undefined, key);
    expect(idOf(await ask('/actuator/preview', token))).toEqual([404, 'TX_NOT_PREVIEWED']);
    await client.report(token, { kind: 'preview', has_changes: false, plan: 'No changes.', plan_json: {} });
    expect((await ask('/actuator/preview', token)).json()).toEqual({
      has_changes: false,
      plan: 'No changes.',
    });
    for (const key of [backend.key, backend.session]) {
      expect((await ask('/actuator/preview', key)).status).toBe(401);
      expect((await ask('/actuator/results', key)).status).toBe(401);
    }
    for (const [method, path] of [
      ['GET', `/tx/${tx}`],
      ['GET', '/whoami'],
      ['POST', `/tx/${tx}/commit`],
      ['GET', `/tenants/${backend.tenantId}/states`],
    ] as const)
      expect([path, (await ask(path, token, method)).status]).toEqual([path, 401]);
  });

  it('reports in parts, in any order, twice: once is enough', async () => {
    const state = await backend.aState();
    const tx = await client.create();
    await client.append(tx, [{ action: 'refresh', object_type: 'refresh', state_id: state.id, data: {} }]);
    const { task, token } = await client.begin(tx, 'preview');
    const text = JSON.stringify({
      kind: 'preview',
      has_changes: true,
      plan: 'päng',
      plan_json: PLAN_OF_ALL_KINDS,
    });
    const parts = [text.slice(0, 100), text.slice(100, 700), text.slice(700)];
    for (const idx of [2, 0])
      expect((await client.report(token, { kind: 'chunk', data: parts[idx] }, idx)).status).toBe(200);
    expect(idOf(await client.report(token, { kind: 'done' }, 3))).toEqual([400, 'INVALID_REQUEST']);
    const { rows } = await backend.service.pool.query<{ sealed: Buffer }>(
      'SELECT sealed FROM transaction_report_parts WHERE task_id = $1',
      [task],
    );
    expect(rows).toHaveLength(2);
    expect(Buffer.concat(rows.map((row) => row.sealed)).includes('hush')).toBe(false);
    for (const idx of [1, 1]) await client.report(token, { kind: 'chunk', data: parts[idx] }, idx);
    for (let i = 0; i < 2; i++) {
      const answer = await client.report(token, { kind: 'done' }, 3);
      expect([answer.status, answer.json()]).toEqual([200, { task: { id: task, state: 'completed' } }]);
    }
    expect(await client.state(tx)).toBe('previewed');
  });

  it.each([
    ['nothing', undefined],
    ['no kind', { has_changes: true }],
    ['another kind', { kind: 'plan' }],
    ['a plan without JSON', { kind: 'preview', has_changes: true, plan: '' }],
    [
      'a plan whose changes are none',
      { kind: 'preview', has_changes: true, plan: '', plan_json: { resource_changes: 7 } },
    ],
    ['a failure of another kind', { kind: 'failure', reason: { code: 'bad_luck', message: '' } }],
  ])('is told when it reports %s, and may report again', async (_, request) => {
    const state = await backend.aState();
    const tx = await client.create();
    await client.append(tx, [{ action: 'refresh', object_type: 'refresh', state_id: state.id, data: {} }]);
    const { token } = await client.begin(tx, 'preview');
    expect(idOf(await client.report(token, request))).toEqual([400, 'INVALID_REQUEST']);
    expect(await client.state(tx)).toBe('previewing');
    const failed = await client.report(token, {
      kind: 'failure',
      reason: { code: 'exec_failed', message: 'no' },
    });
    expect([failed.status, (failed.json() as { task: { state: string } }).task.state]).toEqual([
      200,
      'failed',
    ]);
    expect(await client.state(tx)).toBe('failed');
    const output = (await client.call('GET', `/tx/${tx}/output`)).json() as {
      payload: string;
      results: { data: string }[];
    };
    expect(output.payload).toBe('run_failure');
    expect(JSON.parse(Buffer.from(output.results[0]?.data ?? '', 'base64').toString())).toEqual({
      kind: 'failure',
      reason: { code: 'exec_failed', message: 'no' },
    });
  });

  it('commits: what it left stands in the state', async () => {
    const state = await backend.aState();
    const lineage = randomUUID();
    await post(state, { old: '1' }, 1, lineage);
    const tx = await previewed(state, { resource_changes: [change('test_thing.new', ['create'])] });
    const { task, token } = await client.begin(tx, 'commit');
    expect(idOf(await client.call('POST', `/tx/${tx}/preview`))).toEqual([409, 'TX_BUSY']);
    const left = runState([{ address: 'test_thing.new', value: 'made' }], { o: 'v' });
    const report = { kind: 'commit', output: 'Apply complete!', state: left };
    for (let i = 0; i < 2; i++) expect((await client.report(token, report)).status).toBe(200);
    expect(await client.ended(task)).toBe('completed');
    expect(await client.state(tx)).toBe('committed');
    const document = await client.document(state.id);
    expect([document.serial, document.lineage]).toEqual([2, lineage]);
    expect(await client.values(state.id)).toMatchObject({ 'test_thing.new': 'made' });
    expect(document.outputs).toMatchObject({ o: { value: 'v' } });
    const output = (await client.call('GET', `/tx/${tx}/output`)).json() as {
      payload: string;
      results: { idx: number; data: string }[];
    };
    expect(output.payload).toBe('apply_stdout');
    expect(JSON.parse(Buffer.from(output.results[0]?.data ?? '', 'base64').toString())).toBe(
      'Apply complete!',
    );
    const { rows } = await backend.service.pool.query(
      `SELECT (SELECT count(*) FROM transaction_nodes WHERE tx_id = $1)::int AS nodes,
        (SELECT count(*) FROM transaction_reports WHERE tx_id = $1)::int AS reports`,
      [tx],
    );
    expect(rows).toEqual([{ nodes: 0, reports: 0 }]);
  });

  it('the state contains what a half-failed run changed, and the transaction is not committed', async () => {
    const state = await backend.aState();
    const plan = {
      resource_changes: [change('test_thing.a', ['create']), change('test_thing.b', ['create'])],
    };
    const tx = await previewed(state, plan);
    const { task, token } = await client.begin(tx, 'commit');
    const failure = { reason: { code: 'exec_failed', message: 'the provider said no' } };
    const left = runState([{ address: 'test_thing.a', value: 1 }]);
    await client.report(token, { kind: 'commit_failed', failure, state: left });
    await client.ended(task);
    expect(await client.state(tx)).toBe('failed-committed');
    expect(await client.values(state.id)).toEqual({ 'test_thing.a': 1 });
    expect((await client.call('GET', `/tx/${tx}/output`)).json()).toMatchObject({ payload: 'run_failure' });
  });

  it('is overtaken by plain Terraform: what it did is kept, and taken when somebody insists', async () => {
    const state = await backend.aState();
    const lineage = randomUUID();
    await post(state, { a: '1', b: '1' }, 1, lineage);
    const tx = await previewed(state, { resource_changes: [change('test_thing.a', ['update'])] });
    const { task, token } = await client.begin(tx, 'commit');
    await post(state, { a: 'plain', b: '1' }, 2, lineage);
    const left = runState([{ address: 'test_thing.a', value: 'run' }]);
    expect((await client.report(token, { kind: 'commit', output: '', state: left })).status).toBe(200);
    expect(await client.ended(task)).toBe('failed');
    expect(await client.state(tx)).toBe('failed-committed');
    expect(await client.apply(tx)).toEqual({ status: 200, task: 'failed' });
    expect(await client.state(tx)).toBe('failed-committed');
    expect(await client.apply(tx, '?replace=overwrite')).toEqual({ status: 200, task: 'completed' });
    expect(await client.state(tx)).toBe('committed');
    expect(await client.values(state.id)).toMatchObject({
      'test_thing.a': 'run',
      'test_thing.b': expect.anything() as unknown,
    });
  });

  it('whose transaction was aborted is told so, and what it did is kept', async () => {
    const state = await backend.aState();
    const tx = await previewed(state, { resource_changes: [change('test_thing.a', ['create'])] });
    const { token } = await client.begin(tx, 'commit');
    expect((await client.call('POST', `/tx/${tx}/abort`)).status).toBe(200);
    const left = runState([{ address: 'test_thing.a', value: 1 }]);
    expect(idOf(await client.report(token, { kind: 'commit', output: '', state: left }))).toEqual([
      409,
      'TX_NOT_ACTIVE',
    ]);
    const { rows } = await backend.service.pool.query<{ state: string }>(
      'SELECT state FROM transaction_reports WHERE tx_id = $1',
      [tx],
    );
    expect(rows[0]?.state).toContain('test_thing');
  });

  it('plans again, and only the newest plan counts', async () => {
    const state = await backend.aState();
    const tx = await previewed(state, { resource_changes: [change('test_thing.a', ['create'])] });
    const { task, token } = await client.begin(tx, 'preview');
    await client.report(token, {
      kind: 'preview',
      has_changes: true,
      plan: '',
      plan_json: { resource_changes: [change('test_thing.b', ['create'])] },
    });
    expect(await client.ended(task)).toBe('completed');
    const other = await client.logged(state.id, [{ address: 'test_thing.a', value: 1 }]);
    expect((await client.apply(other)).task).toBe('completed');
    await client.begin(tx, 'commit');
    const late = await client.logged(state.id, [{ address: 'test_thing.b', value: 1 }]);
    expect(await client.apply(late)).toEqual({ status: 409, id: 'TX_CONFLICT' });
  });

  it('works for a member who may preview and commit, and for nobody else', async () => {
    const stranger = await backend.aUser();
    const tenant = await backend.aTenant();
    const tx = await client.create(tenant);
    for (const step of ['preview', 'commit', 'apply'])
      expect(idOf(await client.call('POST', `/tx/${tx}/${step}`, undefined, stranger.key))).toEqual([
        404,
        'TX_NOT_FOUND',
      ]);
    const reader = await backend.aKey({});
    for (const step of ['preview', 'commit', 'apply'])
      expect((await client.call('POST', `/tx/${tx}/${step}`, undefined, reader)).status).toBe(403);
  });
});
