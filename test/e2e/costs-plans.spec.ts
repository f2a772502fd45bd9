import { aBackend, type TestBackend } from '../support/backend.js';
import { aServer, costsOf, FREE } from '../support/costs.js';
import { estateDocument, type EstateResource, EstateWriter, eventually } from '../support/estate.js';
import { actWhileBlocked, killWhileBlocked } from '../support/held-lock.js';
import { loseQueues } from '../support/lost-queues.js';
import { type RunningService, startService } from '../support/service.js';
import { TransactionClient } from '../support/transactions.js';

const ON = { SERVICE_COST_ENABLED: 'true' };
const NOBODY = '11111111-1111-4111-8111-111111111111';

interface Delta {
  delta_monthly_cost: string;
  states: { resources: { address: string; change_kind: string }[] }[];
  [more: string]: unknown;
}

function planned(resource: EstateResource, actions: string[], more: object = {}): unknown {
  return {
    address: `${resource.type}.${resource.name}`,
    mode: 'managed',
    type: resource.type,
    name: resource.name,
    provider_name: 'registry.terraform.io/hashicorp/aws',
    change: {
      actions,
      before: null,
      after: actions.at(-1) === 'delete' ? null : resource.attributes,
      after_unknown: {},
      ...more,
    },
  };
}

describe('Costs of plans', () => {
  let backend: TestBackend;
  let worker: RunningService;
  let client: TransactionClient;
  beforeAll(async () => {
    backend = await aBackend({ env: ON });
    worker = await startService({ role: 'worker', database: backend.service.database, env: ON });
    client = new TransactionClient(backend);
  });
  afterAll(async () => {
    await worker.stop();
    await backend.stop();
  });

  async function previewed(stateId: string, changes: unknown[], more: object = {}): Promise<string> {
    const txId = await client.create();
    await client.append(txId, [
      {
        action: 'hcl_set',
        object_type: 'hcl',
        state_id: stateId,
        data: { module: '', file: 'main.tf', data: { resource: { aws_instance: { new: [{}] } } } },
      },
    ]);
    const { task, token } = await client.begin(txId, 'preview');
    const answer = await client.report(token, {
      kind: 'preview',
      has_changes: changes.length > 0,
      plan: 'a plan',
      plan_json: { format_version: '1.2', resource_changes: changes, ...more },
    });
    expect({ status: answer.status, body: answer.bytes.toString() }).toMatchObject({ status: 200 });
    expect(await client.ended(task)).toBe('completed');
    return txId;
  }

  function deltaOf(txId: string): Promise<Delta> {
    return eventually('delta', async () => {
      const answer = await backend.api('GET', `/tx/${txId}/costs`);
      if (answer.status === 202) {
        expect(answer.json()).toEqual({ status: 'computing' });
        return undefined;
      }
      expect(answer.status).toBe(200);
      return answer.json() as Delta;
    });
  }

  it('are what the state would cost with the changes on it', async () => {
    const writer = new EstateWriter(backend, await backend.aState({ name: 'planned' }));
    await writer.write([aServer('kept'), aServer('old'), aServer('grows'), FREE]);
    await costsOf(backend, writer.state.id, () => true);
    const txId = await previewed(writer.state.id, [
      planned(aServer('kept'), ['no-op']),
      planned(aServer('old'), ['delete']),
      planned(aServer('grows', { instance_type: 'm5.xlarge' }), ['delete', 'create']),
      planned(aServer('new', { tags: { team: 'data' } }), ['create']),
      planned({ ...FREE, name: 'more' }, ['create']),
      planned(aServer('vague'), ['create'], { after_unknown: { instance_type: true }, after: { tags: {} } }),
    ]);
    const delta = await deltaOf(txId);
    expect(delta).toMatchObject({
      tx_id: txId,
      currency: 'USD',
      ...{ current_resource_count: 4, planned_resource_count: 6, delta_resource_count: 2 },
      ...{ current_priced_count: 3, planned_priced_count: 3, delta_priced_count: 0 },
      ...{ current_coverage_percent: 100, planned_coverage_percent: 75, delta_coverage_percent: -25 },
      ...{ current_monthly_cost: '212.64', planned_monthly_cost: '283.52', delta_monthly_cost: '+70.88' },
      states: [
        {
          state_id: writer.state.id,
          state_name: 'planned',
          delta_monthly_cost: '+70.88',
          resources: [
            {
              address: 'aws_instance.grows',
              change_kind: 'changed',
              current_monthly_cost: '70.88',
              planned_monthly_cost: '140.96',
              delta_monthly_cost: '+70.08',
            },
            { address: 'aws_instance.new', change_kind: 'added', delta_monthly_cost: '+70.88' },
            { address: 'aws_instance.old', change_kind: 'removed', delta_monthly_cost: '-70.88' },
            { address: 'aws_instance.vague', change_kind: 'added', delta_monthly_cost: '+0.80' },
          ],
        },
      ],
      by_provider: [{ name: 'aws', delta_resource_count: 2, delta_monthly_cost: '+70.88' }],
      by_type: [
        { name: 'aws_instance', delta_resource_count: 1, delta_monthly_cost: '+70.88' },
        { name: 'aws_iam_role', delta_resource_count: 1, delta_monthly_cost: '0.00' },
      ],
    });
    expect(delta['by_tag']).toContainEqual({
      tag_key: 'team',
      entries: [
        expect.objectContaining({ name: 'data', delta_resource_count: 1, delta_monthly_cost: '+70.88' }),
        expect.objectContaining({ name: 'untagged', delta_resource_count: 1 }),
        expect.objectContaining({ name: 'core', delta_monthly_cost: '-0.80' }),
      ],
    });
    expect((await backend.api('GET', `/tx/${txId}/costs?currency=EUR`)).json()).toMatchObject({
      delta_monthly_cost: '0.00',
      other_currencies: [{ currency: 'USD', monthly_cost: '+70.88' }],
    });
    expect((await backend.api('GET', `/tx/${txId}/costs?currency=x`)).status).toBe(400);

    const { token } = await client.begin(txId, 'commit');
    // What the bundle did not give the runner stays as it is.
    const document = estateDocument([aServer('grows', { instance_type: 'm5.xlarge' })]);
    const state = JSON.parse(document.toString()) as unknown;
    const report = await client.report(token, { kind: 'commit', failed: false, output: 'done', state });
    expect(report.status).toBe(200);
    const after = await costsOf(backend, writer.state.id, ({ monthly_cost: cost }) => cost === '282.72');
    expect(after.triggered_by).toBe('actuator_commit');
    expect((await deltaOf(txId)).delta_monthly_cost).toBe('+70.88');
  });

  it('price an unnamed region by the configuration of the provider that the resource uses', async () => {
    const state = await backend.aState();
    const { arn: _arn, ...attributes } = aServer('there').attributes ?? {};
    const txId = await previewed(
      state.id,
      [
        planned({ ...aServer('there'), attributes }, ['create']),
        planned({ ...aServer('here'), attributes }, ['create']),
      ],
      {
        variables: { region: { value: 'eu-central-1' } },
        configuration: {
          provider_config: {
            aws: {
              name: 'aws',
              expressions: {
                region: { constant_value: 'us-east-1' },
                secret_key: { constant_value: 'canary' },
              },
            },
            'aws.eu': { name: 'aws', alias: 'eu', expressions: { region: { references: ['var.region'] } } },
          },
          root_module: {
            resources: [
              { address: 'aws_instance.there', provider_config_key: 'aws.eu' },
              { address: 'aws_instance.here', provider_config_key: 'aws' },
            ],
          },
        },
      },
    );
    const delta = await deltaOf(txId);
    expect(delta.states[0]?.resources).toMatchObject([
      { address: 'aws_instance.here', region: 'us-east-1', planned_monthly_cost: '70.88' },
      { address: 'aws_instance.there', region: 'eu-central-1' },
    ]);
    const { rows } = await backend.service.pool.query(
      `SELECT 1 FROM transaction_plans WHERE tx_id = $1 AND plan_json::text LIKE '%canary%'`,
      [txId],
    );
    expect(rows).toEqual([]);
  });

  it('price what names a launch template that the plan changes', async () => {
    const writer = new EstateWriter(backend, await backend.aState());
    const template = (type: string): EstateResource => ({
      type: 'aws_launch_template',
      name: 'main',
      attributes: {
        id: 'lt-1',
        name: 'main',
        arn: 'arn:aws:ec2:us-east-1:1:launch-template/lt-1',
        instance_type: type,
      },
    });
    const group: EstateResource = {
      type: 'aws_autoscaling_group',
      name: 'web',
      attributes: { id: 'web', name: 'web', desired_capacity: 1, launch_template: [{ id: 'lt-1' }] },
    };
    await writer.write([template('m5.large'), group]);
    const txId = await previewed(writer.state.id, [planned(template('m5.xlarge'), ['update'])]);
    const delta = await deltaOf(txId);
    expect(delta.delta_monthly_cost).toBe('+70.08');
    expect(delta.states[0]?.resources).toMatchObject([
      { address: 'aws_autoscaling_group.web', change_kind: 'changed', delta_monthly_cost: '+70.08' },
    ]);
  });

  it('are computing for what the service did not plan', async () => {
    const writer = new EstateWriter(backend, await backend.aState());
    await writer.write([aServer('web')]);
    const { rows } = await backend.service.pool.query<{ tx_id: string }>(
      'SELECT tx_id FROM state_versions WHERE state_id = $1',
      [writer.state.id],
    );
    const answer = await backend.api('GET', `/tx/${rows[0]?.tx_id}/costs`);
    expect([answer.status, answer.json()]).toEqual([202, { status: 'computing' }]);
    const session = await backend.api('POST', '/tx/session/create', {
      body: { tenant_id: backend.tenantId },
    });
    const { tx } = session.json() as { tx: { id: string } };
    expect((await backend.api('GET', `/tx/${tx.id}/costs`)).status).toBe(202);
  });

  it('are priced as far as they are known when a plan is of an unknown format or of another state', async () => {
    const writer = new EstateWriter(backend, await backend.aState());
    await writer.write([aServer('kept')]);
    const elsewhere = planned(aServer('elsewhere', { instance_type: 'm5.xlarge' }), ['update'], {
      before: aServer('elsewhere').attributes,
    });
    const txId = await previewed(
      writer.state.id,
      [elsewhere, planned(aServer('nowhere'), ['delete']), planned(aServer('new'), ['create'])],
      { format_version: '99.0', planned_values: 'none', configuration: null, variables: 7 },
    );
    const delta = await deltaOf(txId);
    expect(delta).toMatchObject({ current_monthly_cost: '70.88', delta_monthly_cost: '+211.84' });
    expect(delta.states[0]?.resources.map((row) => [row.address, row.change_kind])).toEqual([
      ['aws_instance.elsewhere', 'added'],
      ['aws_instance.new', 'added'],
    ]);
  });

  it('store nothing when the transaction is aborted while its delta is computed', async () => {
    const writer = new EstateWriter(backend, await backend.aState());
    await writer.write([aServer('web')]);
    const { id } = writer.state;
    await costsOf(backend, id, () => true);
    const { pool } = backend.service;
    let txId = '';
    await actWhileBlocked(
      pool,
      { text: 'SELECT FROM cost_states WHERE state_id = $1 FOR UPDATE', values: [id] },
      {
        begin: async () => {
          txId = await previewed(id, [planned(aServer('new'), ['create'])]);
        },
        act: async () => {
          expect((await backend.api('POST', `/tx/${txId}/abort`)).status).toBe(200);
        },
      },
    );
    await eventually('the end of the computation', async () => {
      const { rowCount } = await pool.query(`SELECT FROM bullmq.job WHERE name = 'price-plan'`);
      return rowCount === 0 ? true : undefined;
    });
    const { rows } = await pool.query(
      `SELECT 1 FROM cost_plans WHERE tx_id = $1 UNION ALL SELECT 1 FROM cost_snapshots WHERE tx_id = $1`,
      [txId],
    );
    expect(rows).toEqual([]);
    expect((await backend.api('GET', `/tx/${txId}/costs`)).status).toBe(404);
  });

  /** In the order of the job. A trigger of the test holds what the job writes, and nothing that the runner's report writes. */
  it.each([
    ['reads the state', undefined],
    [
      'stores the planned snapshot',
      `BEFORE INSERT ON cost_snapshots FOR EACH ROW WHEN (NEW.kind = 'planned')`,
    ],
    ['stores the difference', `BEFORE UPDATE ON cost_plans FOR EACH ROW WHEN (NEW.status = 'completed')`],
  ])(
    'are computed once when the worker is killed before it %s',
    async (_, step) => {
      const writer = new EstateWriter(backend, await backend.aState());
      await writer.write([aServer('web')]);
      const { id } = writer.state;
      await costsOf(backend, id, () => true);
      const { pool } = backend.service;
      if (step !== undefined)
        await pool.query(`CREATE FUNCTION wait_for_test() RETURNS trigger LANGUAGE plpgsql AS
          'BEGIN PERFORM pg_advisory_xact_lock(4711, 17); RETURN NEW; END';
          CREATE TRIGGER wait_for_test ${step} EXECUTE FUNCTION wait_for_test()`);
      const lock =
        step === undefined
          ? { text: 'SELECT FROM cost_states WHERE state_id = $1 FOR UPDATE', values: [id] }
          : { text: 'SELECT pg_advisory_xact_lock(4711, 17)' };
      let txId = '';
      try {
        await killWhileBlocked({ pool, kill9: () => worker.kill9() }, lock, async () => {
          txId = await previewed(id, [planned(aServer('new'), ['create'])]);
        });
      } finally {
        if (step !== undefined) await pool.query('DROP FUNCTION wait_for_test() CASCADE');
      }
      await loseQueues(pool);
      const stored = async () =>
        (
          await pool.query<object>(
            `SELECT p.status, (SELECT count(*)::int FROM cost_snapshots s WHERE s.tx_id = p.tx_id AND s.kind = 'planned') AS planned
             FROM cost_plans p WHERE p.tx_id = $1`,
            [txId],
          )
        ).rows;
      expect(await stored()).toEqual([{ status: 'computing', planned: 0 }]);
      expect((await backend.api('GET', `/tx/${txId}/costs`)).status).toBe(202);
      await worker.restart();
      expect(await deltaOf(txId)).toMatchObject({
        ...{ delta_monthly_cost: '+70.88', current_monthly_cost: '70.88', planned_monthly_cost: '141.76' },
      });
      expect(await stored()).toEqual([{ status: 'completed', planned: 1 }]);
    },
    180_000,
  );

  it('are gone with an aborted transaction, and tell strangers nothing', async () => {
    const state = await backend.aState();
    const txId = await previewed(state.id, [planned(aServer('new'), ['create'])]);
    await deltaOf(txId);
    const stranger = await backend.aUser();
    const theirs = await client.create(await backend.aTenant());
    for (const id of [theirs, NOBODY])
      expect((await backend.api('GET', `/tx/${id}/costs`, { key: stranger.key })).status).toBe(401);
    expect((await backend.api('GET', `/tx/${txId}/costs`, { key: undefined })).status).toBe(401);
    expect((await backend.api('POST', `/tx/${txId}/abort`)).status).toBe(200);
    expect((await backend.api('GET', `/tx/${txId}/costs`)).status).toBe(404);
    const { rows } = await backend.service.pool.query(
      `SELECT 1 FROM cost_plans WHERE tx_id = $1 UNION ALL SELECT 1 FROM cost_snapshots WHERE tx_id = $1 AND kind = 'planned'`,
      [txId],
    );
    expect(rows).toEqual([]);
  });
});
