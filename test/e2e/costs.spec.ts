import { aBackend, type TestBackend } from '../support/backend.js';
import { aServer, costsOf, FREE, type StateCosts, UNKNOWN } from '../support/costs.js';
import { EstateWriter, eventually } from '../support/estate.js';
import { actWhileBlocked } from '../support/held-lock.js';
import { childrenOf } from '../support/processes.js';
import { freePort, type RunningService, startService } from '../support/service.js';

const ON = { SERVICE_COST_ENABLED: 'true' };
const NOBODY = '11111111-1111-4111-8111-111111111111';

describe('Costs of states', () => {
  let backend: TestBackend;
  let worker: RunningService;
  let costPort: number;
  beforeAll(async () => {
    costPort = await freePort();
    backend = await aBackend({ env: { ...ON, SERVICE_COST_PORT: String(costPort) } });
    worker = await startService({ role: 'worker', database: backend.service.database, env: ON });
  });
  afterAll(async () => {
    await worker.stop();
    await backend.stop();
  });

  const json = async (method: string, path: string, body?: unknown): Promise<unknown> =>
    (await backend.api(method, path, body === undefined ? {} : { body })).json();

  async function ended(taskId: string): Promise<unknown> {
    await eventually('task', async () => {
      const { state } = (await json('GET', `/tasks/${taskId}`)) as { state: string };
      return state === 'completed' ? true : undefined;
    });
    return json('GET', `/tasks/${taskId}/result`);
  }

  it('follow every write, and name what is not priced', async () => {
    const writer = new EstateWriter(backend, await backend.aState());
    const { id } = writer.state;
    expect((await backend.api('GET', `/states/${id}/costs`)).json()).toMatchObject({ id: 'COSTS_NOT_FOUND' });
    expect((await backend.api('GET', `/states/${id}/costs/unsupported`)).status).toBe(404);
    await writer.write([aServer('web'), aServer('odd', { instance_type: 'z9.huge' }), FREE, UNKNOWN]);
    const costs = await costsOf(backend, id, () => true);
    expect(costs).toMatchObject({
      source: 'estimate',
      triggered_by: 'backend_write',
      currency: 'USD',
      resource_count: 4,
      supported_count: 3,
      priced_count: 1,
      coverage_percent: 33.33,
    });
    const byAddress = new Map(costs.instance_costs.map((row) => [row.address, row]));
    expect([...byAddress.keys()]).toEqual([
      'aws_iam_role.task',
      'aws_instance.odd',
      'aws_instance.web',
      'fancycloud_thing.x',
    ]);
    expect(byAddress.get('aws_instance.web')).toMatchObject({
      supported: true,
      no_price: false,
      provider: 'aws',
      region: 'us-east-1',
      cloud_resource_id: 'arn:aws:ec2:us-east-1:123456789012:instance/i-web',
      tags: { team: 'core', Name: 'web' },
      monthly_cost: '70.88',
    });
    const { resources } = (await json('GET', `/states/${id}/costs/unsupported`)) as {
      resources: { address: string; supported: boolean; no_price: boolean; reason: string }[];
    };
    expect(resources).toMatchObject([
      { address: 'aws_iam_role.task', supported: true, no_price: true },
      { address: 'aws_instance.odd', supported: true, no_price: false },
      { address: 'fancycloud_thing.x', supported: false, no_price: false },
    ]);

    await writer.write([aServer('web'), aServer('two', { instance_type: 'm5.large' }), FREE]);
    const after = await costsOf(backend, id, ({ resource_count: count }) => count === 3);
    expect(after).toMatchObject({ monthly_cost: '141.76', coverage_percent: 100 });
    await writer.write([]);
    const empty = await costsOf(backend, id, ({ resource_count: count }) => count === 0);
    expect(empty).toMatchObject({ monthly_cost: '0.00', coverage_percent: 100, instance_costs: [] });
  });

  it('are paged by address', async () => {
    const writer = new EstateWriter(backend, await backend.aState());
    await writer.write(['a', 'b', 'c', 'd', 'e'].map((name) => aServer(name)));
    await costsOf(backend, writer.state.id, ({ resource_count: count }) => count === 5);
    const seen: string[] = [];
    let page: string | undefined;
    do {
      const query: string = page === undefined ? '' : `&page=${page}`;
      const answer = await backend.api('GET', `/states/${writer.state.id}/costs?limit=2${query}`);
      const costs = answer.json() as StateCosts;
      seen.push(...costs.instance_costs.map(({ address }) => address));
      page = costs.next_page;
      expect(answer.headers['link'] === undefined).toBe(page === undefined);
    } while (page !== undefined);
    expect(seen).toEqual(['a', 'b', 'c', 'd', 'e'].map((name) => `aws_instance.${name}`));
    for (const bad of ['page=x', 'limit=0', 'limit=x'])
      expect((await backend.api('GET', `/states/${writer.state.id}/costs?${bad}`)).status).toBe(400);
  });

  it('are calculated on demand, once for requests that wait', async () => {
    const state = await backend.aState();
    const calculate = async () => {
      const answer = await backend.api('POST', `/states/${state.id}/costs/calculate`);
      return [answer.status, (answer.json() as { id: string }).id] as const;
    };
    let together: (readonly [number, string])[] = [];
    let later: readonly [number, string] | undefined;
    // The worker needs the state's row, so no task can end before the last request is answered.
    await actWhileBlocked(
      backend.service.pool,
      { text: 'SELECT FROM states WHERE id = $1 FOR UPDATE', values: [state.id] },
      {
        begin: async () => {
          together = await Promise.all([calculate(), calculate()]);
        },
        act: async () => {
          later = await calculate();
        },
      },
    );
    const [[, taskId] = [0, '']] = together;
    expect([...together, later]).toEqual([
      [202, taskId],
      [202, taskId],
      [202, taskId],
    ]);
    const result = (await ended(taskId)) as { snapshot_id: string };
    const costs = await costsOf(backend, state.id, () => true);
    expect(costs).toMatchObject({
      snapshot_id: result.snapshot_id,
      triggered_by: 'manual',
      resource_count: 0,
    });
  });

  it('follow what a launch template that an instance names says', async () => {
    const writer = new EstateWriter(backend, await backend.aState());
    const template = (type: string) => ({
      type: 'aws_launch_template',
      name: 'main',
      attributes: {
        id: 'lt-1',
        name: 'main',
        arn: 'arn:aws:ec2:us-east-1:123456789012:launch-template/lt-1',
        instance_type: type,
      },
    });
    const group = {
      type: 'aws_autoscaling_group',
      name: 'web',
      attributes: {
        id: 'web',
        name: 'web',
        arn: 'arn:aws:autoscaling:us-east-1:123456789012:autoScalingGroup:1:autoScalingGroupName/web',
        desired_capacity: 2,
        launch_template: [{ id: 'lt-1', name: 'main', version: '$Latest' }],
      },
    };
    await writer.write([template('m5.large'), group]);
    const before = await costsOf(backend, writer.state.id, ({ resource_count: count }) => count === 2);
    await writer.write([template('m5.xlarge'), group]);
    const after = await costsOf(backend, writer.state.id, ({ snapshot_id: id }) => id !== before.snapshot_id);
    const monthly = ({ monthly_cost: cost }: StateCosts): number => Number(cost);
    expect(monthly(before)).toBeGreaterThan(140);
    expect(monthly(after)).toBeGreaterThan(280);
  });

  it('count components that depend on use with the usage of the state over that of the tenant', async () => {
    const writer = new EstateWriter(backend, await backend.aState());
    const { id } = writer.state;
    const lambda = {
      type: 'aws_lambda_function',
      name: 'f',
      attributes: { id: 'f', arn: 'arn:aws:lambda:us-east-1:123456789012:function:f', memory_size: 128 },
    };
    await writer.write([lambda]);
    const bare = await costsOf(backend, id, () => true);
    expect(bare.instance_costs[0]?.components.some(({ gap }) => gap === 'no_usage')).toBe(true);
    const usage = (requests: unknown) => ({
      resource_usage: { 'aws_lambda_function.f': { monthly_requests: requests } },
    });
    const saved = await backend.api('PUT', `/states/${id}/costs/usage`, { body: usage(10_000_000) });
    expect([saved.status, saved.json()]).toEqual([200, usage(10_000_000)]);
    const used = await costsOf(backend, id, ({ monthly_cost: cost }) => cost === '2.00');
    expect(used.triggered_by).toBe('manual');
    const shared = { resource_type_default_usage: { aws_lambda_function: { monthly_requests: 5_000_000 } } };
    expect(
      (await backend.api('PUT', `/tenants/${backend.tenantId}/costs/usage`, { body: shared })).status,
    ).toBe(200);
    expect((await backend.api('DELETE', `/states/${id}/costs/usage`)).status).toBe(204);
    await costsOf(backend, id, ({ monthly_cost: cost }) => cost === '1.00');
    expect((await backend.api('DELETE', `/tenants/${backend.tenantId}/costs/usage`)).status).toBe(204);
    await costsOf(backend, id, ({ monthly_cost: cost }) => cost === '0.00');
    expect(await json('GET', `/states/${id}/costs/usage`)).toEqual({});
    for (const bad of [usage('many'), usage(-1), { resource_usage: 7 }, []]) {
      const refused = await backend.api('PUT', `/states/${id}/costs/usage`, { body: bad });
      expect([refused.status, (refused.json() as { id: string }).id]).toEqual([400, 'INVALID_REQUEST']);
    }
  });

  it('add up over the states of a tenant, by provider, type and tag, and over time', async () => {
    const tenantId = await backend.aTenant();
    const one = new EstateWriter(backend, await backend.aState({ tenant_id: tenantId, name: 'one' }));
    const two = new EstateWriter(backend, await backend.aState({ tenant_id: tenantId, name: 'two' }));
    const costs = `/tenants/${tenantId}/costs`;
    expect(await json('GET', costs)).toEqual({
      ...{ resource_count: 0, supported_count: 0, priced_count: 0, coverage_percent: 100 },
      ...{ by_provider: [], by_type: [], by_tag: [], states: [] },
    });
    await one.write([aServer('a'), aServer('b', { tags: { team: 'data' } }), FREE]);
    await two.write([aServer('c', { tags: {} })]);
    await costsOf(backend, one.state.id, ({ resource_count: count }) => count === 3);
    await costsOf(backend, two.state.id, ({ resource_count: count }) => count === 1);
    expect(await json('GET', `${costs}?tag_key=team`)).toEqual({
      ...{ resource_count: 4, supported_count: 4, priced_count: 3, coverage_percent: 100 },
      ...{ currency: 'USD', monthly_cost: '212.64', hourly_cost: '0.291287671233' },
      by_provider: [
        { name: 'aws', resource_count: 4, monthly_cost: '212.64', hourly_cost: '0.291287671233' },
      ],
      by_type: [
        { name: 'aws_instance', resource_count: 3, monthly_cost: '212.64', hourly_cost: '0.291287671233' },
        { name: 'aws_iam_role', resource_count: 1, monthly_cost: '0.00', hourly_cost: '0.00' },
      ],
      by_tag: [
        { name: 'core', resource_count: 2, monthly_cost: '70.88', hourly_cost: '0.097095890411' },
        { name: 'data', resource_count: 1, monthly_cost: '70.88', hourly_cost: '0.097095890411' },
        { name: 'untagged', resource_count: 1, monthly_cost: '70.88', hourly_cost: '0.097095890411' },
      ],
      states: [
        expect.objectContaining({ state_name: 'one', monthly_cost: '141.76', resource_count: 3 }),
        expect.objectContaining({ state_name: 'two', monthly_cost: '70.88', coverage_percent: 100 }),
      ],
    });
    expect(await json('GET', `${costs}?currency=EUR`)).toMatchObject({
      ...{ currency: 'EUR', monthly_cost: '0.00' },
      other_currencies: [{ currency: 'USD', monthly_cost: '212.64' }],
    });
    expect(await json('GET', `${costs}/tag-keys`)).toEqual({ tag_keys: ['Name', 'team'] });
    const { points } = (await json('GET', `${costs}/history?group_by=tag&tag_key=team`)) as {
      points: { date: string; monthly_cost?: string; groups: { name: string; monthly_cost: string }[] }[];
    };
    expect(points).toHaveLength(30);
    expect(points[0]).toEqual({ date: expect.any(String) as string, groups: [] });
    expect(points.at(-1)).toMatchObject({
      date: new Date().toISOString().slice(0, 10),
      monthly_cost: '212.64',
      groups: [
        { name: 'core', monthly_cost: '70.88' },
        { name: 'data', monthly_cost: '70.88' },
        { name: 'untagged', monthly_cost: '70.88' },
      ],
    });
  });

  it('refuse malformed questions', async () => {
    const costs = `/tenants/${backend.tenantId}/costs`;
    const refusal = async (query: string): Promise<unknown> => {
      const answer = await backend.api('GET', `${costs}${query}`);
      return [answer.status, (answer.json() as { id: string }).id];
    };
    for (const date of ['2026-01-01', '', '2026-01-01T00:00:00', '2026-02-30T00:00:00Z', 'x'])
      for (const name of ['from', 'to'])
        expect([date, await refusal(`/history?${name}=${date}`)]).toEqual([
          date,
          [400, 'INVALID_DATE_PARAM'],
        ]);
    expect(await refusal('/history?from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z')).toEqual([
      400,
      'INVALID_DATE_PARAM',
    ]);
    expect(await refusal('/history?from=2020-02-01T00:00:00Z')).toEqual([400, 'INVALID_DATE_PARAM']);
    for (const group of ['group_by=', 'group_by=state', 'group_by=tag', 'group_by=tag&tag_key='])
      expect([group, await refusal(`/history?${group}`)]).toEqual([group, [400, 'INVALID_GROUP_BY']]);
    for (const path of ['?currency=usd', '?currency=', '/history?currency=EURO'])
      expect([path, await refusal(path)]).toEqual([path, [400, 'INVALID_REQUEST']]);
  });

  it('let members read, and those change usage who may', async () => {
    const writer = new EstateWriter(backend, await backend.aState());
    await writer.write([aServer('web')]);
    await costsOf(backend, writer.state.id, () => true);
    const member = await backend.aUser();
    const stranger = await backend.aUser();
    await backend.service.pool.query('DELETE FROM tenant_members WHERE user_id = $1', [stranger.id]);
    const reader = await backend.aKey({}, member.session);
    const status = async (method: string, path: string, key: string | undefined): Promise<number> =>
      (await backend.api(method, path, { key, ...(method === 'PUT' ? { body: {} } : {}) })).status;
    const [state, tenant] = [`/states/${writer.state.id}/costs`, `/tenants/${backend.tenantId}/costs`];
    const reads = ['', '/unsupported', '/usage', '/actuals'].map((path) => state + path);
    for (const path of [...reads, ...['', '/history', '/tag-keys', '/usage'].map((each) => tenant + each)])
      expect([
        path,
        await status('GET', path, undefined),
        await status('GET', path, stranger.key),
        await status('GET', path, reader),
      ]).toEqual([path, 401, 404, 200]);
    expect([
      await status('POST', `${state}/calculate`, undefined),
      await status('POST', `${state}/calculate`, stranger.key),
      await status('POST', `${state}/calculate`, reader),
    ]).toEqual([401, 404, 202]);
    for (const [path, mayMember] of [
      [`${state}/usage`, true],
      [`${tenant}/usage`, false],
    ] as const)
      expect([
        path,
        await status('PUT', path, undefined),
        await status('PUT', path, stranger.key),
        await status('PUT', path, reader),
        await status('PUT', path, member.key),
        await status('PUT', path, backend.key),
        await status('DELETE', path, reader),
        await status('DELETE', path, backend.key),
      ]).toEqual([path, 401, 404, 403, mayMember ? 200 : 403, 200, 403, 204]);
    expect(await status('GET', `/states/${NOBODY}/costs`, backend.key)).toBe(404);
  });

  it('say whether a price book is loaded on a port of their own', async () => {
    const ready = await fetch(`http://127.0.0.1:${costPort}/readyz`);
    expect(ready.status).toBe(200);
    expect(await ready.json()).toEqual({
      status: 'ready',
      version: expect.any(String) as string,
      generated_at: expect.any(String) as string,
      prices: expect.any(Number) as number,
    });
    expect((await fetch(`http://127.0.0.1:${costPort}/other`)).status).toBe(404);
    const metrics = await (await fetch(`${worker.internalUrl}/metrics`)).text();
    expect(metrics).toMatch(/cost_price_book_prices [1-9]/);
    expect(metrics).toMatch(/cost_pricing_duration_seconds_count\{scope="whole"\} [1-9]/);
    expect(metrics).toContain('cost_unpriced_resources_total{type="other",reason="unknown_type"}');
  });
});

describe('Costs while estimation is off', () => {
  let backend: TestBackend;
  let worker: RunningService;
  let ports: { api: string; worker: string };
  beforeAll(async () => {
    ports = { api: String(await freePort()), worker: String(await freePort()) };
    backend = await aBackend({ env: { SERVICE_COST_PORT: ports.api } });
    worker = await startService({
      role: 'worker',
      database: backend.service.database,
      env: { SERVICE_COST_PORT: ports.worker },
    });
  });
  afterAll(async () => {
    await worker.stop();
    await backend.stop();
  });

  it('open no port, and start no process', async () => {
    const writer = new EstateWriter(backend, await backend.aState());
    await writer.write([aServer('web')]);
    const source = await backend.api('POST', `/tenants/${backend.tenantId}/billing-sources`, {
      body: { provider: 'aws', source_uri: 's3://bills/*' },
    });
    expect(source.status).toBe(201);
    const { id } = source.json() as { id: string };
    const sync = `/tenants/${backend.tenantId}/billing-sources/${id}/sync`;
    expect((await backend.api('POST', sync, { body: {} })).status).toBe(503);
    for (const port of Object.values(ports))
      await expect(fetch(`http://127.0.0.1:${port}/readyz`)).rejects.toMatchObject({
        cause: { code: 'ECONNREFUSED' },
      });
    for (const service of [backend.service, worker]) expect(childrenOf(service.process.pid ?? 0)).toEqual([]);
    const { rows } = await backend.service.pool.query(
      `SELECT (SELECT count(*)::int FROM cost_states) AS states, (SELECT count(*)::int FROM cost_items) AS items,
         (SELECT count(*)::int FROM tasks WHERE kind LIKE 'cost%' OR kind LIKE 'billing%') AS tasks`,
    );
    expect(rows).toEqual([{ states: 0, items: 0, tasks: 0 }]);
  });

  it('refuse what would start work, show what is stored, and price it once they are on', async () => {
    const writer = new EstateWriter(backend, await backend.aState());
    await writer.write([aServer('web')]);
    const { id } = writer.state;
    const calculate = async (key: string | undefined) => {
      const answer = await backend.api('POST', `/states/${NOBODY}/costs/calculate`, { key });
      return [answer.status, (answer.json() as { id: string }).id];
    };
    expect(await calculate(undefined)).toEqual([401, 'UNAUTHENTICATED']);
    expect(await calculate(backend.key)).toEqual([503, 'COST_DISABLED']);
    const costless = await backend.api('GET', `/states/${id}/costs`);
    expect([costless.status, costless.json()]).toEqual([
      404,
      {
        id: 'COSTS_NOT_FOUND',
        data: 'the state has no cost estimate, and cost estimation is switched off on this server',
      },
    ]);
    expect((await backend.api('GET', `/states/${id}/costs/actuals`)).status).toBe(200);
    expect((await backend.api('GET', `/tenants/${backend.tenantId}/costs/history`)).status).toBe(200);
    // A new user is a member of the tenants that exist by then.
    const stranger = await backend.aUser();
    const session = await backend.api('POST', '/tx/session/create', {
      body: { tenant_id: await backend.aTenant() },
    });
    const { tx } = session.json() as { tx: { id: string } };
    const delta = async (key: string | undefined) => {
      const answer = await backend.api('GET', `/tx/${tx.id}/costs`, { key });
      return [answer.status, (answer.json() as { id: string }).id];
    };
    expect(await delta(stranger.key)).toEqual([401, 'UNAUTHENTICATED']);
    expect(await delta(backend.key)).toEqual([503, 'COST_DISABLED']);
    expect((await backend.api('PUT', `/states/${id}/costs/usage`, { body: {} })).status).toBe(200);
    expect((await backend.api('GET', '/capabilities')).json()).toMatchObject({ costs: { enabled: false } });
    await worker.stop();
    const env = { ...ON, SERVICE_COST_PORT: ports.worker };
    worker = await startService({ role: 'worker', database: backend.service.database, env });
    const costs = await costsOf(backend, id, () => true);
    expect((await fetch(`http://127.0.0.1:${ports.worker}/readyz`)).status).toBe(200);
    expect(costs).toMatchObject({ monthly_cost: '70.88', priced_count: 1 });
  });
});
