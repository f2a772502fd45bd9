import { aBackend, type TestBackend } from '../support/backend.js';
import { block } from '../support/bundles.js';
import { TransactionClient } from '../support/transactions.js';

let backend: TestBackend;
let client: TransactionClient;
beforeAll(async () => {
  backend = await aBackend();
  client = new TransactionClient(backend);
});
afterAll(() => backend?.stop());

async function asked(txId: string): Promise<{ text: string; shown: Record<string, unknown>[] }> {
  const query = `SELECT data FROM transaction_logs WHERE tx_id = '${txId}'`;
  const answer = await client.call('GET', `/mql?q=${encodeURIComponent(query)}`);
  expect(answer.status).toBe(200);
  const rows = answer.json() as { data: Record<string, unknown> }[];
  return { text: answer.bytes.toString(), shown: rows.map(({ data }) => data) };
}

/** Entries of one request have no order in SQL. */
const sorted = <T>(values: T[]): T[] =>
  values.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

describe('What SQL shows of a log', () => {
  const instance = (stateId: string, type: string, more: Record<string, unknown>) => ({
    action: 'state_set',
    object_type: 'instance',
    state_id: stateId,
    data: {
      resource_address: `data.${type}.n`,
      address: `data.${type}.n`,
      mode: 'data',
      type,
      name: 'n',
      ...more,
    },
  });

  it('is nothing of what a remote state has read, nor what an instance marks', async () => {
    const state = await backend.aState();
    const txId = await client.create();
    const config = { value: { access_key: 'HUSH' }, type: ['object', {}] };
    const outputs = { value: { db_password: 'HUSH' }, type: ['object', {}] };
    const marked = [[{ type: 'get_attr', value: 'password' }]];
    await client.append(txId, [
      instance(state.id, 'terraform_remote_state', { attributes: { backend: 's3', config, outputs } }),
      instance(state.id, 'test_thing', { attributes: { password: 'HUSH' }, sensitive_attributes: marked }),
      instance(state.id, 'test_thing', { attributes: { size: 5 } }),
    ]);
    const { text, shown } = await asked(txId);
    expect(text).not.toContain('HUSH');
    expect(sorted(shown.map(({ type, attributes }) => [type, attributes]))).toEqual(
      sorted([
        ['terraform_remote_state', undefined],
        ['test_thing', undefined],
        ['test_thing', { size: 5 }],
      ]),
    );
  });

  it('is no secret of a backend, which is not even kept, and no default of a sensitive variable', async () => {
    const txId = await client.create();
    const place = { s3: { bucket: 'b', secret_key: 'HUSH' } };
    const variable = (name: string, body: unknown) => block({ variable: { [name]: body } });
    await client.append(txId, [
      block({ terraform: { required_version: '>= 1', backend: place } }),
      block({ terraform: [{ cloud: { token: 'HUSH' } }, { experiments: ['x'] }] }, '', 'more.tf'),
      variable('a', { default: 'HUSH', sensitive: true }),
      variable('b', [{ default: 'HUSH', sensitive: 'true' }]),
      variable('c', { default: 'open', sensitive: false }),
    ]);
    const { rows: kept } = await backend.service.pool.query<{ data: { data: { terraform?: unknown } } }>(
      'SELECT data FROM transaction_logs WHERE tx_id = $1 ORDER BY seq LIMIT 2',
      [txId],
    );
    expect(kept.map(({ data }) => data.data.terraform)).toEqual([
      { required_version: '>= 1' },
      [{}, { experiments: ['x'] }],
    ]);
    const { text, shown } = await asked(txId);
    expect(text).not.toContain('HUSH');
    expect(sorted(shown.map(({ data }) => data))).toEqual(
      sorted([
        { terraform: { required_version: '>= 1' } },
        { terraform: [{}, { experiments: ['x'] }] },
        undefined,
        undefined,
        { variable: { c: { default: 'open', sensitive: false } } },
      ]),
    );
  });

  it('is no secret of a backend that was kept before', async () => {
    const txId = await client.create();
    await client.append(txId, [block({ terraform: {} }), block({ terraform: {} }, '', 'more.tf')]);
    for (const [file, body] of [
      ['main.tf', { backend: { s3: { secret_key: 'HUSH' } } }],
      ['more.tf', [{}, { cloud: { token: 'HUSH' } }]],
    ])
      await backend.service.pool.query(
        `UPDATE transaction_logs SET data = jsonb_set(data, '{data,terraform}', $3) WHERE tx_id = $1 AND data ->> 'file' = $2`,
        [txId, file, JSON.stringify(body)],
      );
    const { text, shown } = await asked(txId);
    expect(text).not.toContain('HUSH');
    expect(sorted(shown.map(({ file, data }) => [file, data]))).toEqual(
      sorted([
        ['main.tf', undefined],
        ['more.tf', undefined],
      ]),
    );
  });
});

describe('What a transaction shows of its log', () => {
  it('is no value of a variable that is marked sensitive, there or in what was applied before', async () => {
    const state = await backend.aState();
    const entry = (action: string, objectType: string, data: unknown) => ({
      action,
      object_type: objectType,
      state_id: state.id,
      data,
    });
    const variable = (name: string, body: unknown) =>
      entry('hcl_set', 'hcl', { file: 'main.tf', module: '', data: { variable: { [name]: body } } });
    const value = (name: string) =>
      entry('tfvar_set', 'tfvar', { file: 'a.tfvars', name, data: 'swordfish' });
    const valuesOf = async (txId: string): Promise<unknown[]> => {
      const { results } = (await client.call('GET', `/tx/${txId}/logs`)).json() as {
        results: { object_type: string; data: { data: unknown } }[];
      };
      return results.filter((each) => each.object_type === 'tfvar').map(({ data }) => data.data);
    };
    const [first, second] = [await client.create(), await client.create()];
    await client.append(first, [
      value('secret'),
      value('open'),
      variable('secret', [{ sensitive: true }]),
      variable('open', {}),
    ]);
    expect(await valuesOf(first)).toEqual(['(sensitive value)', 'swordfish']);
    await client.append(second, [value('open'), value('secret')]);
    expect(await valuesOf(second)).toEqual(['swordfish', 'swordfish']);
    expect((await client.apply(first)).status).toBe(200);
    expect(await valuesOf(second)).toEqual(['swordfish', '(sensitive value)']);
  });
});
