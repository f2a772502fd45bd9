import { randomUUID } from 'node:crypto';
import { aBackend, BackendClient, type TestBackend, type TestState } from '../support/backend.js';

interface Graph {
  nodes: {
    id: number;
    address: string;
    type: string;
    module: string | null;
    state_id: string;
    state_name: string;
    distance: number;
    direction: string;
  }[];
  edges: { from: number; to: number }[];
  total_nodes: number;
  truncated: boolean;
  hidden_instances: number;
}

interface Thing {
  mode?: string;
  module?: string;
  type?: string;
  name: string;
  /** of the resource; one instance for each */
  keys?: number[];
  attributes?: Record<string, unknown>;
  on?: string[];
}

let backend: TestBackend;
beforeAll(async () => {
  backend = await aBackend();
});
afterAll(() => backend?.stop());

function documentOf(things: Thing[], outputs: Record<string, unknown> = {}): string {
  return JSON.stringify({
    version: 4,
    terraform_version: '1.11.4',
    serial: 1,
    lineage: randomUUID(),
    outputs,
    resources: things.map(
      ({ mode = 'managed', module, type = 'thing', name, keys, attributes, on = [] }) => ({
        ...(module === undefined ? {} : { module }),
        mode,
        type,
        name,
        provider: 'provider["registry.terraform.io/test/test"]',
        instances: (keys ?? [undefined]).map((index_key) => ({
          ...(index_key === undefined ? {} : { index_key }),
          schema_version: 0,
          attributes: { id: randomUUID(), ...attributes },
          dependencies: on,
        })),
      }),
    ),
    check_results: null,
  });
}

async function aWritten(
  things: Thing[],
  { outputs, ...values }: { outputs?: Record<string, unknown>; name?: string; tenant_id?: string } = {},
): Promise<TestState> {
  const state = await backend.aState(values);
  const client = new BackendClient(state.address, backend.key);
  expect((await client.post(documentOf(things, outputs))).status).toBe(200);
  client.close();
  return state;
}

/** Reads all outputs of the state. */
function reads(state: TestState, values: Record<string, string>): Thing {
  const config = { value: { address: state.address }, type: ['object', { address: 'string' }] };
  const types = Object.fromEntries(Object.keys(values).map((name) => [name, 'string']));
  const outputs = { value: values, type: ['object', types] };
  return {
    mode: 'data',
    type: 'terraform_remote_state',
    name: 'up',
    attributes: { backend: 'http', config, outputs, workspace: null, defaults: null },
  };
}

async function graphOf(
  state: TestState,
  query: Record<string, string> = {},
  key = backend.key,
): Promise<Graph> {
  const answer = await backend.api('GET', `/states/${state.id}/graph?${new URLSearchParams(query)}`, { key });
  expect(answer.bytes.toString().slice(0, answer.status === 200 ? 0 : 300)).toBe('');
  return answer.json() as Graph;
}

const shown = ({ nodes }: Graph): string[] =>
  nodes.map(({ address, distance, direction }) => `${distance} ${direction} ${address}`);
const joined = ({ nodes, edges }: Graph): string[] =>
  edges.map(({ from, to }) => `${nodes[from]?.address} > ${nodes[to]?.address}`).sort();

describe('The graph around an instance', () => {
  let chain: TestState;
  beforeAll(async () => {
    chain = await aWritten(
      [
        { name: 'a' },
        { name: 'b', on: ['thing.a'] },
        { name: 'c', module: 'module.m', on: ['thing.b', 'thing.a'] },
        { name: 'd', type: 'other', on: ['module.m.thing.c', 'thing.b', 'thing.a'] },
        { name: 'e', on: ['other.d', 'module.m.thing.c', 'thing.b', 'thing.a'] },
        { name: 'lonely' },
      ],
      { name: 'chain' },
    );
  });

  it('goes one edge in both directions where nothing else is asked for', async () => {
    const graph = await graphOf(chain, { address: 'thing.b' });
    expect(shown(graph)).toEqual(['0 seed thing.b', '1 dependent module.m.thing.c', '1 dependency thing.a']);
    expect(joined(graph)).toEqual(['module.m.thing.c > thing.b', 'thing.b > thing.a']);
    const { nodes, edges: _, ...counts } = graph;
    expect(counts).toEqual({ total_nodes: 3, truncated: false, hidden_instances: 0 });
    expect(nodes[1]).toEqual({
      id: 1,
      address: 'module.m.thing.c',
      type: 'thing',
      module: 'module.m',
      state_id: chain.id,
      state_name: 'chain',
      distance: 1,
      direction: 'dependent',
    });
    expect([nodes[0]?.id, nodes[0]?.module]).toEqual([0, null]);
  });

  it('goes as far and in the direction that is asked for', async () => {
    const up = await graphOf(chain, { address: 'thing.b', depth: '3', direction: 'dependents' });
    expect(shown(up)).toEqual([
      '0 seed thing.b',
      '1 dependent module.m.thing.c',
      '2 dependent other.d',
      '3 dependent thing.e',
    ]);
    const down = await graphOf(chain, { address: 'thing.e', depth: '2', direction: 'dependencies' });
    expect(shown(down)).toEqual(['0 seed thing.e', '1 dependency other.d', '2 dependency module.m.thing.c']);
    expect(joined(down)).toEqual(['other.d > module.m.thing.c', 'thing.e > other.d']);
  });

  it('names the nearest by address and counts the others', async () => {
    const keys = Array.from({ length: 30 }, (_, key) => key);
    const state = await aWritten([{ name: 'hub' }, { name: 'spoke', keys, on: ['thing.hub'] }]);
    const graph = await graphOf(state, { address: 'thing.hub', limit: '4' });
    expect(shown(graph)).toEqual([
      '0 seed thing.hub',
      ...[0, 10, 11].map((key) => `1 dependent thing.spoke[${key}]`),
    ]);
    expect([graph.total_nodes, graph.truncated, graph.edges.length]).toEqual([31, true, 3]);
    const all = await graphOf(state, { address: 'thing.hub' });
    expect([all.nodes.length, all.truncated, all.edges.length]).toEqual([31, false, 30]);
  });

  it('shows the best connected instances where none is named', async () => {
    const graph = await graphOf(chain, { limit: '5' });
    expect(graph.nodes.map(({ distance, direction }) => [distance, direction])).toEqual(
      Array.from({ length: 5 }, () => [0, 'seed']),
    );
    const addresses = graph.nodes.map(({ address }) => address);
    expect(addresses).toEqual(['module.m.thing.c', 'other.d', 'thing.a', 'thing.b', 'thing.e']);
    expect([graph.total_nodes, graph.truncated, graph.edges.length]).toEqual([6, true, 4]);
    const none = { nodes: [], edges: [], total_nodes: 0, truncated: false, hidden_instances: 0 };
    expect(await graphOf(await backend.aState())).toEqual(none);
  });

  it('cuts edges of two large groups, and says that it is not complete', async () => {
    const keys = Array.from({ length: 200 }, (_, key) => key);
    const state = await aWritten([
      { name: 'left', keys },
      { name: 'right', keys, on: ['thing.left'] },
    ]);
    const graph = await graphOf(state, { limit: '2000' });
    expect([graph.nodes.length, graph.edges.length, graph.truncated]).toEqual([400, 20_000, true]);
  });

  it('crosses linked states, and only counts what the caller may not see', async () => {
    const member = await backend.aUser();
    const hiddenTenant = await backend.aTenant();
    const value = `subnet-${randomUUID()}`;
    const outputs = { subnet: { value, type: 'string' } };
    const producer = await aWritten(
      [{ name: 'vpc' }, { name: 'subnet', attributes: { id: value }, on: ['thing.vpc'] }],
      {
        name: 'producer',
        outputs,
      },
    );
    const reader = [
      reads(producer, { subnet: value }),
      { name: 'app', on: ['data.terraform_remote_state.up'] },
    ];
    const consumer = await aWritten(reader, { name: 'consumer' });
    await aWritten(reader, { name: 'hidden', tenant_id: hiddenTenant });

    const query = { address: 'thing.subnet', depth: '2' };
    const graph = await graphOf(producer, query, member.key);
    expect(shown(graph)).toEqual([
      '0 seed thing.subnet',
      '1 dependent data.terraform_remote_state.up',
      '1 dependency thing.vpc',
      '2 dependent thing.app',
    ]);
    expect(graph.nodes.map(({ state_name }) => state_name)).toEqual([
      'producer',
      'consumer',
      'producer',
      'consumer',
    ]);
    expect(joined(graph)).toEqual([
      'data.terraform_remote_state.up > thing.subnet',
      'thing.app > data.terraform_remote_state.up',
      'thing.subnet > thing.vpc',
    ]);
    expect([graph.total_nodes, graph.hidden_instances, graph.truncated]).toEqual([4, 2, false]);
    const all = await graphOf(producer, query);
    expect([all.total_nodes, all.hidden_instances]).toEqual([6, 0]);

    const back = await graphOf(consumer, { address: 'thing.app', depth: '3', direction: 'dependencies' });
    expect(shown(back)).toEqual([
      '0 seed thing.app',
      '1 dependency data.terraform_remote_state.up',
      '2 dependency thing.subnet',
      '3 dependency thing.vpc',
    ]);
  });

  it.each([
    'depth=0',
    'depth=4',
    'depth=x',
    'limit=0',
    'limit=2001',
    'limit=1.5',
    'direction=up',
    'depth=1&depth=2',
  ])('refuses %s', async (query) => {
    const answer = await backend.api('GET', `/states/${chain.id}/graph?${query}`);
    expect([answer.status, (answer.json() as { id: string }).id]).toEqual([400, 'INVALID_REQUEST']);
  });

  it('knows what is not there', async () => {
    for (const address of ['thing.none', '', 'thing.b[0]', 'x'.repeat(3000)]) {
      const answer = await backend.api(
        'GET',
        `/states/${chain.id}/graph?${new URLSearchParams({ address })}`,
      );
      expect([answer.status, (answer.json() as { id: string }).id]).toEqual([404, 'INSTANCE_NOT_FOUND']);
    }
  });

  it('is shown to members only, and to strangers as missing', async () => {
    const member = await backend.aUser();
    const foreign = await aWritten([{ name: 'a' }], { tenant_id: await backend.aTenant() });
    const scoped = await backend.aKey({ commit: { tenants: [backend.tenantId] } });
    const status = async (id: string, key: string | undefined) =>
      (await backend.api('GET', `/states/${id}/graph?address=thing.a`, { key })).status;
    expect({
      anonymous: await status(chain.id, undefined),
      outsider: await status(foreign.id, member.key),
      unknown: await status(randomUUID(), member.key),
      member: await status(chain.id, member.key),
      'scoped token': await status(chain.id, scoped),
      'installation admin': await status(foreign.id, backend.key),
    }).toEqual({
      anonymous: 401,
      outsider: 404,
      unknown: 404,
      member: 200,
      'scoped token': 200,
      'installation admin': 200,
    });
  });
});
