import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import type { DataSource } from 'typeorm';
import { closureOf } from '../../src/modules/configurations/change-closure.rules.js';
import { ConfigurationEdges } from '../../src/modules/configurations/configuration-edges.store.js';
import { changeOf } from '../../src/modules/configurations/configuration-node.rules.js';
import { ConfigurationStore } from '../../src/modules/configurations/configuration.store.js';
import { Configurations } from '../../src/modules/configurations/configurations.service.js';
import { keyOf } from '../../src/modules/documents/index.js';
import { UnitOfWork } from '../../src/platform/database/index.js';
import {
  changedModel,
  entriesBetween,
  type Model,
  modelOf,
  rendered,
} from '../support/configuration-generator.js';
import { expectedClosure } from '../support/configuration-oracle.js';
import { connectedSource, freshDatabase, type TestDatabase } from '../support/database.js';

describe('A stored configuration', () => {
  let database: TestDatabase;
  let source: DataSource;
  let work: UnitOfWork;
  let store: ConfigurationStore;
  let configurations: Configurations;

  beforeAll(async () => {
    database = await freshDatabase();
    source = await connectedSource(database);
    work = new UnitOfWork(source);
    store = new ConfigurationStore(work);
    configurations = new Configurations(store, new ConfigurationEdges(work, store));
  });
  afterAll(async () => {
    await source.destroy();
    await database.drop();
  });

  async function aState(): Promise<string> {
    const [tenant, state] = [randomUUID(), randomUUID()];
    await database.pool.query('INSERT INTO tenants (id, name) VALUES ($1, $2)', [tenant, `tenant ${tenant}`]);
    await database.pool.query(
      `INSERT INTO states (id, tenant_id, name, group_id, workspace, lineage) VALUES ($1, $2, 'a state', gen_random_uuid(), 'default', 'l')`,
      [state, tenant],
    );
    return state;
  }

  const block = (data: unknown, module = '', file = 'main.tf') => ({
    action: 'hcl_set',
    data: JSON.stringify({ file, module, data, start_line: 1, end_line: 9 }),
  });
  const sorted = (ids: Iterable<string>) => [...ids].sort();

  it('tells what a change makes necessary as if it were worked out in memory, change after change', async () => {
    await fc.assert(
      fc.asyncProperty(fc.gen(), async (gen) => {
        const state = await aState();
        let before: Model = new Map();
        let after = modelOf(gen);
        for (let round = 0; round < 4; round++) {
          const names = new Map([...before.keys(), ...after.keys()].map((id) => [keyOf(id), id]));
          const entries = entriesBetween(before, after, () => gen(fc.nat, { max: 3 }) === 0);
          const edges = new ConfigurationEdges(work, store).findEdges(state);
          const { planned, included } = await closureOf(edges, changeOf(entries));
          const expected = expectedClosure(before, after);
          expect(sorted([...planned].map((key) => names.get(key) ?? key))).toEqual(sorted(expected.planned));
          expect(sorted([...included].map((key) => names.get(key) ?? key))).toEqual(
            sorted(expected.included),
          );
          await work.run(() => configurations.apply(state, entries));
          const stored = await store.all(state);
          expect(new Map(stored.map((node) => [node.id, JSON.parse(node.data) as unknown]))).toEqual(
            new Map([...after.values()].map((each) => [each.id, rendered(each)])),
          );
          before = after;
          after = changedModel(gen, before);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('keeps every digit, lines and files, and nothing of an ephemeral value', async () => {
    const state = await aState();
    const data = '{"resource":{"t":{"a":{"n":12345678901234567890.123456789012345678900}}}}';
    await configurations.apply(state, [
      { action: 'hcl_set', data: `{"file":"a.tf","module":"","data":${data},"start_line":3,"end_line":5}` },
      { action: 'tfvar_set', data: '{"file":"env","name":"x","data":1.10}' },
      { action: 'tfvar_set', data: '{"file":"env","name":"y","data":"old"}' },
      { action: 'tfvar_ephemeral', data: '{"file":"env","name":"y","data":"(ephemeral)"}' },
      {
        action: 'file_set',
        data: '{"filepath":"a/x","module":"","content":"YQ==","content_hash":"h","mode":"0644"}',
      },
    ]);
    const stored = new Map((await store.all(state)).map((node) => [node.id, node]));
    expect([...stored.keys()].sort()).toEqual(['env:x', 'file:a/x', 't.a']);
    expect(stored.get('t.a')?.data).toContain('12345678901234567890.123456789012345678900');
    expect(stored.get('t.a')).toMatchObject({ startLine: 3, endLine: 5, file: 'a.tf', address: 't.a' });
    expect(stored.get('env:x')?.data).toBe('1.10');
    expect(await configurations.closure(state, [])).toMatchObject({ nodes: [] });
  });

  it('is planned as a whole when there is none yet, and when a refresh is asked for', async () => {
    const state = await aState();
    const entries = [block({ resource: { t: { a: {} } } }), block({ resource: { t: { b: {} } } })];
    expect((await configurations.closure(state, entries)).nodes.map(({ id }) => id)).toEqual(['t.a', 't.b']);
    await configurations.apply(state, entries);
    const refresh = { action: 'refresh', data: '{}' };
    const whole = await configurations.closure(state, [
      refresh,
      { action: 'hcl_delete', data: '{"node_id":"t.b"}' },
    ]);
    expect(whole).toEqual({
      nodes: [expect.objectContaining({ id: 't.a' })],
      instances: undefined,
      outputs: undefined,
      changed: new Map([['t.b', undefined]]),
    });
    await configurations.clear(state);
    expect((await configurations.closure(state, entries.slice(0, 1))).instances).toBeUndefined();
  });

  const idsOf = async (state: string, change: ReturnType<typeof block>[]) => {
    const { nodes, instances } = await configurations.closure(state, change);
    const context = [...(instances ?? [])]
      .filter(([, { isContext }]) => isContext)
      .map(([address]) => address);
    return { nodes: nodes.map(({ id }) => id), context: context.sort() };
  };

  it('knows values of variables and files that are read as parts of what uses them', async () => {
    const state = await aState();
    const file = (filepath: string, content: string) => ({
      action: 'file_set',
      data: JSON.stringify({ filepath, module: '', content, content_hash: content, mode: '0644' }),
    });
    const value = (data: string) => ({
      action: 'tfvar_set',
      data: JSON.stringify({ file: 'env', name: 'x', data }),
    });
    await configurations.apply(state, [
      block({ variable: { x: {} } }),
      block({ variable: { y: {} } }),
      block({ resource: { t: { variable: { v: '${var.x}' } } } }),
      block({ resource: { t: { one: { v: '${file("${path.module}/d/one")}' } } } }),
      block({
        resource: { t: { all: { v: '${[for f in fileset(path.module, "d/*") : file("d/${f}")]}' } } },
      }),
      block({ resource: { t: { none: {} } } }),
      value('a'),
      file('d/one', 'MQ=='),
      file('d/two', 'Mg=='),
      file('e/three', 'Mw=='),
    ]);
    expect((await idsOf(state, [value('b')])).nodes).toEqual(['env:x', 't.variable', 'var.x']);
    expect((await idsOf(state, [value('a')])).nodes).toEqual([]);
    expect((await idsOf(state, [file('d/one', 'OQ==')])).nodes).toEqual([
      'file:d/one',
      'file:d/two',
      'file:e/three',
      't.all',
      't.one',
    ]);
    expect((await idsOf(state, [file('d/four', 'OQ==')])).nodes).toEqual([
      'file:d/four',
      'file:d/one',
      'file:d/two',
      'file:e/three',
      't.all',
    ]);
  });

  it('plans what uses a private value when a client says that it changed, by a comment in its declaration', async () => {
    const state = await aState();
    const variable = (print: string) => block({ variable: { s: { '//': print, sensitive: true } } });
    await configurations.apply(state, [
      variable('one'),
      block({ variable: { t: {} } }),
      block({ resource: { t: { user: { v: '${var.s}' } } } }),
      block({ resource: { t: { other: { v: '${var.t}' } } } }),
    ]);
    const ephemeral = { action: 'tfvar_ephemeral', data: '{"file":"env","name":"s","data":null}' };
    expect((await idsOf(state, [variable('one'), ephemeral])).nodes).toEqual([]);
    expect((await idsOf(state, [variable('two'), ephemeral])).nodes).toEqual(['t.user', 'var.s']);
  });

  it('hands on providers by name and by default, and needs those of what is removed', async () => {
    const state = await aState();
    const inside = (data: unknown) => block(data, 'module.m', 'm/main.tf');
    const entries = [
      block({ provider: { aws: { region: '${var.r}' } } }),
      block({ provider: { aws: [{ alias: 'west' }] } }),
      block({ variable: { r: {} } }),
      block({ module: { m: { source: './m', providers: { 'aws.main': '${aws.west}' } } } }),
      inside({ resource: { aws_a: { plain: {} } } }),
      inside({ resource: { aws_a: { west: { provider: 'aws.main' } } } }),
    ];
    await configurations.apply(state, entries);
    const changed = (name: string, body: unknown) =>
      idsOf(state, [inside({ resource: { aws_a: { [name]: body } } })]);
    expect((await changed('plain', { v: 1 })).nodes).toEqual([
      'module.m',
      'module.m.aws_a.plain',
      'provider.aws',
      'provider.aws.west',
      'var.r',
    ]);
    expect((await changed('west', { v: 1, provider: 'aws.main' })).nodes).toEqual([
      'module.m',
      'module.m.aws_a.west',
      'provider.aws.west',
    ]);
    const west = block({ provider: { aws: [{ alias: 'west', v: 1 }] } });
    expect((await idsOf(state, [west])).nodes).toContain('module.m.aws_a.west');
    const gone = ['module.m', 'module.m.aws_a.plain', 'module.m.aws_a.west'].map((id) => ({
      action: 'hcl_delete',
      data: JSON.stringify({ node_id: id }),
    }));
    expect((await configurations.closure(state, gone)).nodes.map(({ id }) => id)).toEqual([
      'provider.aws',
      'provider.aws.west',
      'var.r',
    ]);
  });

  it('takes moved, import and removed blocks along with what they name', async () => {
    const state = await aState();
    await configurations.apply(state, [
      block({ resource: { t: { a: {} } } }),
      block({ resource: { t: { b: {} } } }),
      block({ resource: { t: { c: { v: '${t.b.id}' } } } }),
    ]);
    const gone = (id: string) => ({ action: 'hcl_delete', data: JSON.stringify({ node_id: id }) });
    const moved = await configurations.closure(state, [
      gone('t.a'),
      block({ resource: { t: { z: {} } } }),
      block({ moved: { from: 't.a[0]', to: 't.z["k"]' } }),
    ]);
    expect(moved.nodes.map(({ id }) => id)).toEqual(['moved@main.tf:t.a[0]', 't.z']);
    expect([...(moved.instances ?? [])]).toEqual([
      ['t.a', { isContext: false }],
      ['t.z', { isContext: false }],
    ]);
    const imported = await idsOf(state, [block({ import: { to: 't.b', id: '${t.a.id}' } })]);
    expect(imported).toEqual({ nodes: ['import@main.tf:t.b', 't.a', 't.b', 't.c'], context: ['t.a'] });
    const removed = await configurations.closure(state, [
      gone('t.a'),
      block({ removed: { from: 't.a', lifecycle: { destroy: false } } }),
    ]);
    expect(removed.nodes.map(({ id }) => id)).toEqual(['removed@main.tf:t.a']);
    expect([...(removed.instances?.keys() ?? [])]).toEqual(['t.a']);
  });

  it('leaves out where the state is kept, and plans nothing for it', async () => {
    const state = await aState();
    const settings = (backend: string, version: string) =>
      block({
        terraform: [
          { backend: { http: { address: backend } } },
          { required_providers: { aws: { version } }, required_version: '>= 1' },
        ],
      });
    await configurations.apply(state, [
      settings('one', '1'),
      block({ resource: { aws_t: { a: {} } } }),
      block({ resource: { gcp_t: { a: {} } } }),
    ]);
    expect((await idsOf(state, [settings('two', '1')])).nodes).toEqual([]);
    expect((await idsOf(state, [settings('two', '2')])).nodes).toEqual(['aws_t.a', 'terraform@main.tf']);
  });

  it('goes with its state', async () => {
    const state = await aState();
    await configurations.apply(state, [block({ resource: { t: { a: { v: '${t.b.id}' } } } })]);
    await database.pool.query('DELETE FROM states WHERE id = $1', [state]);
    const { rows } = await database.pool.query('SELECT FROM configuration_edges WHERE state_id = $1', [
      state,
    ]);
    expect([rows.length, await store.isEmpty(state)]).toEqual([0, true]);
  });
});
