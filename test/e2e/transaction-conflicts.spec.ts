import { randomUUID } from 'node:crypto';
import { aBackend, type TestBackend } from '../support/backend.js';
import { TransactionClient } from '../support/transactions.js';

interface Conflict {
  tx_id: string;
  state: string;
  created_by_name?: string;
  completed_at?: string;
  states: { state_id: string; state_name: string; addresses: string[]; outputs: string[] }[];
}

let backend: TestBackend;
let client: TransactionClient;
beforeAll(async () => {
  backend = await aBackend();
  client = new TransactionClient(backend);
});
afterAll(() => backend?.stop());

async function conflictsOf(txId: string): Promise<Conflict[]> {
  const answer = await client.call('GET', `/tx/${txId}/conflicts`);
  expect(answer.bytes.toString().slice(0, answer.status === 200 ? 0 : 300)).toBe('');
  return (answer.json() as { results: Conflict[] }).results;
}

const output = (stateId: string, name: string, value: string) => ({
  action: 'state_set',
  object_type: 'output',
  state_id: stateId,
  data: { name, value, type: 'string', sensitive: false },
});

describe('The conflicts of a transaction', () => {
  it('name who changed which of the same instances and outputs, as the commit does', async () => {
    const [one, two] = [await backend.aState({ name: 'one' }), await backend.aState({ name: 'two' })];
    const thing = (name: string, value: number) => ({ address: `test_thing.${name}`, value });
    const mine = await client.logged(one.id, [thing('a', 1), thing('b', 1), thing('mine', 1)]);
    await client.append(mine, [output(one.id, 'vpc', 'mine'), output(one.id, 'own', 'x')]);
    const other = await client.logged(one.id, [thing('a', 2), thing('b', 2), thing('theirs', 2)]);
    await client.append(other, [output(one.id, 'vpc', 'theirs')]);
    const apart = await client.logged(two.id, [thing('a', 3)]);
    expect(await conflictsOf(mine)).toEqual([]);
    expect(await client.apply(other)).toMatchObject({ status: 200, task: 'completed' });
    expect(await client.apply(apart)).toMatchObject({ status: 200, task: 'completed' });

    const expected = [
      {
        tx_id: other,
        state: 'committed',
        created_by_name: 'Admin',
        completed_at: expect.stringMatching(/^\d{4}-.*Z$/) as string,
        states: [
          {
            state_id: one.id,
            state_name: 'one',
            addresses: ['test_thing.a', 'test_thing.b'],
            outputs: ['vpc'],
          },
        ],
      },
    ];
    expect(await conflictsOf(mine)).toEqual(expected);
    // Asking changes nothing: the answer stays, the transaction is refused for exactly this one, and can be aborted.
    expect(await conflictsOf(mine)).toEqual(expected);
    const { rows } = await backend.service.pool.query('SELECT FROM transaction_nodes WHERE tx_id = $1', [
      mine,
    ]);
    expect(rows).toEqual([]);
    const refused = await client.call('POST', `/tx/${mine}/apply`);
    expect([refused.status, refused.json()]).toEqual([409, { id: 'TX_CONFLICT', data: other }]);
    expect((await client.call('POST', `/tx/${mine}/abort`)).status).toBe(200);
    expect(await conflictsOf(mine)).toEqual([]);
    expect(await conflictsOf(other)).toEqual([]);
  });

  it('name a transaction that is committing and one that replaced the whole state', async () => {
    const state = await backend.aState({ name: 'shared' });
    const mine = await client.logged(state.id, [{ address: 'test_thing.a', value: 1 }]);
    const committing = await client.logged(state.id, [{ address: 'test_thing.a', value: 2 }]);
    await client.begin(committing, 'commit');
    const here = { state_id: state.id, state_name: 'shared' };
    expect(await conflictsOf(mine)).toMatchObject([
      {
        tx_id: committing,
        state: 'committing',
        states: [{ ...here, addresses: ['test_thing.a'], outputs: [] }],
      },
    ]);
    expect((await client.call('POST', `/tx/${committing}/abort`)).status).toBe(200);
    expect(await conflictsOf(mine)).toEqual([]);

    const whole = await client.logged(state.id, [{ address: 'test_thing.z', value: 3 }]);
    const overwritten = await client.apply(whole, '?replace=overwrite');
    expect(overwritten).toMatchObject({ status: 200, task: 'completed' });
    const after = await conflictsOf(mine);
    const refused = await client.call('POST', `/tx/${mine}/apply`);
    expect(refused.status === 409 ? [(refused.json() as { data: string }).data] : []).toEqual(
      after.map(({ tx_id }) => tx_id),
    );
  });

  it('are told for removed resources too', async () => {
    const state = await backend.aState();
    const made = await client.logged(
      state.id,
      [0, 1].map((index) => ({ address: 'test_thing.many', value: 1, index })),
    );
    expect(await client.apply(made)).toMatchObject({ status: 200 });
    const mine = await client.create();
    await client.append(mine, [
      {
        action: 'state_delete',
        object_type: 'resource',
        state_id: state.id,
        data: { address: 'test_thing.many' },
      },
    ]);
    const other = await client.logged(state.id, [{ address: 'test_thing.many', value: 2, index: 1 }]);
    expect(await client.apply(other)).toMatchObject({ status: 200 });
    const found = await conflictsOf(mine);
    expect(found.map(({ tx_id, states }) => [tx_id, states[0]?.addresses])).toEqual([
      [other, ['test_thing.many[1]']],
    ]);
  });

  it('are shown to members only, and to strangers as missing', async () => {
    const member = await backend.aUser();
    const own = await client.create();
    const foreign = await client.create(await backend.aTenant());
    const scoped = await backend.aKey({ commit: { tenants: [await backend.aTenant()] } });
    const status = async (txId: string, key: string | undefined) =>
      (await backend.api('GET', `/tx/${txId}/conflicts`, { key })).status;
    expect({
      anonymous: await status(own, undefined),
      outsider: await status(foreign, member.key),
      unknown: await status(randomUUID(), backend.key),
      'no id': await status('x', backend.key),
      member: await status(own, member.key),
      'scoped token': await status(own, scoped),
      'installation admin': await status(foreign, backend.key),
    }).toEqual({
      anonymous: 401,
      outsider: 404,
      unknown: 404,
      'no id': 404,
      member: 200,
      'scoped token': 200,
      'installation admin': 200,
    });
  });
});
