import { randomUUID } from 'node:crypto';
import {
  aBackend,
  aWrittenState,
  BackendClient,
  contentOf,
  Run,
  shown,
  StoredDocument,
  TestBackend,
  TestState,
} from '../support/backend.js';

interface Submission {
  id: string;
  status: string;
  base_version?: number;
  resulting_serial?: number;
}

describe('A refused document', () => {
  let backend: TestBackend;
  let group: TestState;

  beforeAll(async () => {
    backend = await aBackend();
    group = await backend.aState();
  });
  afterAll(() => backend.stop());

  /** A write of `a` and `c` that was refused because another one had changed `a`. */
  async function refused() {
    const state = await aWrittenState(
      backend,
      group,
      new Map([
        ['a', '1'],
        ['b', '1'],
      ]),
    );
    const [one, two] = [1, 2].map(
      () => new Run(new BackendClient(state.address, backend.key), undefined),
    ) as [Run, Run];
    await one.read();
    await two.read();
    expect((await one.client.post(one.next(new Map([['a', 'A']])))).status).toBe(200);
    expect(
      (
        await two.client.post(
          two.next(
            new Map([
              ['a', 'B'],
              ['c', 'C'],
            ]),
          ),
        )
      ).status,
    ).toBe(409);
    const [submission] = await submissions(state, 'refused');
    return { state, one, two, id: submission?.id ?? '', submission };
  }

  async function submissions(state: TestState, status: string): Promise<Submission[]> {
    const answer = await backend.api('GET', `/states/${state.id}/submissions?status=${status}`);
    return (answer.json() as { results: Submission[] }).results;
  }

  const accept = (state: TestState, id: string, body: unknown = {}, key?: string) =>
    backend.api('POST', `/states/${state.id}/submissions/${id}/accept`, { body, ...(key ? { key } : {}) });

  async function stored(state: TestState) {
    const client = new BackendClient(state.address, backend.key);
    try {
      return shown(contentOf((await client.get()).json() as StoredDocument));
    } finally {
      client.close();
    }
  }

  it('says the version that its writer started from', async () => {
    expect((await refused()).submission).toMatchObject({ status: 'refused', base_version: 1 });
  });

  it('is not accepted while it overlaps, and is once it does not', async () => {
    const { state, one, id } = await refused();
    const conflict = await accept(state, id, { base_version: 1 });
    expect([conflict.status, conflict.json()]).toMatchObject([409, { id: 'TX_CONFLICT' }]);
    expect(
      (
        await one.client.post(
          one.next(
            new Map([
              ['a', '1'],
              ['d', 'D'],
            ]),
          ),
        )
      ).status,
    ).toBe(200);
    const accepted = await accept(state, id, { base_version: 1 });
    expect([accepted.status, accepted.json()]).toMatchObject([
      200,
      { result: 'merged', version: 4, serial: 4 },
    ]);
    expect(await stored(state)).toEqual([
      ['a', 'B'],
      ['b', '1'],
      ['c', 'C'],
      ['d', 'D'],
    ]);
    expect(await submissions(state, 'refused')).toEqual([]);
    expect(await submissions(state, 'merged')).toMatchObject([{ id, resulting_serial: 4 }]);
  });

  it('is accepted once, however often that is asked, and once audited', async () => {
    const { state, one, id } = await refused();
    expect((await one.client.post(one.next(new Map([['a', '1']])))).status).toBe(200);
    const [first, second] = [await accept(state, id), await accept(state, id)];
    const { version, tx_id } = first.json() as { version: number; tx_id: string };
    expect([second.status, second.json()]).toMatchObject([200, { result: 'unchanged', version, tx_id }]);
    const { rows } = await backend.service.pool.query<{ data: unknown }>(
      `SELECT data FROM audit_entries WHERE action = 'state.accept' AND object_id = $1`,
      [state.id],
    );
    expect(rows).toEqual([{ data: { submission_id: id, base_version: 1, serial: 4 } }]);
  });

  it('is compared with the version that is named', async () => {
    const { state, id } = await refused();
    expect((await accept(state, id, { base_version: 2 })).status).toBe(200);
    expect(await stored(state)).toEqual([
      ['a', 'B'],
      ['b', '1'],
      ['c', 'C'],
    ]);
  });

  it('is not accepted against a version that does not exist, nor another state, nor by somebody who may not write', async () => {
    const { state, id } = await refused();
    for (const base_version of [3, 99]) {
      const missing = await accept(state, id, { base_version });
      expect([missing.status, missing.json()]).toMatchObject([404, { id: 'VERSION_NOT_FOUND' }]);
    }
    for (const base_version of [-1, 1.5, 'x', null, 1e12])
      expect((await accept(state, id, { base_version })).status).toBe(base_version === null ? 409 : 400);
    expect((await accept(await backend.aState(), id)).json()).toMatchObject({ id: 'SUBMISSION_NOT_FOUND' });
    for (const other of [randomUUID(), 'x']) expect((await accept(state, other)).status).toBe(404);
    const reader = await backend.aKey({ preview: {} });
    expect((await accept(state, id, {}, reader)).status).toBe(403);
  });

  it('asks for the base where nothing told it', async () => {
    const state = await aWrittenState(backend, group, new Map([['a', '1']]));
    const stranger = new BackendClient(state.address, await backend.aKey());
    const run = new Run(new BackendClient(state.address, backend.key), undefined);
    await run.read();
    run.serial = 0;
    expect((await stranger.post(run.next(new Map([['b', 'B']])))).status).toBe(409);
    const [submission] = await submissions(state, 'refused');
    expect(submission).not.toHaveProperty('base_version');
    expect((await accept(state, submission?.id ?? '')).status).toBe(400);
    expect((await accept(state, submission?.id ?? '', { base_version: 1 })).status).toBe(200);
    expect(await stored(state)).toEqual([
      ['a', '1'],
      ['b', 'B'],
    ]);
    stranger.close();
    run.client.close();
  });
});
