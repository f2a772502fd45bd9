import { randomUUID } from 'node:crypto';
import { aBackend, aWrittenState, BackendClient, Run, type TestBackend } from '../support/backend.js';

describe('The difference of a submission', () => {
  let backend: TestBackend;
  beforeAll(async () => {
    backend = await aBackend();
  });
  afterAll(() => backend?.stop());

  it('shows what its writer changed, and what of it another transaction has changed, to members only', async () => {
    const content = new Map([
      ['a', '1'],
      ['b', '1'],
      ['gone', '1'],
      ['output.url', 'one'],
    ]);
    const state = await aWrittenState(backend, await backend.aState(), content);
    const [mine, other] = ['run-mine', 'run-other'].map((name) => {
      const authorization = `Basic ${Buffer.from(`${name}:${backend.key}`).toString('base64')}`;
      return new Run(
        new BackendClient(state.address, backend.key, { headers: { authorization } }),
        undefined,
      );
    }) as [Run, Run];
    await mine.read();
    await other.read();
    const written = await other.client.post(
      other.next(
        new Map([
          ['a', 'theirs'],
          ['output.url', 'theirs'],
          ['new', 'theirs'],
        ]),
      ),
    );
    expect(written.status).toBe(200);
    const { tx_id: theirs } = written.json() as { tx_id: string };
    const refused = await mine.client.post(
      mine.next(
        new Map([
          ['a', 'mine'],
          ['b', 'mine'],
          ['gone', undefined],
          ['added', 'x'],
          ['output.url', 'mine'],
        ]),
      ),
    );
    expect(refused.status).toBe(409);
    const { results } = (await backend.api('GET', `/states/${state.id}/submissions`)).json() as {
      results: { id: string }[];
    };
    const path = `/states/${state.id}/submissions/${results[0]?.id ?? ''}/diff`;
    const value = (before: string, after: string) => [{ path: 'value', before, after }];
    expect((await backend.api('GET', path)).json()).toEqual({
      added: ['test_thing.added'],
      changed: [
        { address: 'test_thing.a', attributes: value('1', 'mine') },
        { address: 'test_thing.b', attributes: value('1', 'mine') },
      ],
      removed: ['test_thing.gone'],
      outputs: { added: [], changed: ['url'], removed: [] },
      conflicts: expect.arrayContaining([
        { address: 'test_thing.a', tx_id: theirs },
        { output: 'url', tx_id: theirs },
      ]) as unknown,
    });
    const few = (await backend.api('GET', `${path}?limit=1`)).json() as {
      more_changed: number;
      conflicts: unknown[];
    };
    expect([few.more_changed, few.conflicts.length]).toEqual([1, 2]);
    mine.client.close();
    other.client.close();

    const member = await backend.aUser();
    const foreign = await backend.aState({ tenant_id: await backend.aTenant() });
    const status = async (where: string, key: string | undefined) =>
      (await backend.api('GET', where, { key })).status;
    expect({
      anonymous: await status(path, undefined),
      member: await status(path, member.key),
      outsider: await status(path.replace(state.id, foreign.id), member.key),
      'of another state': await status(path.replace(state.id, foreign.id), backend.key),
      unknown: await status(`/states/${state.id}/submissions/${randomUUID()}/diff`, backend.key),
      'no id': await status(`/states/${state.id}/submissions/x/diff`, backend.key),
      'bad limit': await status(`${path}?limit=0`, backend.key),
    }).toEqual({
      anonymous: 401,
      member: 200,
      outsider: 404,
      'of another state': 404,
      unknown: 404,
      'no id': 404,
      'bad limit': 400,
    });
  });

  it('stands in the list of its tenant, newest first, by status and time, page by page', async () => {
    const tenantId = await backend.aTenant();
    const refusedOf = async (name: string): Promise<string> => {
      const state = await aWrittenState(
        backend,
        await backend.aState({ tenant_id: tenantId, name }),
        new Map([['a', '1']]),
      );
      const runs = ['one', 'two'].map((run) => {
        const authorization = `Basic ${Buffer.from(`${name}-${run}:${backend.key}`).toString('base64')}`;
        return new Run(
          new BackendClient(state.address, backend.key, { headers: { authorization } }),
          undefined,
        );
      }) as [Run, Run];
      for (const run of runs) await run.read();
      expect((await runs[0].client.post(runs[0].next(new Map([['a', 'A']])))).status).toBe(200);
      expect((await runs[1].client.post(runs[1].next(new Map([['a', 'B']])))).status).toBe(409);
      for (const run of runs) run.client.close();
      return state.id;
    };
    const states = { first: await refusedOf('first'), second: await refusedOf('second') };
    const list = async (query: string, key?: string) => {
      const answer = await backend.api(
        'GET',
        `/tenants/${tenantId}/submissions?${query}`,
        key ? { key } : {},
      );
      return {
        status: answer.status,
        ...(answer.json() as { results: Record<string, unknown>[]; next_page?: string }),
      };
    };
    const all = await list('status=refused');
    expect(all.results).toEqual(
      (['second', 'first'] as const).map((name) => ({
        id: expect.any(String) as string,
        status: 'refused',
        serial: 2,
        created_at: expect.stringMatching(/Z$/) as string,
        created_by: expect.any(String) as string,
        created_by_name: expect.any(String) as string,
        conflicts_with: [expect.any(String)],
        base_version: 1,
        state_id: states[name],
        state_name: name,
      })),
    );
    expect((await list('status=merged')).results).toEqual([]);
    const today = new Date().toISOString().slice(0, 10);
    expect((await list(`from=${today}&to=2999-01-01`)).results).toHaveLength(2);
    expect((await list('to=2020-01-01')).results).toEqual([]);
    const { results, next_page } = await list('limit=1');
    const rest = await list(`limit=1&page=${next_page ?? ''}`);
    expect([...results, ...rest.results]).toEqual(all.results);
    expect(rest.next_page).toBeUndefined();
    const outsider = await backend.aUser();
    const foreign = await backend.aTenant();
    const status = async (tenant: string, key: string | undefined, query = '') =>
      (await backend.api('GET', `/tenants/${tenant}/submissions?${query}`, { key })).status;
    expect({
      anonymous: await status(tenantId, undefined),
      outsider: await status(foreign, outsider.key),
      unknown: await status(randomUUID(), backend.key),
      'bad time': await status(tenantId, backend.key, 'from=yesterday'),
      'bad status': await status(tenantId, backend.key, 'status=lost'),
      'bad page': await status(tenantId, backend.key, 'page=x'),
    }).toEqual({
      anonymous: 401,
      outsider: 404,
      unknown: 404,
      'bad time': 400,
      'bad status': 400,
      'bad page': 400,
    });
  });
});
