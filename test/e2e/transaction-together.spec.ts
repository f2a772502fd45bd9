import { randomUUID } from 'node:crypto';
import { aBackend, type TestBackend, type TestState } from '../support/backend.js';
import { TransactionClient } from '../support/transactions.js';

let backend: TestBackend;
let client: TransactionClient;
beforeAll(async () => {
  backend = await aBackend();
  client = new TransactionClient(backend);
});
afterAll(() => backend?.stop());

const rows = async <T extends object>(sql: string, values: unknown[]): Promise<T[]> =>
  (await backend.service.pool.query<T>(sql, values)).rows;

interface Applied {
  txId: string;
  requestId: string;
  status: number;
  body: { id?: string; data?: string; task?: { id: string; state: string } };
}

/** All at the same moment. */
function applyAll(txIds: readonly string[]): Promise<Applied[]> {
  return Promise.all(
    txIds.map(async (txId): Promise<Applied> => {
      const requestId = `request-${randomUUID()}`;
      const answer = await fetch(`${backend.url}/api/v1/tx/${txId}/apply`, {
        method: 'POST',
        headers: { authorization: `Bearer ${backend.key}`, 'x-request-id': requestId },
      });
      return { txId, requestId, status: answer.status, body: (await answer.json()) as Applied['body'] };
    }),
  );
}

describe('Transactions that are applied to one state at the same moment', () => {
  const many = 24;

  async function loggedMany(state: TestState): Promise<string[]> {
    return Promise.all(
      Array.from({ length: many }, (_, n) =>
        client.logged(state.id, [{ address: `test_thing.n${n}`, value: n }]),
      ),
    );
  }

  it('become few versions, and each keeps its own changes, task, result and audit entry', async () => {
    const state = await backend.aState();
    const txIds = await loggedMany(state);
    const applied = await applyAll(txIds);
    expect(applied.map(({ status }) => status)).toEqual(txIds.map(() => 200));
    expect(await client.values(state.id)).toEqual(
      Object.fromEntries(txIds.map((_, n) => [`test_thing.n${n}`, n])),
    );
    const [versions] = await rows<{ n: number }>(
      'SELECT count(*)::int AS n FROM state_versions WHERE state_id = $1',
      [state.id],
    );
    expect(versions?.n).toBeLessThan(many);
    const changes = await rows('SELECT tx_id, address FROM state_changes WHERE state_id = $1', [state.id]);
    expect(changes).toHaveLength(many);
    expect(changes).toEqual(
      expect.arrayContaining(txIds.map((txId, n) => ({ tx_id: txId, address: `test_thing.n${n}` }))),
    );
    for (const { txId, requestId, body } of applied) {
      expect(await client.state(txId)).toBe('committed');
      const task = (await client.call('GET', `/tasks/${body.task?.id ?? ''}`)).json();
      expect(task).toMatchObject({ id: body.task?.id, state: 'completed' });
      expect((await client.call('GET', `/tasks/${body.task?.id ?? ''}/result`)).json()).toMatchObject({
        states: [{ state_id: state.id }],
      });
      expect(
        await rows('SELECT request_id FROM audit_entries WHERE action = $1 AND object_id = $2', [
          'tx.apply',
          txId,
        ]),
      ).toEqual([{ request_id: requestId }]);
    }
  });

  it('lets one of those that meet win, names it to the others, and stops nobody else', async () => {
    const state = await backend.aState();
    const apart = await loggedMany(state);
    const meeting = await Promise.all(
      Array.from({ length: 5 }, (_, n) => client.logged(state.id, [{ address: 'test_thing.met', value: n }])),
    );
    const applied = await applyAll([...apart.slice(0, 12), ...meeting, ...apart.slice(12)]);
    const winners = applied.filter(({ status }) => status === 200).map(({ txId }) => txId);
    expect(winners).toEqual(expect.arrayContaining(apart));
    const [winner, ...others] = winners.filter((txId) => meeting.includes(txId));
    expect(others).toEqual([]);
    for (const { txId, status, body } of applied)
      if (!winners.includes(txId)) {
        expect([status, body]).toEqual([409, { id: 'TX_CONFLICT', data: winner }]);
        expect(await client.state(txId)).toBe('open');
      }
    expect((await client.values(state.id))['test_thing.met']).toBe(meeting.indexOf(winner ?? ''));
  });

  it('may ask twice at once, and are applied once', async () => {
    const state = await backend.aState();
    const txId = await client.logged(state.id, [{ address: 'test_thing.a', value: 1 }]);
    const applied = await applyAll([txId, txId, txId]);
    expect(applied.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
    for (const { status, body } of applied)
      if (status !== 200) expect([status, body.id]).toEqual([409, 'TX_NOT_ACTIVE']);
    const versions = await rows('SELECT version FROM state_versions WHERE state_id = $1', [state.id]);
    expect(versions).toHaveLength(1);
  });

  it('are refused one by one where the stored document cannot be taken apart', async () => {
    const state = await backend.aState();
    const txIds = await loggedMany(state);
    await backend.service.pool.query("UPDATE states SET graph_error = 'a test' WHERE id = $1", [state.id]);
    const applied = await applyAll(txIds.slice(0, 4));
    for (const { txId, body } of applied) {
      expect(await client.ended(body.task?.id ?? '')).toBe('failed');
      expect(await client.state(txId)).toBe('failed-committed');
    }
    await backend.service.pool.query('UPDATE states SET graph_error = NULL WHERE id = $1', [state.id]);
    expect((await applyAll(txIds)).map(({ status }) => status)).toEqual(txIds.map(() => 200));
    expect(Object.keys(await client.values(state.id))).toHaveLength(many);
  });
});
