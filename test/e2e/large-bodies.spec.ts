import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { aBackend, send, type TestBackend, type TestState } from '../support/backend.js';
import { TransactionClient } from '../support/transactions.js';

const MIB = 1024 * 1024;

/** Routes that take more than the everyday limit read nothing of a body before they know whose it is. */
describe('Large bodies', () => {
  let backend: TestBackend;
  let client: TransactionClient;
  let state: TestState;
  let txId: string;
  let runner: string;

  beforeAll(async () => {
    backend = await aBackend();
    client = new TransactionClient(backend);
    state = await backend.aState();
    txId = await client.create();
    runner = (await client.begin(await client.create(), 'preview')).token;
  });
  afterAll(() => backend.stop());

  type Route = [name: string, path: () => string, key: () => string, limit: number];
  const routes: Route[] = [
    ['a report', () => '/actuator/results', () => runner, 64 * MIB],
    ['log entries', () => `/tx/${txId}/logs/append`, () => backend.key, 32 * MIB],
    ['hashes', () => `/states/${state.id}/revision`, () => backend.key, 32 * MIB],
  ];

  /** The status of the answer to a body that never ends. */
  async function answeredWhileSending(path: string, key?: string): Promise<number | undefined> {
    const outgoing = request(`${backend.url}/api/v1${path}`, {
      method: 'POST',
      agent: false,
      headers: {
        'content-type': 'application/json',
        'transfer-encoding': 'chunked',
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      },
    });
    outgoing.on('error', () => undefined);
    outgoing.write('{"idx": 0, ');
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
    outgoing.destroy();
    return answer.statusCode;
  }

  const zipped = (path: string, body: Buffer | string, key?: string) =>
    send(`${backend.url}/api/v1${path}`, {
      method: 'POST',
      ...(key === undefined ? {} : { key }),
      body: gzipSync(body),
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    });

  it.each(routes)('large bodies of %s are not read without a credential', async (_, path) => {
    expect(await answeredWhileSending(path())).toBe(401);
    expect(await answeredWhileSending(path(), 'made-up')).toBe(401);
  });

  it('are not waited for when a stranger sends them', async () => {
    const stranger = await backend.aUser();
    const foreign = await backend.aState({ tenant_id: await backend.aTenant() });
    expect(await answeredWhileSending(`/states/${foreign.id}/revision`, stranger.key)).toBe(404);
  });

  it.each(routes)(
    'large bodies of %s are refused for their sender before their content',
    async (_, path, key) => {
      const broken = (authorization: Record<string, string>) =>
        send(`${backend.url}/api/v1${path()}`, {
          method: 'POST',
          body: 'no gzip',
          headers: { 'content-type': 'application/json', 'content-encoding': 'gzip', ...authorization },
        });
      expect((await broken({})).status).toBe(401);
      const answer = await broken({ authorization: `Bearer ${key()}` });
      expect([answer.status, answer.json()]).toEqual([
        400,
        { id: 'INVALID_REQUEST', data: 'the body is not valid JSON' },
      ]);
    },
  );

  it.each(routes)(
    'large bodies of %s are inflated only up to the limit of the route',
    async (_, path, key, limit) => {
      const answer = await zipped(path(), Buffer.alloc(limit + 1, 0x20), key());
      expect([answer.status, answer.json()]).toEqual([
        413,
        { id: 'PAYLOAD_TOO_LARGE', data: 'the body exceeds the size limit' },
      ]);
      expect((await zipped(path(), Buffer.alloc(limit + 1, 0x20))).status).toBe(401);
    },
  );

  it('are taken when they are beyond the everyday limit', async () => {
    const many = Array.from({ length: 2_000 }, (_, i) => ({
      action: 'tfvar_set',
      object_type: 'tfvar',
      state_id: state.id,
      data: { file: 'a.tfvars', name: `v${i}`, data: 'x'.repeat(1_000) },
    }));
    const entries = await zipped(`/tx/${txId}/logs/append`, JSON.stringify(many), backend.key);
    expect([entries.status, entries.json()]).toEqual([200, { appended: 2_000 }]);
    const nodes = Array.from({ length: 40_000 }, (_, i) => ({ key: `n${i}`, hash: randomUUID() }));
    const record = await zipped(
      `/states/${state.id}/revision`,
      JSON.stringify({ tx_id: txId, nodes }),
      backend.key,
    );
    expect([record.status, record.json()]).toEqual([200, {}]);
  });
});
