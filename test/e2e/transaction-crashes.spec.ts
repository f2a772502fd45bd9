import { setTimeout as delay } from 'node:timers/promises';
import { aBackend, type Answer, type TestBackend } from '../support/backend.js';
import { cases } from '../support/endurance.js';
import { type RunningService, startService } from '../support/service.js';
import { change, runState, TransactionClient } from '../support/transactions.js';

let backend: TestBackend;
let worker: RunningService;
let client: TransactionClient;
beforeAll(async () => {
  backend = await aBackend();
  worker = await startService({ role: 'worker', database: backend.service.database });
  client = new TransactionClient(backend);
  await abandonSteps();
});
afterAll(async () => {
  await worker.stop();
  await backend.stop();
});

/** Steps that will never be reported, and what becomes of them; they are looked at once a minute. */
const abandoned: { txId: string; end: string }[] = [];

async function abandonSteps(): Promise<void> {
  const state = await backend.aState();
  const steps = [
    ['preview', 'failed'],
    ['commit', 'failed-committed'],
  ] as const;
  for (const [step, end] of steps) {
    const txId = await aTransaction(state.id);
    const { task } = await client.begin(txId, step);
    await backend.service.pool.query(
      "UPDATE tasks SET created_at = now() - interval '26 hours' WHERE id = $1",
      [task],
    );
    abandoned.push({ txId, end });
  }
}

async function crash(service: RunningService): Promise<void> {
  await service.kill9();
  await service.restart();
}

/** Sends, kills the API so much later, and sends again until there is an answer, as a client does. */
async function despiteCrash(afterMs: number, request: () => Promise<Answer>): Promise<Answer> {
  const lost = request().catch(() => undefined);
  await delay(afterMs);
  await crash(backend.service);
  const answer = await lost;
  return answer ?? (await request());
}

async function aTransaction(stateId: string): Promise<string> {
  const txId = await client.create();
  await client.append(txId, [{ action: 'refresh', object_type: 'refresh', state_id: stateId, data: {} }]);
  return txId;
}

const PLAN = {
  kind: 'preview',
  has_changes: true,
  plan: 'the plan',
  plan_json: { resource_changes: [change('test_thing.a', ['create'])] },
};

const SIZE = 1001;

describe('When a process dies', () => {
  it.each(cases([3, 12], [0, 6, 25]))(
    'while a request applies (%d ms after it was sent), it was applied or is when it is asked for again',
    async (afterMs) => {
      const state = await backend.aState();
      const txId = await client.logged(state.id, [{ address: 'test_thing.a', value: afterMs }]);
      const answer = await despiteCrash(afterMs, () => client.call('POST', `/tx/${txId}/apply`));
      // Committed already: the answer that said so was lost.
      expect([200, 409]).toContain(answer.status);
      if (answer.status === 200)
        expect(await client.ended((answer.json() as { task: { id: string } }).task.id)).toBe('completed');
      expect(await client.state(txId)).toBe('committed');
      expect(await client.values(state.id)).toEqual({ 'test_thing.a': afterMs });
      expect((await client.document(state.id)).serial).toBe(1);
    },
  );

  it.each(cases([5, 20], [0, 2, 10, 40]))(
    'around a report (%d ms after it was sent), the report is taken once and the step ends',
    async (afterMs) => {
      const state = await backend.aState();
      const txId = await aTransaction(state.id);
      const preview = await client.begin(txId, 'preview');
      const reported = await despiteCrash(afterMs, () => client.report(preview.token, PLAN));
      expect(reported.status).toBe(200);
      expect(await client.ended(preview.task)).toBe('completed');
      expect(await client.state(txId)).toBe('previewed');
      const commit = await client.begin(txId, 'commit');
      const left = runState([{ address: 'test_thing.a', value: afterMs }]);
      const taken = await despiteCrash(afterMs, () =>
        client.report(commit.token, { kind: 'commit', output: 'done', state: left }),
      );
      expect(taken.status).toBe(200);
      expect(await client.ended(commit.task)).toBe('completed');
      expect(await client.state(txId)).toBe('committed');
      const document = await client.document(state.id);
      expect(document.serial).toBe(1);
      expect(await client.values(state.id)).toEqual({ 'test_thing.a': afterMs });
    },
  );

  it('while the worker applies, another attempt applies the transaction once', async () => {
    const rounds = [];
    for (const afterMs of cases([3, 25], [0, 10, 60])) {
      const state = await backend.aState();
      // More than a request applies itself.
      const txIds = await Promise.all(
        [0, 1].map((n) =>
          client.logged(
            state.id,
            Array.from({ length: SIZE }, (_, index) => ({ address: `test_thing.t${n}`, value: n, index })),
          ),
        ),
      );
      const tasks = await Promise.all(
        txIds.map(async (txId) => {
          const answer = await client.call('POST', `/tx/${txId}/apply`);
          return (answer.json() as { task: { id: string } }).task.id;
        }),
      );
      await delay(afterMs);
      await crash(worker);
      rounds.push({ state, txIds, tasks });
    }
    for (const { state, txIds, tasks } of rounds) {
      for (const task of tasks) expect(await client.ended(task)).toBe('completed');
      for (const txId of txIds) expect(await client.state(txId)).toBe('committed');
      const values = Object.values(await client.values(state.id));
      expect([0, 1].map((n) => values.filter((value) => value === n).length)).toEqual([SIZE, SIZE]);
      const { rows } = await backend.service.pool.query<{ changes: number; distinct: number }>(
        'SELECT count(*)::int AS changes, count(DISTINCT key)::int AS distinct FROM state_changes WHERE state_id = $1',
        [state.id],
      );
      expect(rows).toEqual([{ changes: 2 * SIZE, distinct: 2 * SIZE }]);
    }
  }, 150_000);

  it('between the steps, the transaction goes on from where it was', async () => {
    const state = await backend.aState();
    const txId = await aTransaction(state.id);
    const preview = await client.begin(txId, 'preview');
    await crash(backend.service);
    expect(await client.state(txId)).toBe('previewing');
    await client.report(preview.token, PLAN);
    await crash(worker);
    await crash(backend.service);
    const commit = await client.begin(txId, 'commit');
    await crash(backend.service);
    expect(await client.state(txId)).toBe('committing');
    const other = await client.logged(state.id, [{ address: 'test_thing.a', value: 'other' }]);
    expect(await client.apply(other)).toEqual({ status: 409, id: 'TX_CONFLICT' });
    await worker.kill9();
    const left = runState([{ address: 'test_thing.a', value: 1 }]);
    await client.report(commit.token, { kind: 'commit', output: '', state: left });
    await crash(backend.service);
    await worker.restart();
    expect(await client.ended(commit.task)).toBe('completed');
    expect(await client.state(txId)).toBe('committed');
    expect(await client.values(state.id)).toEqual({ 'test_thing.a': 1 });
  });

  it('the step ends although nobody ever reports', async () => {
    for (const { txId, end } of abandoned) {
      while ((await client.state(txId)) !== end) await delay(200);
      expect(await client.state(txId)).toBe(end);
    }
  }, 150_000);
});
