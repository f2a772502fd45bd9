import { aBackend, type TestBackend } from '../support/backend.js';

let backend: TestBackend;
beforeAll(async () => {
  backend = await aBackend();
});
afterAll(() => backend.stop());

describe('A grant that does not reach the whole tenant', () => {
  const post = (path: string, key: string, body?: unknown) =>
    backend.api('POST', path, { key, ...(body === undefined ? {} : { body }) });
  const begun = async (key: string) => {
    const answer = await post(`/tenants/${backend.tenantId}/tx/create`, key, { state_schema_version: 1 });
    expect(answer.status).toBe(201);
    return (answer.json() as { id: string }).id;
  };
  const hcl = (stateId: string) => ({
    action: 'hcl_set',
    object_type: 'hcl',
    state_id: stateId,
    data: { file: 'main.tf', module: '', data: { locals: { a: 1 } } },
  });
  const output = (stateId: string) => ({
    action: 'state_set',
    object_type: 'output',
    state_id: stateId,
    data: { name: 'o', type: 'string', value: 'v' },
  });
  const append = async (tx: string, key: string, entry: unknown) =>
    (await post(`/tx/${tx}/logs/append`, key, [entry])).status;

  it('`preview` alone plans in transactions of its own, and commits nothing', async () => {
    const state = await backend.aState();
    const key = await backend.aKey({ preview: { tenants: [backend.tenantId] } });
    const tx = await begun(key);
    expect(await append(tx, key, hcl(state.id))).toBe(200);
    expect(await append(tx, key, output(state.id))).toBe(403);
    const revision = { tx_id: tx, nodes: [{ key: 'local.a', hash: 'h' }] };
    expect((await post(`/states/${state.id}/revision`, key, revision)).status).toBe(200);
    expect((await post(`/tx/${tx}/preview`, key)).status).toBe(200);
    for (const step of ['commit', 'apply']) expect((await post(`/tx/${tx}/${step}`, key)).status).toBe(403);
    expect((await post(`/tx/${tx}/abort`, key)).status).toBe(200);

    const member = await backend.aUser();
    await post(`/tenants/${backend.tenantId}/members`, backend.session, { user_id: member.id });
    const foreign = await begun(member.key);
    expect(await append(foreign, key, hcl(state.id))).toBe(403);
    const theirs = { ...revision, tx_id: foreign };
    expect((await post(`/states/${state.id}/revision`, key, theirs)).status).toBe(403);
    expect((await post(`/tx/${foreign}/abort`, key)).status).toBe(403);
    expect((await post(`/tx/${foreign}/abort`, backend.key)).status).toBe(200);
  });

  it('`preview` ends no commit of the same user that a runner is at', async () => {
    const state = await backend.aState();
    const key = await backend.aKey({ preview: { tenants: [backend.tenantId] } });
    const tx = await begun(backend.key);
    expect(await append(tx, backend.key, output(state.id))).toBe(200);
    expect((await post(`/tx/${tx}/commit`, backend.key)).status).toBe(200);
    expect((await post(`/tx/${tx}/abort`, key)).status).toBe(403);
    expect((await post(`/tx/${tx}/abort`, backend.key)).status).toBe(200);
  });

  it('`commit` on one state changes that one, and takes part in no transaction over others', async () => {
    const [mine, other] = [await backend.aState(), await backend.aState()];
    const key = await backend.aKey({ commit: { states: { [mine.id]: ['*'] } } });
    const tx = await begun(key);
    expect(await append(tx, key, output(other.id))).toBe(403);
    expect(await append(tx, key, output(mine.id))).toBe(200);
    expect((await post(`/tx/${tx}/apply`, key)).status).toBe(200);
    const exported = await backend.api('GET', `/states/${mine.id}/export`);
    expect(exported.json()).toMatchObject({ outputs: { o: { value: 'v' } } });

    const both = await begun(backend.key);
    for (const state of [mine, other]) expect(await append(both, backend.key, output(state.id))).toBe(200);
    for (const step of ['preview', 'commit', 'apply'])
      expect((await post(`/tx/${both}/${step}`, key)).status).toBe(403);
    const { token, tx: session } = (
      await post('/tx/session/create', key, { tenant_id: backend.tenantId })
    ).json() as { token: string; tx: { id: string } };
    expect((await post(`/tx/${session.id}/commit`, token)).status).toBe(200);
  });

  it('adds nothing to, and does not end, what its user has begun over other states with another key', async () => {
    const [mine, other] = [await backend.aState(), await backend.aState()];
    const key = await backend.aKey({ preview: { states: { [mine.id]: ['*'] } } });
    const tx = await begun(backend.key);
    expect(await append(tx, backend.key, output(other.id))).toBe(200);
    const { state_id: _, ...unnamed } = hcl(other.id);
    for (const entry of [unnamed, hcl(other.id)]) expect(await append(tx, key, entry)).toBe(403);
    expect((await post(`/tx/${tx}/abort`, key)).status).toBe(403);
    const own = await begun(key);
    for (const entry of [unnamed, hcl(mine.id), unnamed]) expect(await append(own, key, entry)).toBe(200);
    expect((await post(`/tx/${own}/abort`, key)).status).toBe(200);
  });

  it('a caller without rights can begin nothing', async () => {
    const key = await backend.aKey({});
    const body = { tenant_id: backend.tenantId };
    expect((await post('/tx/session/create', key, body)).status).toBe(403);
  });
});
