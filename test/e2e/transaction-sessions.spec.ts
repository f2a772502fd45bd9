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
});
