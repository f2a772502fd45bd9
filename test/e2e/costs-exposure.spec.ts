import { aBackend } from '../support/backend.js';
import { aLine, BillingEstate, focusCsv } from '../support/billing.js';
import { aServer, costsOf, type StateCosts, UNKNOWN } from '../support/costs.js';
import { estateDocument, EstateWriter, eventually } from '../support/estate.js';
import { ask } from '../support/mql.js';
import { setInstance, TransactionClient } from '../support/transactions.js';

const ACCOUNT = '123456789012';
const TABLES = [
  'cost_items',
  'cost_links',
  'cost_snapshots',
  'cost_states',
  'cost_sums',
  'cost_changes',
  'cost_tag_changes',
  'cost_totals',
  'cost_wide_tags',
  'cost_plans',
  'billing_sources',
  'billing_rows',
  'billed_resources',
  'billed_resource_ids',
  'cloud_ids',
  'tasks',
];

describe('What costs and bills tell outside', () => {
  let estate: BillingEstate;
  beforeAll(async () => {
    estate = await BillingEstate.create((env) => aBackend({ env }));
  }, 120_000);
  afterAll(() => estate.stop());

  const metricsOf = async (url: string): Promise<string> => (await fetch(`${url}/metrics`)).text();
  const workerMetrics = (): Promise<string> => metricsOf(estate.worker.internalUrl);
  /** The value of one line of metrics; 0 while it is not there. */
  const valueIn = (text: string, line: string): number =>
    Number(
      text
        .split('\n')
        .find((each) => each.startsWith(`${line} `))
        ?.slice(line.length + 1) ?? 0,
    );

  describe('metrics', () => {
    it('say how far pricing is behind, and what has no price by type and reason', async () => {
      const lines = [
        'cost_pricing_lag_seconds_count',
        'cost_pricing_duration_seconds_count{scope="whole"}',
        'cost_pricing_duration_seconds_count{scope="changed"}',
        'cost_unpriced_resources_total{type="aws_instance",reason="unknown_attribute"}',
        'cost_unpriced_resources_total{type="aws_instance",reason="no_price"}',
        'cost_unpriced_resources_total{type="other",reason="unknown_type"}',
      ];
      const before = await workerMetrics();
      const writer = new EstateWriter(estate.backend, await estate.backend.aState());
      const { id } = writer.state;
      const begun = Date.now();
      const vague = aServer('vague', { instance_type: null });
      const exotic = aServer('exotic', { instance_type: 'z9.none' });
      await writer.write([aServer('web'), vague, exotic, UNKNOWN, { ...UNKNOWN, name: 'y' }]);
      const first = await costsOf(estate.backend, id, ({ resource_count: count }) => count === 5);
      // What was found incomplete before is not counted again.
      await writer.write([
        aServer('web'),
        aServer('more'),
        vague,
        exotic,
        UNKNOWN,
        { ...UNKNOWN, name: 'y' },
      ]);
      await costsOf(estate.backend, id, ({ snapshot_id: snapshot }) => snapshot !== first.snapshot_id);
      const after = await eventually('the metrics of both snapshots', async () => {
        const text = await workerMetrics();
        return valueIn(text, lines[0] ?? '') - valueIn(before, lines[0] ?? '') === 2 ? text : undefined;
      });
      expect(lines.map((line) => [line, valueIn(after, line) - valueIn(before, line)])).toEqual(
        lines.map((line, at) => [line, [2, 1, 1, 1, 1, 2][at]]),
      );
      const sum = 'cost_pricing_lag_seconds_sum';
      const lag = valueIn(after, sum) - valueIn(before, sum);
      expect(lag).toBeGreaterThan(0);
      expect(lag).toBeLessThanOrEqual((2 * (Date.now() - begun)) / 1000);
    });

    it('count syncs by outcome with their time, and lines', async () => {
      const before = await workerMetrics();
      const begun = Date.now();
      const line = (values: object) => aLine({ SubAccountId: ACCOUNT, BillingAccountId: ACCOUNT, ...values });
      const bill = focusCsv([line({}), line({ BilledCost: '2' }), line({ ResourceId: '' })]);
      expect((await estate.loaded(bill)).source).toMatchObject({ last_status: 'ok', last_row_count: 3 });
      expect((await estate.loaded('no bill')).source).toMatchObject({ last_status: 'error' });
      const after = await workerMetrics();
      const lines = [
        'billing_lines_total',
        'billing_sync_duration_seconds_count{outcome="ok"}',
        'billing_sync_duration_seconds_count{outcome="error"}',
      ];
      expect(lines.map((name) => valueIn(after, name) - valueIn(before, name))).toEqual([3, 1, 1]);
      for (const outcome of ['ok', 'error']) {
        const name = `billing_sync_duration_seconds_sum{outcome="${outcome}"}`;
        const seconds = valueIn(after, name) - valueIn(before, name);
        expect(seconds).toBeGreaterThan(0);
        expect(seconds).toBeLessThanOrEqual((Date.now() - begun) / 1000);
      }
    });

    it('name no account, tenant, state, address or file', async () => {
      const writer = new EstateWriter(estate.backend, await estate.backend.aState({ name: 'a-named-state' }));
      await writer.write([aServer('a-named-server')]);
      await costsOf(estate.backend, writer.state.id, () => true);
      const { tenantId, source } = await estate.loaded(focusCsv([aLine({ SubAccountId: ACCOUNT })]), {
        name: 'a-named-bill.csv',
      });
      const texts = [await workerMetrics(), await metricsOf(estate.backend.service.internalUrl)];
      for (const text of texts) {
        expect(text).toContain('cost_price_book_prices');
        for (const secret of [ACCOUNT, tenantId, source.id, writer.state.id, 'a-named', estate.folder.root])
          expect(text).not.toContain(secret);
      }
    });
  });

  it('takes a snapshot for an import, an applied transaction and a restored version', async () => {
    const { backend } = estate;
    const snapshotsOf = async (stateId: string) =>
      (
        await backend.service.pool.query<{ triggered_by: string; version: number; of_tx: boolean }>(
          `SELECT c.triggered_by, c.version, c.tx_id = v.tx_id AS of_tx FROM cost_snapshots c
           JOIN state_versions v ON v.state_id = c.state_id AND v.version = c.version WHERE c.state_id = $1 ORDER BY c.seq`,
          [stateId],
        )
      ).rows;
    const state = JSON.parse(estateDocument([aServer('web')]).toString()) as object;
    const imported = await backend.api('POST', `/tenants/${backend.tenantId}/states/import`, {
      body: { name: 'imported', state },
    });
    expect(imported.status).toBe(201);
    const { id } = imported.json() as { id: string };
    await costsOf(backend, id, ({ monthly_cost: cost }) => cost === '70.88');

    const client = new TransactionClient(backend);
    const txId = await client.create();
    const entry = setInstance(id, { address: 'aws_instance.logged', value: 1 });
    const attributes = aServer('logged', { instance_type: 'm5.xlarge' }).attributes ?? {};
    await client.append(txId, [{ ...entry, data: { ...(entry['data'] as object), attributes } }]);
    expect(await client.apply(txId)).toEqual({ status: 200, task: 'completed' });
    const applied = await costsOf(backend, id, ({ resource_count: count }) => count === 2);
    expect(applied).toMatchObject({ triggered_by: 'tx_apply', monthly_cost: '211.84' });

    expect((await backend.api('POST', `/states/${id}/versions/1/restore`)).status).toBe(200);
    const restored = await costsOf(backend, id, ({ resource_count: count }) => count === 1);
    expect(restored).toMatchObject({ triggered_by: 'backend_write', monthly_cost: '70.88' });
    expect(await snapshotsOf(id)).toEqual([
      { triggered_by: 'state_import', version: 1, of_tx: true },
      { triggered_by: 'tx_apply', version: 2, of_tx: true },
      { triggered_by: 'backend_write', version: 3, of_tx: true },
    ]);
  });

  it('never shows a value of a sensitive attribute, wherever it stood', async () => {
    const { backend } = estate;
    const CANARY = 'c4nary-of-the-cage';
    const attr = (...steps: string[]) =>
      steps.map((value, at) => ({
        type: at === 0 ? 'get_attr' : 'index',
        value: at === 0 ? value : { value, type: 'string' },
      }));
    const secretOf = (type: string, name: string, attributes: Record<string, unknown>, paths: unknown[]) => ({
      type,
      name,
      instances: [{ schema_version: 0, attributes, sensitive_attributes: paths }],
    });
    const { attributes: machine = {} } = aServer('m');
    const values = {
      instance_type: `${CANARY}-type`,
      id: `${CANARY}-id`,
      availability_zone: `${CANARY}-zone`,
      launch_template: [{ id: `${CANARY}-template` }],
    };
    const writer = new EstateWriter(backend, await backend.aState());
    await writer.write([
      aServer('open', { tags: { team: 'shown' } }),
      secretOf(
        'aws_instance',
        'whole',
        { ...machine, ...values },
        Object.keys(values).map((name) => attr(name)),
      ),
      secretOf(
        'aws_instance',
        'tagged',
        { ...machine, id: 'i-tagged', tags: { team: 'shown', secret: `${CANARY}-tag` } },
        [attr('tags', 'secret')],
      ),
      secretOf(
        'aws_instance',
        'labels',
        { ...machine, id: 'i-l', tags: { [`${CANARY}-key`]: `${CANARY}-v` } },
        [attr('tags')],
      ),
      secretOf(
        'aws_db_instance',
        'db',
        { instance_class: `${CANARY}-class`, engine: 'postgres', password: `${CANARY}-pw` },
        [attr('instance_class'), attr('password')],
      ),
    ]);
    const { id } = writer.state;
    const costs = await costsOf(backend, id, ({ resource_count: count }) => count === 5);
    expect(tagsOf(costs)).toEqual(expect.arrayContaining([{ team: 'shown' }]));

    const client = new TransactionClient(backend);
    const txId = await client.create();
    await client.append(txId, [
      {
        ...{ action: 'hcl_set', object_type: 'hcl', state_id: id },
        data: { module: '', file: 'main.tf', data: { resource: { aws_instance: { planned: [{}] } } } },
      },
    ]);
    const { task, token } = await client.begin(txId, 'preview');
    const after = { ...machine, ...values, tags: { team: 'shown', secret: `${CANARY}-tag` } };
    const report = await client.report(token, {
      ...{ kind: 'preview', has_changes: true, plan: 'a plan' },
      plan_json: {
        format_version: '1.2',
        resource_changes: [
          {
            ...{ address: 'aws_instance.planned', mode: 'managed', type: 'aws_instance', name: 'planned' },
            provider_name: 'registry.terraform.io/hashicorp/aws',
            change: {
              ...{ actions: ['create'], before: null, after, after_unknown: {}, before_sensitive: false },
              after_sensitive: {
                ...{ instance_type: true, id: true, availability_zone: true, launch_template: true },
                tags: { secret: true },
              },
            },
          },
        ],
      },
    });
    expect(report.status).toBe(200);
    expect(await client.ended(task)).toBe('completed');
    await eventually('the delta', async () =>
      (await backend.api('GET', `/tx/${txId}/costs`)).status === 200 ? true : undefined,
    );
    const failed = await estate.loaded(
      focusCsv([aLine({ BilledCost: `${CANARY}-amount`, ResourceId: `${CANARY}-billed` })]),
    );
    expect(failed.source.last_error).toContain('line 2');

    // The state itself has it: the search below could find it.
    expect((await backend.api('GET', `/states/${id}/export`)).bytes.toString()).toContain(CANARY);
    const tenant = `/tenants/${backend.tenantId}/costs`;
    for (const path of [
      `/states/${id}/costs`,
      `/states/${id}/costs/unsupported`,
      `/states/${id}/costs/actuals`,
      tenant,
      `${tenant}?tag_key=secret`,
      `${tenant}/tag-keys`,
      `${tenant}/history?group_by=tag&tag_key=secret`,
      `${tenant}/unmanaged`,
      `/tx/${txId}/costs`,
      `/tenants/${failed.tenantId}/billing-sources`,
    ]) {
      const answer = await backend.api('GET', path);
      expect([path, answer.status]).toEqual([path, 200]);
      expect(answer.bytes.toString()).not.toContain(CANARY);
    }
    for (const table of ['cost_snapshots', 'cost_snapshot_resources', 'billing_rows']) {
      const { text } = await ask(backend.url, backend.key, `SELECT * FROM ${table} LIMIT 1000`);
      expect(text).not.toContain(CANARY);
    }
    for (const table of TABLES) {
      const { rowCount } = await backend.service.pool.query(
        `SELECT FROM ${table} t WHERE strpos(t::text, $1) > 0`,
        [CANARY],
      );
      expect([table, rowCount]).toEqual([table, 0]);
    }
    for (const service of [estate.worker, backend.service]) {
      expect(service.output()).not.toContain(CANARY);
      expect(await metricsOf(service.internalUrl)).not.toContain(CANARY);
    }
  });
});

function tagsOf({ instance_costs: costs }: StateCosts): unknown[] {
  return costs.map(({ tags }) => tags);
}
