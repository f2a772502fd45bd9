import { randomUUID } from 'node:crypto';
import {
  aBackend,
  type Answer,
  BackendClient,
  type TestBackend,
  type TestState,
} from '../support/backend.js';

interface DocumentResource {
  module?: string;
  mode?: string;
  type: string;
  name: string;
  provider?: string;
  instances: Record<string, unknown>[];
}

const AWS = 'provider["registry.terraform.io/hashicorp/aws"]';

function documentOf(resources: DocumentResource[], outputs: Record<string, unknown> = {}): Buffer {
  const document = {
    version: 4,
    terraform_version: '1.11.4',
    serial: 1,
    lineage: randomUUID(),
    outputs,
    resources: resources.map(({ mode = 'managed', provider = AWS, module, ...rest }) => ({
      ...(module === undefined ? {} : { module }),
      mode,
      provider,
      ...rest,
    })),
    check_results: null,
  };
  return Buffer.from(`${JSON.stringify(document, null, 2)}\n`);
}

const NET = 'module.net["a"]';
const ESTATE: DocumentResource[] = [
  {
    module: NET,
    type: 'aws_vpc',
    name: 'main',
    instances: [
      {
        schema_version: 1,
        attributes: { id: 'vpc-1', tags: { Name: 'core net', 'kubernetes.io/role': 'x' } },
      },
    ],
  },
  {
    module: NET,
    type: 'aws_subnet',
    name: 'private',
    instances: [0, 1].map((index_key) => ({
      index_key,
      schema_version: 1,
      attributes: {
        id: `subnet-${index_key}`,
        size: 12345678901234567890n.toString(),
        public: index_key === 1,
      },
      dependencies: ['module.net.aws_vpc.main'],
    })),
  },
  {
    type: 'aws_instance',
    name: 'web',
    instances: [
      {
        index_key: 'a/b "c"',
        status: 'tainted',
        schema_version: 2,
        create_before_destroy: true,
        attributes: { id: 'i-1', password: 'hunter2', size: 't3.large' },
        sensitive_attributes: [[{ type: 'get_attr', value: 'password' }]],
        dependencies: ['module.net.aws_subnet.private', 'module.net.aws_vpc.main'],
      },
      { deposed: 'deadbeef', schema_version: 2, attributes: { id: 'i-0' }, index_key: 'a/b "c"' },
    ],
  },
  {
    mode: 'data',
    type: 'aws_region',
    name: 'here',
    instances: [{ schema_version: 0, attributes: { id: 'eu' } }],
  },
];

const WEB = 'aws_instance.web["a/b \\"c\\""]';

describe('The graph of a state', () => {
  let backend: TestBackend;
  let state: TestState;

  beforeAll(async () => {
    backend = await aBackend();
    state = await written(ESTATE);
  });
  afterAll(() => backend.stop());

  async function written(resources: DocumentResource[], values: Parameters<TestBackend['aState']>[0] = {}) {
    const created = await backend.aState(values);
    const client = new BackendClient(created.address, backend.key);
    expect((await client.post(documentOf(resources))).status).toBe(200);
    client.close();
    return created;
  }

  async function get(path: string): Promise<Record<string, unknown>> {
    const answer = await backend.api('GET', path);
    expect(answer.bytes.toString().slice(0, answer.status === 200 ? 0 : 300)).toBe('');
    return answer.json() as Record<string, unknown>;
  }

  const of = (path: string) => `/states/${state.id}/${path}`;

  async function addresses(q: string, extra = ''): Promise<string[]> {
    const body = await get(of(`instances?q=${encodeURIComponent(q)}${extra}`));
    return (body['results'] as { address: string }[]).map((row) => row.address);
  }

  it('lists instances with everything that is known of them', async () => {
    const { results } = await get(of('instances'));
    const web = {
      type: 'aws_instance',
      provider: 'registry.terraform.io/hashicorp/aws',
      module: null,
      resource_address: 'aws_instance.web',
      mode: 'managed',
      name: 'web',
      index_key: 'a/b "c"',
      address: WEB,
      schema_version: 2,
    };
    const live = {
      ...web,
      status: 'tainted',
      create_before_destroy: true,
      sensitive_attributes: [[{ type: 'get_attr', value: 'password' }]],
      attributes: { id: 'i-1', password: '(sensitive value)', size: 't3.large' },
      dependencies: [`${NET}.aws_subnet.private[0]`, `${NET}.aws_subnet.private[1]`],
    };
    const old = {
      ...web,
      deposed: 'deadbeef',
      create_before_destroy: false,
      attributes: { id: 'i-0' },
      dependencies: [],
    };
    const rows = results as Record<string, unknown>[];
    expect(rows.length).toBe(6);
    expect(rows.filter((row) => row['address'] === WEB)).toEqual(expect.arrayContaining([live, old]));
    expect(rows.find((row) => row['address'] === `${NET}.aws_subnet.private[1]`)).toEqual({
      type: 'aws_subnet',
      provider: 'registry.terraform.io/hashicorp/aws',
      module: NET,
      resource_address: `${NET}.aws_subnet.private`,
      mode: 'managed',
      name: 'private',
      index_key: 1,
      address: `${NET}.aws_subnet.private[1]`,
      schema_version: 1,
      create_before_destroy: false,
      attributes: { id: 'subnet-1', size: '12345678901234567890', public: true },
      dependencies: [`${NET}.aws_vpc.main`],
    });
  });

  it('keeps every digit of a number', async () => {
    const attributes = '{"big":12345678901234567890,"small":1.00000000000000000001}';
    const document = documentOf([{ type: 'aws_vpc', name: 'n', instances: [{ attributes: { mark: 1 } }] }])
      .toString()
      .replace(/\{\s*"mark": 1\s*\}/, attributes);
    const numbers = await backend.aState();
    const client = new BackendClient(numbers.address, backend.key);
    expect((await client.post(Buffer.from(document))).status).toBe(200);
    client.close();
    const text = (await backend.api('GET', `/states/${numbers.id}/instances`)).bytes.toString();
    expect(text).toContain('"big": 12345678901234567890');
    expect(text).toContain('"small": 1.00000000000000000001');
  });

  it.each([
    ['type:aws_vpc', [`${NET}.aws_vpc.main`]],
    ['type:aws_v', []],
    ['type:aws_v*', [`${NET}.aws_vpc.main`]],
    ['type:*_region', ['data.aws_region.here']],
    [`module:${NET}  type:aws_subnet`, [`${NET}.aws_subnet.private[0]`, `${NET}.aws_subnet.private[1]`]],
    ['module:root type:aws_region', ['data.aws_region.here']],
    ['provider:registry.terraform.io/hashicorp/aws type:aws_vpc', [`${NET}.aws_vpc.main`]],
    ['provider:*/google', []],
    [`address:"${WEB.replace(/["\\]/g, '\\$&')}"`, [WEB, WEB]],
    ['address:module.net*[1]', [`${NET}.aws_subnet.private[1]`]],
    ['resource_address:aws_instance.web', [WEB, WEB]],
    ['attr:id:vpc-1', [`${NET}.aws_vpc.main`]],
    ['attr:tags.Name:"core net"', [`${NET}.aws_vpc.main`]],
    ['attr:tags.kubernetes.io/role:x', [`${NET}.aws_vpc.main`]],
    ['attr:public:true', [`${NET}.aws_subnet.private[1]`]],
    ['attr:size:t3.* type:aws_instance', [WEB]],
    ['attr:password:hunter2', []],
    ['attr:id:"%"', []],
  ])('answers q=%s', async (q, expected) => {
    expect(await addresses(q)).toEqual(expected);
  });

  it.each(['color:red', 'type', 'type:"x', 'attr:x', '\0'])('refuses q=%j', async (q) => {
    const answer = await backend.api('GET', of(`instances?q=${encodeURIComponent(q)}`));
    expect([answer.status, answer.json()]).toEqual([
      400,
      { id: 'INVALID_REQUEST', data: expect.any(String) as string },
    ]);
  });

  it('pages without losing or repeating a row', async () => {
    const all = await addresses('');
    const seen: string[] = [];
    let path: string | undefined = of('instances?limit=1&tz=UTC');
    while (path) {
      const answer: Answer = await backend.api('GET', path);
      const body = answer.json() as { results: { address: string }[]; next_page?: string };
      expect(body.results.length).toBe(1);
      seen.push(...body.results.map((row) => row.address));
      const link: string | undefined = /<[^>]*\/api\/v1([^>]*)>; rel="next"/.exec(
        String(answer.headers['link']),
      )?.[1];
      expect(link === undefined).toBe(body.next_page === undefined);
      path = link;
    }
    expect(seen).toEqual(all);
    expect(all).toEqual([...all].sort());
  });

  it.each(['page=nonsense', 'limit=0', 'limit=x', `page=${Buffer.from('["a","b"]').toString('base64url')}`])(
    'refuses %s',
    async (query) => {
      expect((await backend.api('GET', of(`instances?${query}`))).status).toBe(400);
    },
  );

  it('tells what depends on an instance, with distances', async () => {
    const seed = `${NET}.aws_vpc.main`;
    const body = await get(of(`instances/${encodeURIComponent(seed)}/blast-radius`));
    const shared = { state_id: state.id, state_name: state.name };
    expect(body).toEqual({
      results: [
        { address: seed, resource_address: seed, direction: 'seed', distance: 0, ...shared },
        ...[0, 1].map((index) => ({
          address: `${NET}.aws_subnet.private[${index}]`,
          resource_address: `${NET}.aws_subnet.private`,
          direction: 'blast',
          distance: 1,
          index,
          ...shared,
        })),
        {
          address: WEB,
          resource_address: 'aws_instance.web',
          direction: 'blast',
          distance: 2,
          index: 'a/b "c"',
          ...shared,
        },
      ],
      reached_states: 1,
      reached_instances: 4,
      hidden_states: 0,
      hidden_instances: 0,
    });
  });

  it('names only the nearest when asked to, and counts all', async () => {
    const seed = encodeURIComponent(`${NET}.aws_vpc.main`);
    const body = await get(of(`instances/${seed}/blast-radius?limit=2`));
    expect((body['results'] as { distance: number }[]).map((entry) => entry.distance)).toEqual([0, 1]);
    expect([body['reached_states'], body['reached_instances']]).toEqual([1, 4]);
    const refused = await backend.api('GET', of(`instances/${seed}/blast-radius?limit=0`));
    expect(refused.status).toBe(400);
  });

  it('takes slashes and quotes in an address, and knows what is not there', async () => {
    const body = await get(of(`instances/${encodeURIComponent(WEB)}/blast-radius`));
    expect((body['results'] as unknown[]).length).toBe(1);
    const missing = await backend.api('GET', of('instances/aws_vpc.none/blast-radius'));
    expect([missing.status, (missing.json() as { id: string }).id]).toEqual([404, 'INSTANCE_NOT_FOUND']);
  });

  it('counts modules, resources and types', async () => {
    expect(await get(of('modules'))).toEqual({
      results: [
        { name: NET, resource_count: 2, instance_count: 3 },
        { name: 'root', resource_count: 2, instance_count: 3 },
      ],
    });
    expect(await get(of('summary'))).toEqual({
      instances: 6,
      resources: 4,
      modules: 2,
      providers: 1,
      edges: 4,
    });
    expect(await get(of('resources/summary'))).toEqual({
      aws_vpc: { instances: 1 },
      aws_subnet: { instances: 2 },
      aws_instance: { instances: 2 },
      aws_region: { instances: 1 },
    });
  });

  it('comes back after a document that names an instance twice, from chunks that were stored with it', async () => {
    const many = Array.from({ length: 300 }, (_, i) => ({
      type: 'aws_instance',
      name: `n${i}`,
      instances: [{ schema_version: 1, attributes: { id: `i-${i}`, user_data: randomUUID().repeat(40) } }],
    }));
    const created = await backend.aState();
    const client = new BackendClient(created.address, backend.key);
    const send = async (resources: DocumentResource[], serial: number) => {
      const document = {
        ...(JSON.parse(documentOf(resources).toString()) as object),
        serial,
        lineage: 'same',
      };
      const answer = await client.post(Buffer.from(`${JSON.stringify(document, null, 2)}\n`));
      expect(answer.status).toBe(200);
    };
    await send([...many, ...many.slice(-1)], 1);
    expect((await get(`/states/${created.id}`))['graph_error']).toMatch(/more than once/);
    expect((await get(`/states/${created.id}/summary`))['instances']).toBe(0);
    await send(many, 2);
    client.close();
    expect((await get(`/states/${created.id}`))['graph_error']).toBeUndefined();
    expect((await get(`/states/${created.id}/summary`))['instances']).toBe(300);
    expect(((await get(`/states/${created.id}/instances?limit=1000`))['results'] as unknown[]).length).toBe(
      300,
    );
  });

  it('is empty for a state that was never written', async () => {
    const { id } = await backend.aState();
    expect(await get(`/states/${id}/instances`)).toEqual({ results: [] });
    expect(await get(`/states/${id}/modules`)).toEqual({ results: [] });
    expect(await get(`/states/${id}/resources/summary`)).toEqual({});
    const none = { instances: 0, resources: 0, modules: 0, providers: 0, edges: 0 };
    expect(await get(`/states/${id}/summary`)).toEqual(none);
    expect((await get(`/tenants/${backend.tenantId}/summary?state_id=${id}`))['total_states']).toBe(1);
  });

  it('adds up to the summary of its tenant', async () => {
    const tenant = await backend.aTenant();
    const one = await written(ESTATE, { tenant_id: tenant, name: 'one' });
    const two = await written(ESTATE.slice(0, 2), { tenant_id: tenant, name: 'two' });
    await backend.aState({ tenant_id: tenant, name: 'three' });
    const provider = 'registry.terraform.io/hashicorp/aws';
    expect(await get(`/tenants/${tenant}/summary`)).toEqual({
      total_states: 3,
      total_resources: 6,
      total_instances: 9,
      total_edges: 6,
      total_providers: 1,
      total_modules: 3,
      top_resource_type: 'aws_subnet',
      top_resource_type_count: 4,
      largest_module: NET,
      largest_module_resource_count: 2,
      most_deployed_module: NET,
      most_deployed_module_instance_count: 3,
      dependency_hotspot_address: `${NET}.aws_vpc.main`,
      dependency_hotspot_refs: 2,
      graph_roots: 2,
      graph_leaves: 3,
      orphaned_count: 2,
      orphaned_by_state: [{ state_name: 'one', count: 2 }],
      orphaned_top: [
        { address: 'data.aws_region.here', state_name: 'one' },
        { address: WEB, state_name: 'one' },
      ],
      provider_distribution: [{ provider, instances: 9 }],
      resource_type_distribution: [
        { type: 'aws_subnet', instances: 4 },
        { type: 'aws_instance', instances: 2 },
        { type: 'aws_vpc', instances: 2 },
        { type: 'aws_region', instances: 1 },
      ],
    });
    expect(await get(`/tenants/${tenant}/summary?state_id=${two.id}`)).toMatchObject({
      total_states: 1,
      total_instances: 3,
      orphaned_count: 0,
    });
    const row = (type: string, resource_count: number, instance_count: number) => ({
      state_id: two.id,
      state_name: 'two',
      type,
      resource_count,
      instance_count,
    });
    expect(await get(`/tenants/${tenant}/resource-types?state_id=${two.id}`)).toEqual({
      resource_types: [row('aws_subnet', 1, 2), row('aws_vpc', 1, 1)],
      total_resources: 2,
      total_instances: 3,
    });
    expect(await get(`/tenants/${tenant}/resource-types`)).toMatchObject({
      total_resources: 6,
      total_instances: 9,
    });
    // What was told before a write is not told after it.
    const client = new BackendClient(two.address, backend.key);
    const current = (await client.get()).json() as { serial: number };
    const emptied = { ...current, serial: current.serial + 1, resources: [] };
    expect((await client.post(JSON.stringify(emptied))).status).toBe(200);
    client.close();
    expect(await get(`/tenants/${tenant}/summary`)).toMatchObject({ total_states: 3, total_instances: 6 });
    for (const path of ['summary', 'resource-types']) {
      const foreign = await backend.api('GET', `/tenants/${tenant}/${path}?state_id=${state.id}`);
      expect([foreign.status, (foreign.json() as { id: string }).id]).toEqual([404, 'STATE_NOT_FOUND']);
      expect((await backend.api('GET', `/tenants/${tenant}/${path}?state_id=x`)).status).toBe(400);
      expect((await backend.api('GET', `/tenants/${tenant}/${path}?state_id=${one.id}`)).status).toBe(200);
    }
  });

  it('shows itself to members only, and to strangers as missing', async () => {
    const tenant = await backend.aTenant();
    const member = await backend.aUser();
    const foreign = await written(ESTATE, { tenant_id: await backend.aTenant() });
    const seed = encodeURIComponent(`${NET}.aws_vpc.main`);
    const paths = (id: string) =>
      ['instances', `instances/${seed}/blast-radius`, 'modules', 'summary', 'resources/summary'].map(
        (path) => `/states/${id}/${path}`,
      );
    const statuses = (list: string[], key: string | undefined) =>
      Promise.all(list.map(async (path) => (await backend.api('GET', path, { key })).status));
    const all = (status: number) => paths('').map(() => status);
    expect(await statuses(paths(foreign.id), undefined)).toEqual(all(401));
    expect(await statuses(paths(foreign.id), member.key)).toEqual(all(404));
    expect(await statuses(paths(randomUUID()), member.key)).toEqual(all(404));
    expect(await statuses(paths(state.id), member.key)).toEqual(all(200));
    expect(await statuses(paths(foreign.id), backend.key)).toEqual(all(200));
    const summaries = [`/tenants/${tenant}/summary`, `/tenants/${tenant}/resource-types`];
    expect(await statuses(summaries, undefined)).toEqual([401, 401]);
    expect(await statuses(summaries, member.key)).toEqual([200, 200]);
    const other = (await written([], { tenant_id: await backend.aTenant() })).id;
    expect(await statuses([`/states/${other}/summary`], member.key)).toEqual([404]);
  });
});
