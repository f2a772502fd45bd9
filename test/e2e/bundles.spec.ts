import { randomUUID } from 'node:crypto';
import { aBackend, BackendClient, type TestBackend, type TestState } from '../support/backend.js';
import {
  applied,
  block,
  type Bundle,
  gone,
  joined,
  logged,
  nameOf,
  REFRESH,
  Runner,
  writeBundle,
} from '../support/bundles.js';
import { type RunningService, startService } from '../support/service.js';
import { describeWith, TerraformWorkspace } from '../support/terraform.js';
import { TransactionClient } from '../support/transactions.js';

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
const names = ({ hcl }: Bundle) => hcl.map(nameOf).sort();
const addresses = ({ state }: Bundle) =>
  state.resources.map(({ module, mode, type, name }) =>
    [...(module ? [module] : []), ...(mode === 'data' ? ['data'] : []), type, name].join('.'),
  );

interface Written {
  type?: string;
  name: string;
  module?: string;
  mode?: string;
  keys?: (string | number)[];
}

/** A document with these resources, as the client writes it. */
async function post(state: TestState, resources: readonly Written[], outputs: Record<string, string> = {}) {
  const document = {
    version: 4,
    terraform_version: '1.11.4',
    serial: 1,
    lineage: randomUUID(),
    outputs: Object.fromEntries(
      Object.entries(outputs).map(([name, value]) => [name, { value, type: 'string' }]),
    ),
    resources: resources.map(({ type = 't', name, module, mode = 'managed', keys = [undefined] }) => ({
      ...(module === undefined ? {} : { module }),
      mode,
      type,
      name,
      provider: 'provider["registry.terraform.io/hashicorp/t"]',
      instances: keys.map((key) => ({
        ...(key === undefined ? {} : { index_key: key }),
        schema_version: 0,
        attributes: { id: `${name}-${String(key)}`, big: 1 },
        sensitive_attributes: [],
      })),
    })),
    check_results: null,
  };
  const connection = new BackendClient(state.address, backend.key);
  const text = `${JSON.stringify(document, null, 2)}\n`.replaceAll(
    '"big": 1',
    '"big": 12345678901234567890.10',
  );
  expect((await connection.post(text)).status).toBe(200);
  connection.close();
  return document;
}

const resource = (name: string, ...refs: string[]) =>
  block({ resource: { t: { [name]: { refs: refs.map((ref) => `\${${ref}}`) } } } });

describe('A bundle', () => {
  it('holds all of it the first time, every digit kept, and nothing when nothing changes', async () => {
    const state = await backend.aState();
    const { lineage } = await post(state, [{ name: 'a' }, { name: 'b', keys: [0, 1] }], { o: 'v' });
    const entries = [
      resource('a'),
      resource('b'),
      block({ terraform: [{ backend: { http: {} } }, { required_version: '>= 1.0', cloud: {} }] }),
      { action: 'tfvar_set', object_type: 'tfvar', data: { file: 'env', name: 'x', data: { n: 1 } } },
      {
        action: 'tfvar_ephemeral',
        object_type: 'tfvar',
        data: { file: 'env', name: 'y', data: 'swordfish' },
      },
    ];
    const runner = await Runner.of(client, state, entries);
    await runner.generate();
    const answer = await runner.call('bundle');
    expect(answer.bytes.toString()).toContain('"big": 12345678901234567890.10');
    const bundle = answer.json() as Bundle;
    expect(names(bundle)).toEqual(['t.a', 't.b', 'terraform']);
    expect(bundle.hcl.find(({ data }) => 'terraform' in data)?.data).toEqual({
      terraform: [{}, { required_version: '>= 1.0' }],
    });
    expect(bundle.state).toMatchObject({ version: 4, serial: 1, lineage, terraform_version: '1.11.4' });
    expect(bundle.state.outputs).toEqual({ o: { value: 'v', type: 'string' } });
    expect(bundle.state.resources.map(({ instances }) => instances.length)).toEqual([1, 2]);
    expect(
      bundle.files.map(({ filepath, content }) => [filepath, Buffer.from(content, 'base64').toString()]),
    ).toEqual([['terraform.tfvars.json', '{"x":{"n":1}}']]);
    await applied(client, state, entries);
    const again = await (await Runner.of(client, state, entries)).bundle();
    expect([again.hcl, again.files, again.state.resources, again.state.outputs]).toEqual([[], [], [], {}]);
    expect(again.state.lineage).toBe(lineage);
    const whole = await (await Runner.of(client, state, [REFRESH])).bundle();
    expect([names(whole), addresses(whole)]).toEqual([names(bundle), addresses(bundle)]);
  });

  it('holds what changes, what depends on it, and what these need; every instance of each', async () => {
    const state = await backend.aState();
    await post(
      state,
      [
        { name: 'lookup', mode: 'data' },
        { name: 'base' },
        { name: 'changed', keys: ['k', 'l'] },
        { name: 'dependent' },
        { name: 'sibling' },
        { name: 'beside' },
      ],
      { shown: 'v', other: 'w' },
    );
    await applied(client, state, [
      block({ data: { t: { lookup: {} } } }),
      resource('base', 'data.t.lookup.id', 'var.used'),
      resource('changed', 't.base.id', 'local.l'),
      resource('dependent', 't.changed["k"].id', 't.sibling.id'),
      resource('sibling'),
      resource('beside', 't.base.id'),
      block({ variable: { used: {} } }),
      block({ variable: { unused: {} } }),
      block({ locals: { l: 1 } }),
      block({ locals: { m: '${t.base.id}' } }),
      block({ provider: { t: { region: '${var.used}' } } }),
      block({ provider: { t: { alias: 'west' } } }),
      block({ output: { shown: { value: '${t.dependent.id}' } } }),
      block({ output: { other: { value: '${t.base.id}' } } }),
      { action: 'tfvar_set', object_type: 'tfvar', data: { file: 'env', name: 'used', data: 1 } },
      { action: 'tfvar_set', object_type: 'tfvar', data: { file: 'env', name: 'unused', data: 2 } },
    ]);
    const change = [resource('changed', 't.base.id', 'local.l', 'var.used')];
    const runner = await Runner.of(client, state, change);
    const bundle = await runner.bundle();
    expect(names(bundle)).toEqual(
      [
        'data.t.lookup',
        't.base',
        't.changed',
        't.dependent',
        't.sibling',
        'locals.l',
        'output.shown',
        'provider.t',
        'variable.used',
      ].sort(),
    );
    expect(addresses(bundle)).toEqual(['data.t.lookup', 't.base', 't.changed', 't.dependent', 't.sibling']);
    expect(bundle.state.resources[2]?.instances.map(({ index_key: key }) => key)).toEqual(['k', 'l']);
    expect(bundle.state.outputs).toEqual({ shown: { value: 'v', type: 'string' } });
    expect(bundle.files.map(({ content }) => Buffer.from(content, 'base64').toString())).toEqual([
      '{"used":1}',
    ]);
    const { rows } = await backend.service.pool.query<{ data: string; is_context: boolean }>(
      "SELECT data, is_context FROM transaction_bundle_entries WHERE tx_id = $1 AND kind = 'resource' ORDER BY ordinal",
      [runner.txId],
    );
    expect(rows.map((row) => [(JSON.parse(row.data) as { name: string }).name, row.is_context])).toEqual([
      ['lookup', true],
      ['base', true],
      ['changed', false],
      ['dependent', false],
      ['sibling', true],
    ]);
    const given = await backend.service.pool.query<{ address: string; access: string }>(
      'SELECT address, access FROM transaction_nodes WHERE tx_id = $1 ORDER BY address',
      [runner.txId],
    );
    expect(given.rows.map(({ address, access }) => `${address} ${access}`)).toEqual([
      'data.t.lookup d',
      'output.shown r',
      't.base r',
      't.changed["k"] r',
      't.changed["l"] r',
      't.dependent r',
      't.sibling r',
    ]);
  });

  it('holds the instances of removed blocks, and the providers they need', async () => {
    const state = await backend.aState();
    await post(state, [{ name: 'a' }, { name: 'b', module: 'module.m["x"]', keys: [0] }], { o: 'v' });
    await applied(client, state, [
      resource('a'),
      block({ provider: { t: {} } }),
      block({ provider: { u: {} } }),
      block({ module: { m: { source: './m', for_each: ['x'] } } }),
      block({ resource: { t: { b: {} } } }, 'module.m', 'm/main.tf'),
      block({ output: { o: { value: '${module.m["x"].id}' } } }),
    ]);
    const bundle = await (
      await Runner.of(client, state, [gone('module.m'), gone('module.m.t.b'), gone('output.o')])
    ).bundle();
    expect(names(bundle)).toEqual(['provider.t']);
    expect(addresses(bundle)).toEqual(['module.m["x"].t.b']);
    expect(bundle.state.outputs).toEqual({ o: { value: 'v', type: 'string' } });
  });

  it('follows arguments into modules and outputs out of them', async () => {
    const state = await backend.aState();
    await post(state, [
      { name: 'source' },
      { name: 'in', module: 'module.m[0]' },
      { name: 'in', module: 'module.m[1]' },
      { name: 'apart', module: 'module.m[0]' },
      { name: 'user' },
    ]);
    const inside = (data: unknown) => block(data, 'module.m', 'm/main.tf');
    await applied(client, state, [
      resource('source'),
      block({ module: { m: { source: './m', count: 2, arg: '${t.source.id}', other: 1 } } }),
      inside({ variable: { arg: {} } }),
      inside({ variable: { other: {} } }),
      inside({ resource: { t: { in: { v: '${var.arg}' } } } }),
      inside({ resource: { t: { apart: { v: '${var.other}' } } } }),
      inside({ output: { out: { value: '${t.in.id}' } } }),
      inside({ output: { not: { value: '${t.apart.id}' } } }),
      resource('user', 'module.m[*].out'),
    ]);
    const everyBlock = ['module.m', 'module.m:variable.arg', 'module.m:variable.other', 'module.m:t.in'];
    const bySource = await (
      await Runner.of(client, state, [block({ resource: { t: { source: { refs: ['new'] } } } })])
    ).bundle();
    expect(names(bySource)).toEqual([...everyBlock, 'module.m:output.out', 't.source', 't.user'].sort());
    expect(addresses(bySource)).toEqual(['t.source', 'module.m[0].t.in', 'module.m[1].t.in', 't.user']);
    const byArgument = await (
      await Runner.of(client, state, [
        block({ module: { m: { source: './m', count: 2, arg: '${t.source.id}', other: 2 } } }),
      ])
    ).bundle();
    expect(addresses(byArgument)).toEqual(['t.source', 'module.m[0].t.apart']);
    const byCount = await (
      await Runner.of(client, state, [
        block({ module: { m: { source: './m', count: 3, arg: '${t.source.id}', other: 1 } } }),
      ])
    ).bundle();
    expect(addresses(byCount)).toHaveLength(5);
  });

  it('the bundle of one change among 10,000 blocks has a handful of entries', async () => {
    const state = await backend.aState();
    const count = 10_000;
    const indexes = Array.from({ length: count }, (_, i) => i);
    await post(
      state,
      indexes.map((i) => ({ name: `r${i}` })),
    );
    await applied(
      client,
      state,
      indexes.map((i) => resource(`r${i}`, ...(i % 4 === 0 ? [] : [`t.r${i - 1}.id`]))),
    );
    const bundle = await (
      await Runner.of(client, state, [resource('r5001', 't.r5000.id', 't.r8.id')])
    ).bundle();
    expect(names(bundle)).toEqual(['t.r5000', 't.r5001', 't.r5002', 't.r5003', 't.r8']);
    expect(addresses(bundle)).toHaveLength(5);
    const whole = await Runner.of(client, state, [REFRESH]);
    await whole.generate();
    expect(await whole.cursors(10_000)).toHaveLength(2);
  }, 120_000);

  describe('in pages', () => {
    let runner: Runner;
    beforeAll(async () => {
      const state = await backend.aState();
      await post(
        state,
        Array.from({ length: 10 }, (_, i) => ({ name: `r${i}` })),
        { o: 'v', p: 'w' },
      );
      runner = await Runner.of(
        client,
        state,
        Array.from({ length: 10 }, (_, i) => resource(`r${i}`)),
      );
      await runner.generate();
    });

    it('is the same, whatever their length and order', async () => {
      const whole = await runner.page({});
      expect([whole.hcl.length, whole.state.resources.length, whole.cursor]).toEqual([10, 10, undefined]);
      for (const limit of [1, 3, 7, 22]) {
        const pages = await runner.cursors(limit);
        expect(pages).toHaveLength(Math.ceil(22 / limit));
        expect(pages.every((page) => page.limit === limit)).toBe(true);
        const fetched = await Promise.all(pages.toReversed().map((page) => runner.page(page)));
        expect(joined(fetched.toReversed())).toEqual({ ...whole });
        expect(await runner.cursors(limit)).toEqual(pages);
      }
    });

    it('is followed from page to page', async () => {
      const pages: Bundle[] = [];
      for (let cursor: string | undefined; ;) {
        const page = await runner.page({ limit: 5, ...(cursor === undefined ? {} : { cursor }) });
        pages.push(page);
        cursor = page.cursor;
        if (cursor === undefined) break;
      }
      expect(joined(pages)).toEqual(await runner.page({}));
    });

    it('refuses what is no page of it', async () => {
      const token = (keys: unknown) => Buffer.from(JSON.stringify(keys)).toString('base64url');
      for (const body of [
        { limit: 0 },
        { limit: 10_001 },
        { cursor: 'x' },
        { cursor: token([randomUUID(), 'x']) },
        { cursor: token([randomUUID(), -1]) },
        { cursor: 7 },
      ])
        expect(idOf(await runner.call('bundle', body))).toEqual([400, 'INVALID_REQUEST']);
      expect(idOf(await runner.call('bundle', { cursor: token([randomUUID(), 1]) }))).toEqual([
        409,
        'BUNDLE_REPLACED',
      ]);
      const [, second] = await runner.cursors(5);
      await runner.generate();
      expect(idOf(await runner.call('bundle', second))).toEqual([409, 'BUNDLE_REPLACED']);
    });
  });

  describe('and who may read it', () => {
    it('is for its runner and nobody else', async () => {
      const state = await backend.aState();
      const runner = await Runner.of(client, state, [resource('own')]);
      const other = await Runner.of(client, state, [resource('other')]);
      for (const [method, path] of [
        ['POST', 'bundle/generate'],
        ['POST', 'bundle/cursors'],
        ['POST', 'bundle'],
        ['GET', 'params'],
      ] as const)
        for (const token of [backend.key, backend.session, 'nonsense'])
          expect(idOf(await runner.call(path, {}, method, token))).toEqual([401, 'UNAUTHENTICATED']);
      expect(names(await runner.bundle())).toEqual(['t.own']);
      expect(idOf(await other.call('bundle'))).toEqual([404, 'BUNDLE_NOT_FOUND']);
      expect(idOf(await other.call('bundle/cursors'))).toEqual([404, 'BUNDLE_NOT_FOUND']);
      expect(names(await other.bundle())).toEqual(['t.other']);
      const [page] = await runner.cursors(1);
      expect(page).toEqual({ limit: 1 });
      const cursor = Buffer.from(JSON.stringify([randomUUID(), 0])).toString('base64url');
      expect(idOf(await other.call('bundle', { cursor }))).toEqual([409, 'BUNDLE_REPLACED']);
    });

    it('is for a runner that names a task of the same user', async () => {
      const runner = await Runner.of(client, await backend.aState(), [resource('a')]);
      const noted = async (key: string) =>
        ((await backend.api('POST', '/tasks', { key })).json() as { id: string }).id;
      const own = await noted(backend.key);
      const answer = await runner.call('bundle/generate', { task_id: own });
      expect(answer.json()).toMatchObject({ id: own });
      expect(await client.ended(own)).toBe('completed');
      expect(idOf(await runner.call('bundle/generate', { task_id: own }))).toEqual([404, 'TASK_NOT_FOUND']);
      const foreign = await noted((await backend.aUser()).key);
      expect(idOf(await runner.call('bundle/generate', { task_id: foreign }))).toEqual([
        404,
        'TASK_NOT_FOUND',
      ]);
      expect(idOf(await runner.call('bundle/generate', { task_id: 'x' }))).toEqual([400, 'INVALID_REQUEST']);
    });

    it('is for a runner that names the task of the step, which goes on until the plan is reported', async () => {
      const runner = await Runner.of(client, await backend.aState(), [resource('a')]);
      await runner.generate({ task_id: runner.task });
      expect(await runner.page({})).toMatchObject({ hcl: [{ file: 'main.tf' }] });
      const plan_json = { format_version: '1.2', resource_changes: [] };
      const plan = { kind: 'preview', has_changes: false, plan: 'No changes.', plan_json };
      expect((await client.report(runner.token, plan)).status).toBe(200);
      expect(await client.ended(runner.task)).toBe('completed');
      expect(await client.state(runner.txId)).toBe('previewed');
    });

    it('has the parameters of the transaction', async () => {
      const answer = await backend.api('POST', `/tenants/${backend.tenantId}/tx/create`, {
        body: { state_schema_version: 1, params: { skip_refresh: true } },
      });
      const { id } = answer.json() as { id: string };
      const { token, task } = await client.begin(id, 'preview');
      const runner = new Runner(client, token, task, id);
      expect((await runner.call('params', {}, 'GET')).json()).toEqual({ skip_refresh: true });
      expect(idOf(await runner.call('bundle/generate'))).toEqual([409, 'BUNDLE_NEEDS_ONE_STATE']);
    });

    it('is refused when the state cannot be taken apart', async () => {
      const state = await backend.aState();
      const connection = new BackendClient(state.address, backend.key);
      const legacy = { version: 3, serial: 1, lineage: randomUUID(), modules: [] };
      expect((await connection.post(JSON.stringify(legacy))).status).toBe(200);
      connection.close();
      const runner = await Runner.of(client, state, [resource('a')]);
      const { id } = (await runner.call('bundle/generate')).json() as { id: string };
      expect(await client.ended(id)).toBe('failed');
      expect((await client.call('GET', `/tasks/${id}`)).json()).toMatchObject({ error: 'INVALID_STATE' });
      expect(idOf(await runner.call('bundle'))).toEqual([404, 'BUNDLE_NOT_FOUND']);
    });

    it('is of one state', async () => {
      const txId = await logged(client, await backend.aState(), [resource('a')]);
      const second = await backend.aState();
      await client.append(txId, [{ ...resource('b'), state_id: second.id }]);
      const { token, task } = await client.begin(txId, 'preview');
      const runner = new Runner(client, token, task, txId);
      expect(idOf(await runner.call('bundle/generate'))).toEqual([409, 'BUNDLE_NEEDS_ONE_STATE']);
    });

    it('is readable until the transaction ends', async () => {
      const runner = await Runner.of(client, await backend.aState(), [resource('a')]);
      await runner.bundle();
      const rows = async () =>
        (
          await backend.service.pool.query('SELECT FROM transaction_bundle_entries WHERE tx_id = $1', [
            runner.txId,
          ])
        ).rowCount;
      expect(await rows()).toBe(1);
      expect((await client.call('POST', `/tx/${runner.txId}/abort`)).status).toBe(200);
      expect(await rows()).toBe(0);
      expect(idOf(await runner.call('bundle/generate'))).toEqual([409, 'TX_NOT_ACTIVE']);
      expect(idOf(await runner.call('bundle'))).toEqual([404, 'BUNDLE_NOT_FOUND']);
    });
  });
});

describeWith('terraform', 'Terraform takes a bundle', () => {
  const workspaces: TerraformWorkspace[] = [];
  afterEach(() => {
    for (const workspace of workspaces.splice(0)) workspace.remove();
  });

  interface Plan {
    resource_changes?: { address: string; change: { actions: string[] } }[];
    output_changes?: Record<string, { actions: string[] }>;
  }

  /** Plans a bundle, applies it, and tells what the plan was. */
  async function run(
    state: TestState,
    entries: Parameters<typeof Runner.of>[2],
  ): Promise<Record<string, string>> {
    const runner = await Runner.of(client, state, entries);
    const bundle = await runner.bundle(3);
    const workspace = new TerraformWorkspace();
    workspaces.push(workspace);
    writeBundle(workspace, bundle);
    await workspace.run(['init']);
    await workspace.run(['plan', '-out=plan']);
    const plan = JSON.parse(await workspace.run(['show', '-json', 'plan'])) as Plan;
    const preview = { kind: 'preview', has_changes: true, plan: 'text', plan_json: plan };
    expect((await runner.client.report(runner.token, preview)).status).toBe(200);
    await workspace.run(['apply', 'plan']);
    const after = JSON.parse(await workspace.run(['state', 'pull'])) as unknown;
    const commit = await client.begin(runner.txId, 'commit');
    const answer = await client.report(commit.token, { kind: 'commit', output: 'done', state: after });
    expect(answer.status).toBe(200);
    expect(await client.ended(commit.task)).toBe('completed');
    const kept = await backend.service.pool.query('SELECT FROM transaction_bundles WHERE tx_id = $1', [
      runner.txId,
    ]);
    expect(kept.rowCount).toBe(0);
    const changes = (plan.resource_changes ?? []).map(({ address, change }) => [
      address,
      change.actions.join(),
    ]);
    const outputs = Object.entries(plan.output_changes ?? {}).map(([name, { actions }]) => [
      `output.${name}`,
      actions.join(),
    ]);
    return Object.fromEntries(
      [...changes, ...outputs].filter(([, actions]) => actions !== 'no-op'),
    ) as Record<string, string>;
  }

  const thing = (name: string, input: unknown, more: Record<string, unknown> = {}) =>
    block({ resource: { terraform_data: { [name]: { input, ...more } } } });
  const inside = (data: unknown) => block(data, 'module.net', 'modules/net/main.tf');
  const call = (more: Record<string, unknown>) =>
    block({ module: { net: { source: './modules/net', name: '${terraform_data.a.output}', ...more } } });

  const everything = [
    thing('a', '${var.name}'),
    thing('b', '${module.net["x"].out}', { depends_on: ['terraform_data.c'] }),
    thing('c', '${file("${path.module}/files/c.txt")}'),
    thing('d', '${local.d}', { count: 2 }),
    block({ variable: { name: { type: 'string' } } }),
    block({ variable: { unused: { type: 'string' } } }),
    block({ locals: { d: 'd' } }),
    block({ output: { b: { value: '${terraform_data.b.output}' } } }),
    block({ output: { d: { value: '${terraform_data.d[*].output}' } } }),
    block({
      terraform: [{ required_version: '>= 1.0', backend: { http: { address: 'http://localhost:1' } } }],
    }),
    call({ for_each: '${toset(["x", "y"])}' }),
    inside({ variable: { name: { type: 'string' } } }),
    inside({ resource: { terraform_data: { in: { input: '${var.name}-${each(1)}' } } } }),
    inside({ resource: { terraform_data: { apart: { input: 'apart' } } } }),
    inside({ output: { out: { value: '${terraform_data.in.output}' } } }),
    {
      action: 'tfvar_set',
      object_type: 'tfvar',
      data: { file: 'terraform.tfvars', name: 'name', data: 'one' },
    },
    {
      action: 'tfvar_set',
      object_type: 'tfvar',
      data: { file: 'terraform.tfvars', name: 'unused', data: 'x' },
    },
    {
      action: 'file_set',
      object_type: 'file',
      data: { filepath: 'files/c.txt', module: '', content: 'Yw==', content_hash: 'c', mode: '0644' },
    },
  ];

  it('plans bundles of everything, of a change with dependents and context, of a removal and of a refactoring', async () => {
    const entries = everything.map((entry) =>
      JSON.stringify(entry).includes('each(1)')
        ? inside({ resource: { terraform_data: { in: { input: '${var.name}' } } } })
        : entry,
    );
    const state = await backend.aState();
    expect(Object.keys(await run(state, entries)).sort()).toEqual(
      [
        'module.net["x"].terraform_data.apart',
        'module.net["x"].terraform_data.in',
        'module.net["y"].terraform_data.apart',
        'module.net["y"].terraform_data.in',
        'output.b',
        'output.d',
        'terraform_data.a',
        'terraform_data.b',
        'terraform_data.c',
        'terraform_data.d[0]',
        'terraform_data.d[1]',
      ].sort(),
    );
    expect(await run(state, [thing('d', '${local.d}', { count: 3 })])).toEqual({
      'terraform_data.d[2]': 'create',
      'output.d': 'update',
    });
    expect(await run(state, [thing('a', 'two')])).toEqual({
      'terraform_data.a': 'update',
      'module.net["x"].terraform_data.in': 'update',
      'module.net["y"].terraform_data.in': 'update',
      'terraform_data.b': 'update',
      'output.b': 'update',
    });
    expect(await run(state, [call({ for_each: '${toset(["x"])}' })])).toEqual({
      'module.net["y"].terraform_data.in': 'delete',
      'module.net["y"].terraform_data.apart': 'delete',
    });
    expect(await run(state, [gone('terraform_data.d'), gone('output.d'), gone('local.d')])).toEqual({
      'terraform_data.d[0]': 'delete',
      'terraform_data.d[1]': 'delete',
      'terraform_data.d[2]': 'delete',
      'output.d': 'delete',
    });
    const moved = await run(state, [
      gone('terraform_data.c'),
      thing('e', '${file("${path.module}/files/c.txt")}'),
      thing('b', '${module.net["x"].out}', { depends_on: ['terraform_data.e'] }),
      block({ moved: { from: 'terraform_data.c', to: 'terraform_data.e' } }),
    ]);
    expect(moved).toEqual({});
    const { resources } = await client.document(state.id);
    expect(resources.map(({ module, name }) => `${module ?? ''} ${name}`).sort()).toEqual([
      ' a',
      ' b',
      ' e',
      'module.net["x"] apart',
      'module.net["x"] in',
    ]);
  }, 180_000);
});
