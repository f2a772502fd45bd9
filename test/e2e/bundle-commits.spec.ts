import { aBackend, BackendClient, bytesOf, type TestBackend, type TestState } from '../support/backend.js';
import { block, type Bundle, logged, nameOf, Runner } from '../support/bundles.js';
import { type RunningService, startService } from '../support/service.js';
import { change, TransactionClient } from '../support/transactions.js';

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
const names = ({ hcl }: Bundle) => hcl.map(nameOf).sort();
const addresses = ({ state }: Bundle) => state.resources.map(({ type, name }) => `${type}.${name}`);
const resource = (name: string, ...refs: string[]) =>
  block({ resource: { test_thing: { [name]: { refs: refs.map((ref) => `\${${ref}}`) } } } });

/** A document with `test_thing.a` and `test_thing.b`. */
async function post(state: TestState): Promise<void> {
  const connection = new BackendClient(state.address, backend.key);
  const document = bytesOf(
    new Map([
      ['a', '1'],
      ['b', '2'],
    ]),
    1,
    'lineage',
  );
  expect((await connection.post(document)).status).toBe(200);
  connection.close();
}

describe('A runner that commits', () => {
  const things = [resource('a'), resource('b', 'test_thing.a')];

  it('gets the bundle of the plan again, page by page the same', async () => {
    const state = await backend.aState();
    await post(state);
    const runner = await Runner.of(client, state, things);
    await runner.generate();
    const pages = await runner.cursors(1);
    const planned = await Promise.all(pages.map((page) => runner.call('bundle', page)));
    const preview = {
      kind: 'preview',
      has_changes: true,
      plan: 'text',
      plan_json: { resource_changes: [change('test_thing.a', ['update'])] },
    };
    expect((await client.report(runner.token, preview)).status).toBe(200);
    const commit = await client.begin(runner.txId, 'commit');
    const committing = new Runner(client, commit.token, commit.task, runner.txId);
    await committing.generate();
    expect(await committing.cursors(1)).toEqual(pages);
    const again = await Promise.all(pages.map((page) => committing.call('bundle', page)));
    expect(again.map(({ bytes }) => bytes.toString())).toEqual(planned.map(({ bytes }) => bytes.toString()));
    expect(idOf(await runner.call('bundle/generate'))).toEqual([409, 'TX_NOT_ACTIVE']);
  });

  it('gets a bundle of its own where nothing was planned, and is compared with it', async () => {
    const state = await backend.aState();
    await post(state);
    const txId = await logged(client, state, things);
    const commit = await client.begin(txId, 'commit');
    const runner = new Runner(client, commit.token, commit.task, txId);
    const bundle = await runner.bundle();
    expect([names(bundle), addresses(bundle)]).toEqual([
      ['test_thing.a', 'test_thing.b'],
      ['test_thing.a', 'test_thing.b'],
    ]);
    const after = { ...bundle.state, resources: bundle.state.resources.slice(0, 1) };
    const report = { kind: 'commit', output: 'done', state: after };
    expect((await client.report(runner.token, report)).status).toBe(200);
    expect(await client.ended(runner.task)).toBe('completed');
    expect(Object.keys(await client.values(state.id))).toEqual(['test_thing.a']);
    expect(idOf(await runner.call('bundle/generate'))).toEqual([409, 'TX_NOT_ACTIVE']);
  });

  it('gets none of what somebody else is about to commit', async () => {
    const state = await backend.aState();
    await post(state);
    const first = await logged(client, state, things);
    const commit = await client.begin(first, 'commit');
    const other = await client.create();
    const deletion = { action: 'state_delete', object_type: 'instance', state_id: state.id };
    await client.append(other, [{ ...deletion, data: { address: 'test_thing.b' } }]);
    await client.begin(other, 'commit');
    const runner = new Runner(client, commit.token, commit.task, first);
    const { id } = (await runner.call('bundle/generate')).json() as { id: string };
    expect(await client.ended(id)).toBe('failed');
    expect(idOf(await runner.call('bundle'))).toEqual([404, 'BUNDLE_NOT_FOUND']);
  });
});
