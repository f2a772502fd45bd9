import { randomUUID } from 'node:crypto';
import { aBackend, type TestBackend } from '../support/backend.js';
import { TransactionClient } from '../support/transactions.js';

describe('/tasks', () => {
  let backend: TestBackend;
  beforeAll(async () => {
    backend = await aBackend();
  });
  afterAll(() => backend.stop());

  const create = async () => (await backend.api('POST', '/tasks')).json() as { id: string; state: string };

  it('creates a task that waits for its work', async () => {
    const answer = await backend.api('POST', '/tasks');
    expect(answer.status).toBe(200);
    const task = answer.json() as { id: string };
    expect(task).toEqual({ id: expect.any(String) as string, state: 'pending' });
    expect((await backend.api('GET', `/tasks/${task.id}`)).json()).toEqual({ id: task.id, state: 'pending' });
    expect((await backend.api('GET', `/tasks/${task.id}/results`)).json()).toEqual({ count: 0 });
    const result = await backend.api('GET', `/tasks/${task.id}/result`);
    expect([result.status, (result.json() as { id: string }).id]).toEqual([404, 'TASK_RESULT_NOT_FOUND']);
  });

  it('gives a result whole or by fragment', async () => {
    const { id } = await create();
    const { pool } = backend.service;
    await pool.query("INSERT INTO task_results VALUES ($1, 0, '{\"a\":'), ($1, 1, '1}')", [id]);
    expect((await backend.api('GET', `/tasks/${id}/results`)).json()).toEqual({ count: 2 });
    expect((await backend.api('GET', `/tasks/${id}/result`)).bytes.toString()).toBe('{"a":1}');
    expect((await backend.api('GET', `/tasks/${id}/result?idx=1`)).bytes.toString()).toBe('1}');
    expect((await backend.api('GET', `/tasks/${id}/result?idx=2`)).status).toBe(404);
    for (const idx of ['x', '-1', '99999999999'])
      expect((await backend.api('GET', `/tasks/${id}/result?idx=${idx}`)).status).toBe(400);
  });

  it('aborting a task twice aborts it once', async () => {
    const { id } = await create();
    expect((await backend.api('POST', `/tasks/${id}/abort`)).json()).toEqual({ id, state: 'aborted' });
    expect((await backend.api('POST', `/tasks/${id}/abort`)).status).toBe(409);
    expect((await backend.api('GET', `/tasks/${id}`)).json()).toMatchObject({ state: 'aborted' });
  });

  it('a task that is a step of a transaction cannot be aborted alone, and ends with the report', async () => {
    const client = new TransactionClient(backend);
    const state = await backend.aState();
    const tx = await client.logged(state.id, [{ address: 'test_thing.a', value: 1 }]);
    const { task, token } = await client.begin(tx, 'commit');
    const abort = async () =>
      ((await backend.api('POST', `/tasks/${task}/abort`)).json() as { id: string }).id;
    expect(await abort()).toBe('TASK_IS_STEP');
    const report = { kind: 'failure', reason: { code: 'refused', message: 'no' } };
    expect((await client.report(token, report)).status).toBe(200);
    expect(await client.ended(task)).toBe('failed');
    expect(await client.state(tx)).toBe('failed-committed');
    expect(await abort()).toBe('TASK_FINISHED');
  });

  it('is there for its creator only, and for the members of the tenant it works in', async () => {
    const stranger = await backend.aUser();
    const { id } = await create();
    const ofTenant = randomUUID();
    await backend.service.pool.query(
      "INSERT INTO tasks (id, kind, tenant_id, payload) VALUES ($1, 'noted', $2, '{}')",
      [ofTenant, await backend.aTenant()],
    );
    for (const path of ['', '/results', '/result', '/abort']) {
      const method = path === '/abort' ? 'POST' : 'GET';
      for (const task of [id, ofTenant, randomUUID(), 'none']) {
        const answer = await backend.api(method, `/tasks/${task}${path}`, { key: stranger.key });
        expect([path, answer.status, (answer.json() as { id: string }).id]).toEqual([
          path,
          404,
          'TASK_NOT_FOUND',
        ]);
      }
      expect((await backend.api(method, `/tasks/${id}${path}`, { key: undefined })).status).toBe(401);
    }
    expect((await backend.api('POST', '/tasks', { key: undefined })).status).toBe(401);
    expect((await backend.api('GET', `/tasks/${ofTenant}`)).status).toBe(200);
  });
});
