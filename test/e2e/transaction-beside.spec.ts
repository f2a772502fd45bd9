import { aBackend, type TestBackend, type TestState } from '../support/backend.js';
import { change, runState, setInstance, TransactionClient } from '../support/transactions.js';

let backend: TestBackend;
let client: TransactionClient;

beforeAll(async () => {
  backend = await aBackend();
  client = new TransactionClient(backend);
});
afterAll(() => backend?.stop());

const idOf = (answer: { status: number; json(): unknown }) => [
  answer.status,
  (answer.json() as { id?: string }).id,
];

describe('Beside a runner that commits', () => {
  async function previewed(state: TestState, plan: unknown): Promise<string> {
    const tx = await client.create();
    await client.append(tx, [{ action: 'refresh', object_type: 'refresh', state_id: state.id, data: {} }]);
    const { token } = await client.begin(tx, 'preview');
    const report = { kind: 'preview', has_changes: true, plan: '', plan_json: plan };
    expect((await client.report(token, report)).status).toBe(200);
    return tx;
  }

  it('has the transaction to itself until it reports: nobody applies it, nothing is added to it', async () => {
    const state = await backend.aState();
    const tx = await previewed(state, { resource_changes: [change('test_thing.a', ['create'])] });
    const { task, token } = await client.begin(tx, 'commit');
    expect(await client.apply(tx)).toEqual({ status: 409, id: 'TX_BUSY' });
    const entry = setInstance(state.id, { address: 'test_thing.b', value: 'mine' });
    expect(idOf(await client.call('POST', `/tx/${tx}/logs/append`, [entry]))).toEqual([409, 'TX_BUSY']);
    const revision = { tx_id: tx, nodes: [{ key: 'test_thing.b', hash: 'h' }] };
    expect(idOf(await client.call('POST', `/states/${state.id}/revision`, revision))).toEqual([
      409,
      'TX_BUSY',
    ]);
    const left = runState([{ address: 'test_thing.a', value: 1 }]);
    expect((await client.report(token, { kind: 'commit', output: '', state: left })).status).toBe(200);
    expect(await client.ended(task)).toBe('completed');
    expect(await client.values(state.id)).toEqual({ 'test_thing.a': 1 });
  });

  it('does not commit when configuration has come in after its plan', async () => {
    const state = await backend.aState();
    const plan = { resource_changes: [change('test_thing.a', ['create'])] };
    const [logged, recorded] = [await previewed(state, plan), await previewed(state, plan)];
    const data = { file: 'main.tf', module: '', data: { resource: { test_thing: { b: {} } } } };
    await client.append(logged, [{ action: 'hcl_set', object_type: 'hcl', state_id: state.id, data }]);
    const revision = { tx_id: recorded, nodes: [{ key: 'test_thing.b', hash: 'h' }] };
    expect((await client.call('POST', `/states/${state.id}/revision`, revision)).status).toBe(200);
    for (const tx of [logged, recorded])
      expect(idOf(await client.call('POST', `/tx/${tx}/commit`))).toEqual([409, 'TX_PLAN_OUTDATED']);
    // Planned again it may.
    const { token } = await client.begin(logged, 'preview');
    const report = { kind: 'preview', has_changes: true, plan: '', plan_json: plan };
    expect((await client.report(token, report)).status).toBe(200);
    await client.begin(logged, 'commit');
  });

  it('does not commit when another state has come in after its plan', async () => {
    const [state, other] = [await backend.aState(), await backend.aState()];
    const tx = await previewed(state, { resource_changes: [change('test_thing.a', ['create'])] });
    const entry = setInstance(other.id, { address: 'test_thing.b', value: 1 });
    await client.append(tx, [entry]);
    expect(idOf(await client.call('POST', `/tx/${tx}/commit`))).toEqual([400, 'INVALID_REQUEST']);
    expect(await client.state(tx)).toBe('previewed');
  });

  it('refuses to begin when the planned state is gone, and keeps what was done when it went meanwhile', async () => {
    const [state, other] = [await backend.aState(), await backend.aState()];
    const plan = { resource_changes: [change('test_thing.a', ['create'])] };
    const [late, begun] = [await previewed(state, plan), await previewed(other, plan)];
    const { task, token } = await client.begin(begun, 'commit');
    for (const { id } of [state, other])
      expect((await client.call('DELETE', `/states/${id}`)).status).toBe(200);
    expect(idOf(await client.call('POST', `/tx/${late}/commit`))).toEqual([404, 'STATE_NOT_FOUND']);
    const left = runState([{ address: 'test_thing.a', value: 1 }]);
    expect((await client.report(token, { kind: 'commit', output: '', state: left })).status).toBe(200);
    expect(await client.ended(task)).toBe('failed');
    expect(await client.state(begun)).toBe('failed-committed');
    const { rows } = await backend.service.pool.query(
      'SELECT count(*)::int AS kept FROM transaction_reports WHERE tx_id = $1',
      [begun],
    );
    expect(rows).toEqual([{ kept: 1 }]);
  });

  it('takes a report that was cut in the middle of a character', async () => {
    const state = await backend.aState();
    const tx = await previewed(state, { resource_changes: [change('test_thing.a', ['create'])] });
    const { task, token } = await client.begin(tx, 'commit');
    const left = runState([{ address: 'test_thing.a', value: 'one \u{1f600} character' }]);
    const text = JSON.stringify({ kind: 'commit', output: '', state: left });
    const cut = text.indexOf('\u{1f600}') + 1;
    for (const [idx, data] of [text.slice(0, cut), text.slice(cut)].entries())
      expect((await client.report(token, { kind: 'chunk', data }, idx)).status).toBe(200);
    expect((await client.report(token, { kind: 'done' }, 2)).status).toBe(200);
    expect(await client.ended(task)).toBe('completed');
    expect(await client.values(state.id)).toEqual({ 'test_thing.a': 'one \u{1f600} character' });
  });
});

describe('Beside a runner that plans', () => {
  it('says nothing of the configuration that the plan would not know, and then counts as applied', async () => {
    const state = await backend.aState();
    const block = (name: string) => ({
      action: 'hcl_set',
      object_type: 'hcl',
      state_id: state.id,
      data: { file: 'main.tf', module: '', data: { resource: { test_thing: { [name]: {} } } } },
    });
    const tx = await client.create();
    await client.append(tx, [block('a')]);
    const { token } = await client.begin(tx, 'preview');
    expect(idOf(await client.call('POST', `/tx/${tx}/logs/append`, [block('late')]))).toEqual([
      409,
      'TX_BUSY',
    ]);
    const revision = { tx_id: tx, nodes: [{ key: 'test_thing.late', hash: 'h' }] };
    expect(idOf(await client.call('POST', `/states/${state.id}/revision`, revision))).toEqual([
      409,
      'TX_BUSY',
    ]);
    const plan_json = { resource_changes: [change('test_thing.a', ['create'])] };
    const report = { kind: 'preview', has_changes: true, plan: '', plan_json };
    expect((await client.report(token, report)).status).toBe(200);
    await client.begin(tx, 'commit');
  });
});

describe('A commit that no runner was asked to plan', () => {
  it('ends when its transaction is applied: nobody else would end its task', async () => {
    const state = await backend.aState();
    const tx = await client.logged(state.id, [{ address: 'test_thing.a', value: 1 }]);
    const { task, token } = await client.begin(tx, 'commit');
    expect(await client.apply(tx)).toEqual({ status: 200, task: 'completed' });
    const { state: ended } = (await client.call('GET', `/tasks/${task}`)).json() as { state: string };
    expect(ended).toBe('aborted');
    const left = runState([{ address: 'test_thing.a', value: 2 }]);
    const late = await client.report(token, { kind: 'commit', output: '', state: left });
    expect(idOf(late)).toEqual([409, 'TX_NOT_ACTIVE']);
    expect(await client.values(state.id)).toEqual({ 'test_thing.a': 1 });
  });
});

describe('A revision', () => {
  it.each([[[[]]], [[null]], [['a']], [[{ key: 'a' }]], [[{ key: 1, hash: 'h' }]], [{}]])(
    'records no hashes of %j',
    async (nodes) => {
      const state = await backend.aState();
      const body = { tx_id: await client.create(), nodes };
      expect(idOf(await client.call('POST', `/states/${state.id}/revision`, body))).toEqual([
        400,
        'INVALID_REQUEST',
      ]);
    },
  );
});
