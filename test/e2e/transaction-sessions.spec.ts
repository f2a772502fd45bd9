import { aBackend, BackendClient, bytesOf, type TestBackend, type TestState } from '../support/backend.js';

let backend: TestBackend;
beforeAll(async () => {
  backend = await aBackend();
});
afterAll(() => backend?.stop());

describe('The token of a session', () => {
  async function write(state: TestState, key: string): Promise<number> {
    const client = new BackendClient(state.address, key);
    try {
      await client.get();
      return (await client.post(bytesOf(new Map([['test_thing.a', '1']]), 1, 'one'))).status;
    } finally {
      client.close();
    }
  }

  it('is short, however many states the key names, and works for each of them', async () => {
    const states = await Promise.all(Array.from({ length: 130 }, () => backend.aState()));
    const key = await backend.aKey({
      commit: { states: Object.fromEntries(states.map(({ id }) => [id, ['*']])) },
    });
    const body = { tenant_id: backend.tenantId };
    const answer = await backend.api('POST', '/tx/session/create', { key, body });
    const { token } = answer.json() as { token: string };
    expect([answer.status, token.length < 1_000]).toEqual([201, true]);
    const [first] = states;
    if (!first) throw new Error('no state');
    const other = await backend.aState();
    expect([await write(first, token), await write(other, token)]).toEqual([200, 403]);
  });

  it('reads what belongs to its transaction, which takes nothing that its commit would not look at', async () => {
    const state = await backend.aState();
    const create = await backend.api('POST', '/tx/session/create', { body: { tenant_id: backend.tenantId } });
    const { token, tx } = create.json() as { token: string; tx: { id: string } };
    const call = async (method: string, path: string, key: string, body?: unknown) => {
      const answer = await backend.api(method, path, { key, ...(body === undefined ? {} : { body }) });
      return [answer.status, (answer.json() as { id?: string }).id];
    };
    for (const part of ['', '/logs', '/state-map'])
      expect((await call('GET', `/tx/${tx.id}${part}`, token))[0]).toBe(200);
    const data = { name: 'o', type: 'string', value: 'v' };
    const entry = { action: 'state_set', object_type: 'output', state_id: state.id, data };
    const revision = { tx_id: tx.id, nodes: [{ key: 'local.a', hash: 'h' }] };
    for (const [key, path, body] of [
      [token, `/tx/${tx.id}/logs/append`, [entry]],
      [backend.key, `/tx/${tx.id}/logs/append`, [entry]],
      [backend.key, `/states/${state.id}/revision`, revision],
      [backend.key, `/tx/${tx.id}/preview`],
      [backend.key, `/tx/${tx.id}/apply`],
    ] as const)
      expect(await call('POST', path, key, body)).toEqual([409, 'TX_IS_SESSION']);
    expect((await call('POST', `/tx/${tx.id}/commit`, token))[0]).toBe(200);
    expect(await call('POST', `/tx/${tx.id}/apply`, backend.key)).toEqual([409, 'TX_NOT_ACTIVE']);
  });
});
