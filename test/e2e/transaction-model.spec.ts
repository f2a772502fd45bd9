import { rounds } from '../support/endurance.js';
import * as fc from 'fast-check';
import { aBackend, type TestBackend, type TestState } from '../support/backend.js';
import { type RunningService, startService } from '../support/service.js';
import { setInstance, TransactionClient } from '../support/transactions.js';

/** What one transaction wants: a value for an address, or its end; the same for outputs. */
type Wish = ReadonlyMap<string, 'set' | 'delete'>;

const ADDRESSES = ['test_thing.a', 'test_thing.b', 'module.m.test_thing.c', 'test_thing.d', 'output.o'];

const wish: fc.Arbitrary<Wish> = fc
  .uniqueArray(
    fc.tuple(fc.constantFrom(...ADDRESSES), fc.constantFrom<'set' | 'delete'>('set', 'set', 'delete')),
    {
      minLength: 1,
      maxLength: 3,
      selector: ([address]) => address,
    },
  )
  .map((pairs) => new Map(pairs));

let backend: TestBackend;
let replica: RunningService;
let workers: RunningService[];
let clients: TransactionClient[];
beforeAll(async () => {
  backend = await aBackend();
  const { database } = backend.service;
  replica = await startService({ database });
  workers = [
    await startService({ role: 'worker', database }),
    await startService({ role: 'worker', database }),
  ];
  const other: TestBackend = { ...backend, url: replica.url };
  clients = [new TransactionClient(backend), new TransactionClient(other)];
});
afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.stop()));
  await replica.stop();
  await backend.stop();
});

function entriesOf(state: TestState, want: Wish, value: string): unknown[] {
  return [...want].map(([address, what]) => {
    const [kind, name = ''] = address.split('.');
    const isOutput = kind === 'output';
    if (what === 'set' && !isOutput) return setInstance(state.id, { address, value });
    return {
      action: `state_${what}`,
      object_type: isOutput ? 'output' : 'instance',
      state_id: state.id,
      data: isOutput ? { name, ...(what === 'set' ? { type: 'string', value } : {}) } : { address },
    };
  });
}

interface Attempt {
  txId: string;
  want: Wish;
  value: string;
  /** transactions in the way, when it was refused */
  refusedFor: string[] | undefined;
}

async function attempt(
  client: TransactionClient,
  state: TestState,
  want: Wish,
  txId: string,
): Promise<Attempt> {
  const value = `of ${txId}`;
  await client.append(txId, entriesOf(state, want, value));
  const answer = await client.call('POST', `/tx/${txId}/apply`);
  if (answer.status === 409)
    return { txId, want, value, refusedFor: (answer.json() as { data: string }).data.split(',') };
  expect(answer.status).toBe(200);
  expect(await client.ended((answer.json() as { task: { id: string } }).task.id)).toBe('completed');
  return { txId, want, value, refusedFor: undefined };
}

const overlaps = (a: Attempt, b: Attempt) => [...a.want.keys()].some((address) => b.want.has(address));

const setBoth = (a: Attempt, b: Attempt) =>
  [...a.want].filter(([address, what]) => what === 'set' && b.want.get(address) === 'set');

describe('Random transactions at once', () => {
  it('lose nothing, hinder nobody they do not meet, and come out as one after the other', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(wish, { minLength: 2, maxLength: 7 }), async (wishes) => {
        const state = await backend.aState();
        const [first = undefined, second = undefined] = clients;
        if (!first || !second) throw new Error('two replicas are needed');
        const ids = await Promise.all(wishes.map(() => first.create()));
        const attempts = await Promise.all(
          wishes.map((want, n) => attempt(n % 2 === 0 ? first : second, state, want, ids[n] ?? '')),
        );
        const byId = new Map(attempts.map((one) => [one.txId, one]));
        const committed = attempts.filter((one) => one.refusedFor === undefined);
        expect(committed.length).toBeGreaterThan(0);
        for (const refused of attempts)
          for (const other of refused.refusedFor ?? []) {
            const winner = byId.get(other);
            expect(winner?.refusedFor).toBeUndefined();
            expect(winner && overlaps(refused, winner)).toBe(true);
          }
        // No two of those that committed set the same: all were created before any was committed. One that deletes what
        // is not there has changed nothing, and may come before the one that sets it; the document tells whether it did.
        for (const one of committed)
          for (const other of committed) if (one !== other) expect(setBoth(one, other)).toEqual([]);
        const expected = new Map<string, string>();
        for (const { want, value } of committed)
          for (const [address, what] of want) if (what === 'set') expected.set(address, value);
        const document = await first.document(state.id);
        const actual = new Map<string, unknown>([
          ...Object.entries(await first.values(state.id)),
          ...Object.entries(document.outputs).map(([name, { value }]): [string, unknown] => [
            `output.${name}`,
            value,
          ]),
        ]);
        expect(actual).toEqual(expected);
      }),
      { numRuns: rounds(10, 60), endOnFailure: true },
    );
  }, 120_000);

  it('follow one another as their versions say', async () => {
    const state = await backend.aState();
    const [first = undefined, second = undefined] = clients;
    if (!first || !second) throw new Error('two replicas are needed');
    const wishes = fc.sample(wish, { numRuns: 40, seed: 7 });
    const wanted = new Map<string, { want: Wish; value: string }>();
    const run = async (client: TransactionClient, part: readonly Wish[]): Promise<void> => {
      for (const want of part) {
        const one = await attempt(client, state, want, await client.create());
        if (one.refusedFor === undefined) wanted.set(one.txId, one);
      }
    };
    await Promise.all(
      [0, 1, 2, 3].map((n) => run(n % 2 ? first : second, wishes.slice(n * 10, n * 10 + 10))),
    );
    const { results } = (await backend.api('GET', `/states/${state.id}/versions?limit=1000`)).json() as {
      results: { serial: number; tx_id: string }[];
    };
    const model = new Map<string, string>();
    const { rows } = await backend.service.pool.query<{ tx_id: string }>(
      'SELECT DISTINCT version, tx_id FROM state_changes WHERE state_id = $1 ORDER BY version',
      [state.id],
    );
    for (const { tx_id: txId } of rows)
      for (const [address, what] of wanted.get(txId)?.want ?? [])
        if (what === 'set') model.set(address, `of ${txId}`);
        else model.delete(address);
    expect(results.every(({ tx_id: txId }) => wanted.has(txId))).toBe(true);
    const document = await first.document(state.id);
    expect({
      ...(await first.values(state.id)),
      ...Object.fromEntries(
        Object.entries(document.outputs).map(([name, { value }]) => [`output.${name}`, value]),
      ),
    }).toEqual(Object.fromEntries(model));
  }, 120_000);
});
