import { randomUUID } from 'node:crypto';
import { aBackend, type TestBackend, type TestState } from '../support/backend.js';
import { change, TransactionClient } from '../support/transactions.js';

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

  it('are refused one by one where the stored document cannot be decomposed', async () => {
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

describe('A task that is aborted', () => {
  /** Nothing becomes a version until it is let go. */
  async function held(): Promise<() => Promise<void>> {
    const connection = await backend.service.pool.connect();
    await connection.query('BEGIN; LOCK TABLE state_versions IN SHARE MODE');
    return async () => {
      await connection.query('ROLLBACK');
      connection.release();
    };
  }

  async function found<T extends object>(sql: string, values: unknown[]): Promise<T> {
    for (;;) {
      const [row] = await rows<T>(sql, values);
      if (row) return row;
    }
  }

  const taskOf = (txId: string) =>
    found<{ id: string }>(
      "SELECT k.id FROM tasks k JOIN transactions t ON t.task_id = k.id WHERE t.id = $1 AND k.state = 'running'",
      [txId],
    );
  /** A version is about to be inserted, and waits for the table. */
  const waitsForTable = () =>
    found(
      `SELECT 1 AS waits FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
       WHERE c.relname = 'state_versions' AND NOT l.granted AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      [],
    );
  const abort = async (taskId: string) => (await client.call('POST', `/tasks/${taskId}/abort`)).status;

  it('while it applies has done nothing, and can be tried again', async () => {
    const state = await backend.aState();
    const txId = await client.logged(state.id, [{ address: 'test_thing.a', value: 1 }]);
    const release = await held();
    const applying = client.call('POST', `/tx/${txId}/apply?replace=overwrite`);
    const { id } = await taskOf(txId);
    await waitsForTable();
    expect(await abort(id)).toBe(200);
    await release();
    expect((await applying).json()).toEqual({ task: { id, state: 'aborted' } });
    expect(await client.state(txId)).toBe('committing');
    expect(await rows('SELECT version FROM state_versions WHERE state_id = $1', [state.id])).toEqual([]);
    expect(await client.apply(txId)).toEqual({ status: 200, task: 'completed' });
    expect(await client.values(state.id)).toEqual({ 'test_thing.a': 1 });
  });

  it('is left out by another one that was to commit it along', async () => {
    const state = await backend.aState();
    const [own, along, gone] = await Promise.all(
      ['own', 'along', 'gone'].map((name) =>
        client.logged(state.id, [{ address: `test_thing.${name}`, value: name }]),
      ),
    );
    if (!own || !along || !gone) throw new Error('no transactions');
    const tasks = new Map<string, string>();
    for (const txId of [along, gone]) {
      const [task] = await rows<{ id: string }>(
        `INSERT INTO tasks (id, kind, tenant_id, created_by, payload)
         SELECT gen_random_uuid(), 'apply-transaction', tenant_id, created_by, jsonb_build_object('tx_id', id, 'replace', 'delta')
         FROM transactions WHERE id = $1 RETURNING id`,
        [txId],
      );
      await rows("UPDATE transactions SET state = 'committing', task_id = $2 WHERE id = $1", [
        txId,
        task?.id,
      ]);
      tasks.set(txId, task?.id ?? '');
    }
    await client.append(own, [{ action: 'refresh', object_type: 'refresh', state_id: state.id, data: {} }]);
    const release = await held();
    const applying = client.apply(own);
    await taskOf(own);
    await waitsForTable();
    expect(await abort(tasks.get(gone) ?? '')).toBe(200);
    await release();
    expect(await applying).toEqual({ status: 200, task: 'completed' });
    expect(await client.values(state.id)).toEqual({ 'test_thing.own': 'own', 'test_thing.along': 'along' });
    expect([await client.state(along), await client.state(gone)]).toEqual(['committed', 'committing']);
    expect((await client.call('GET', `/tasks/${tasks.get(along) ?? ''}/result`)).json()).toEqual({
      states: [{ state_id: state.id, serial: 1 }],
    });
  });

  it('leaves no plan behind, whatever its runner reports', async () => {
    const state = await backend.aState();
    const tx = await client.create();
    await client.append(tx, [{ action: 'refresh', object_type: 'refresh', state_id: state.id, data: {} }]);
    const { task, token } = await client.begin(tx, 'preview');
    // By nobody's request: those for the task of a step are refused.
    await rows("UPDATE tasks SET state = 'aborted', finished_at = now() WHERE id = $1", [task]);
    const plan = { resource_changes: [change('test_thing.a', ['create'])] };
    const report = { kind: 'preview', has_changes: true, plan: 'the plan', plan_json: plan };
    const answer = await client.report(token, report);
    expect([answer.status, answer.json()]).toMatchObject([409, { id: 'TX_NOT_ACTIVE' }]);
    expect(await rows('SELECT FROM transaction_plans WHERE tx_id = $1', [tx])).toEqual([]);
    expect(await client.state(tx)).toBe('previewing');
  });
});
