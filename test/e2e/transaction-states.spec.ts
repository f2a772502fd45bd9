import { aBackend, type Answer, BackendClient, bytesOf, send, type TestBackend } from '../support/backend.js';
import { type RunningService, startService } from '../support/service.js';
import { change, setInstance, TransactionClient } from '../support/transactions.js';

let backend: TestBackend;
let client: TransactionClient;
let worker: RunningService;
beforeAll(async () => {
  backend = await aBackend();
  worker = await startService({ role: 'worker', database: backend.service.database });
  client = new TransactionClient(backend);
});
afterAll(async () => {
  await worker.stop();
  await backend.stop();
});

const idOf = (answer: { status: number; json(): unknown }) => [
  answer.status,
  (answer.json() as { id: string }).id,
];

describe('A transaction', () => {
  it('takes another lineage for a state that has a document only where it overwrites that', async () => {
    const state = await backend.aState();
    const connection = new BackendClient(state.address, backend.key);
    expect((await connection.post(bytesOf(new Map([['a', '1']]), 4, 'stored'))).status).toBe(200);
    connection.close();
    const says = async (lineage: string) => {
      const tx = await client.logged(state.id, [{ address: 'test_thing.a', value: lineage }]);
      const data = { version: 4, terraform_version: '1.11.4', serial: 9, lineage };
      const entry = { action: 'state_set', object_type: 'state_metadata', state_id: state.id, data };
      await client.append(tx, [entry]);
      return tx;
    };
    expect((await client.apply(await says('delta'))).task).toBe('completed');
    expect((await client.document(state.id)).lineage).toBe('stored');
    expect((await client.apply(await says('overwritten'), '?replace=overwrite')).task).toBe('completed');
    const document = await client.document(state.id);
    expect([document.lineage, document.serial]).toEqual(['overwritten', 6]);
    expect((await backend.api('GET', `/states/${state.id}`)).json()).toMatchObject({
      lineage: 'overwritten',
    });
  });

  it('is closed to `?tx=` before a run changes anything, and keeps what a run sends all the same', async () => {
    const state = await backend.aState();
    const session = await backend.api('POST', '/tx/session/create', {
      body: { tenant_id: backend.tenantId },
    });
    const { tx, token } = session.json() as { tx: { id: string }; token: string };
    const writer = new BackendClient(state.address, token);
    expect((await writer.post(bytesOf(new Map([['a', '1']]), 1, 'one'))).status).toBe(200);
    writer.close();
    const late = new BackendClient(`${state.address}?tx=${tx.id}`, backend.key);
    expect((await late.get()).status).toBe(200);
    expect((await backend.api('POST', `/tx/${tx.id}/commit`)).status).toBe(200);
    const document = bytesOf(new Map([['test_thing.a', 'late']]), 9, 'one');
    const refused = await late.post(document);
    expect(idOf(refused)).toEqual([409, 'TX_NOT_ACTIVE']);
    for (const answer of [await late.get(), await late.lock({ ID: 'a' })])
      expect(idOf(answer)).toEqual([409, 'TX_NOT_ACTIVE']);
    late.close();
    const { results } = (
      await backend.api('GET', `/states/${state.id}/submissions?status=refused`)
    ).json() as { results: { id: string }[] };
    expect(results).toHaveLength(1);
    const kept = await backend.api('GET', `/states/${state.id}/submissions/${results[0]?.id}`);
    expect(kept.bytes.equals(document)).toBe(true);
  });

  it('answers who asks again with the same key and credential as before, and nobody else', async () => {
    const state = await backend.aState();
    const tx = await client.logged(state.id, [{ address: 'test_thing.a', value: 'one' }]);
    const other = await backend.aKey();
    const ask = (step: string, key: string, as = client.key) =>
      send(`${backend.url}/api/v1/tx/${tx}/${step}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${as}`, 'idempotency-key': key },
      });
    const begun = (answer: Answer) => {
      expect(answer.status).toBe(200);
      return answer.json() as { task: { id: string }; token: string };
    };
    const first = begun(await ask('preview', 'key-1'));
    const again = begun(await ask('preview', 'key-1'));
    expect(again.task.id).toBe(first.task.id);
    expect(idOf(await ask('preview', 'key-2'))).toEqual([409, 'TX_BUSY']);
    expect(idOf(await ask('preview', 'key-1', other))).toEqual([409, 'TX_BUSY']);
    expect(idOf(await ask('commit', 'key-1'))).toEqual([409, 'TX_BUSY']);
    for (const bad of ['a b', 'x'.repeat(129)])
      expect(idOf(await ask('preview', bad))).toEqual([400, 'INVALID_REQUEST']);
    const plan = { resource_changes: [change('test_thing.a', ['create'])] };
    const report = { kind: 'preview', has_changes: true, plan: '', plan_json: plan };
    expect((await client.report(again.token, report)).status).toBe(200);
    expect(await client.ended(first.task.id)).toBe('completed');
    const committing = begun(await ask('commit', 'key-1'));
    expect(begun(await ask('commit', 'key-1')).task.id).toBe(committing.task.id);
    expect(idOf(await client.call('POST', `/tx/${tx}/commit`))).toEqual([409, 'TX_BUSY']);
    expect(await client.state(tx)).toBe('committing');
  });

  it('appends entries once that are sent again with the same key, also after the commit has begun', async () => {
    const state = await backend.aState();
    const tx = await client.create();
    const other = await backend.aKey();
    const append = (key: string, value: string, as = client.key) =>
      send(`${backend.url}/api/v1/tx/${tx}/logs/append`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${as}`,
          'idempotency-key': key,
          'content-type': 'application/json',
        },
        body: Buffer.from(JSON.stringify([setInstance(state.id, { address: 'test_thing.a', value })])),
      });
    const stored = async () => {
      const { rows } = await backend.service.database.pool.query<{ entries: number; bytes: number }>(
        'SELECT count(*)::int AS entries, sum(size)::int AS bytes FROM transaction_logs WHERE tx_id = $1',
        [tx],
      );
      return rows[0];
    };
    const appended = async (answer: Answer) => {
      expect([answer.status, answer.json()]).toEqual([200, { appended: 1 }]);
      return stored();
    };
    const once = await appended(await append('key-1', 'one'));
    expect(once?.entries).toBe(1);
    expect(await appended(await append('key-1', 'one'))).toEqual(once);
    expect(await appended(await append('key-2', 'two'))).toMatchObject({ entries: 2 });
    expect(await appended(await append('key-1', 'one', other))).toMatchObject({ entries: 3 });
    expect(idOf(await append('a b', 'one'))).toEqual([400, 'INVALID_REQUEST']);
    expect((await client.call('POST', `/tx/${tx}/commit`)).status).toBe(200);
    expect(await appended(await append('key-2', 'two'))).toMatchObject({ entries: 3 });
    expect(idOf(await append('key-3', 'three'))).toEqual([409, 'TX_BUSY']);
  });
});
