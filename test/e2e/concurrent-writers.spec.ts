import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import * as fc from 'fast-check';
import { aBackend, addressOf, BackendClient, TestBackend, TestState } from '../support/backend.js';
import { printDocument, PROVIDER, treeOf } from '../support/document-generator.js';

/** What a state holds: `name` or `name[index]` of an instance, `output.name` of an output, each with one value. */
type Content = Map<string, string>;

const SCENARIOS = Number(process.env['CONCURRENT_SCENARIOS'] ?? 40);
const SEED = Number(process.env['FUZZ_SEED'] ?? Date.now() % 1_000_000);
const KEYS = ['a', 'b', 'c', 'd', 'many[0]', 'many[1]', 'many[2]', 'output.x', 'output.y'];

function bytesOf(content: Content, serial: number, lineage: string): Buffer {
  const resources = new Map<string, { indexKey?: string; value: string }[]>();
  const outputs: Record<string, unknown> = {};
  for (const [key, value] of [...content].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const [name = '', index] = key.split(/[[\]]/);
    if (key.startsWith('output.')) outputs[key.slice(7)] = { value, type: 'string' };
    else
      resources.set(name, [
        ...(resources.get(name) ?? []),
        { value, ...(index === undefined ? {} : { indexKey: index }) },
      ]);
  }
  return printDocument({
    serial,
    lineage,
    outputs: treeOf(outputs),
    resources: [...resources].map(([name, instances]) => ({
      mode: 'managed',
      type: 'test_thing',
      name,
      provider: PROVIDER,
      instances: instances.map(({ value, ...rest }) => ({
        ...rest,
        attributes: treeOf({ value }),
        dependencies: [],
      })),
    })),
  });
}

interface StoredDocument {
  serial: number;
  lineage: string;
  outputs: Record<string, { value: string }>;
  resources: { name: string; instances: { index_key?: number; attributes: { value: string } }[] }[];
}

function contentOf(document: StoredDocument): Content {
  return new Map([
    ...document.resources.flatMap(({ name, instances }) =>
      instances.map((instance): [string, string] => [
        instance.index_key === undefined ? name : `${name}[${instance.index_key}]`,
        instance.attributes.value,
      ]),
    ),
    ...Object.entries(document.outputs).map(([name, output]): [string, string] => [
      `output.${name}`,
      output.value,
    ]),
  ]);
}

function patched(content: Content, changes: ReadonlyMap<string, string | undefined>): Content {
  const result = new Map(content);
  for (const [key, value] of changes) {
    if (value === undefined) result.delete(key);
    else result.set(key, value);
  }
  return result;
}

function changesBetween(before: Content, after: Content): Map<string, string | undefined> {
  const keys = [...new Set([...before.keys(), ...after.keys()])];
  return new Map(
    keys.filter((key) => before.get(key) !== after.get(key)).map((key) => [key, after.get(key)]),
  );
}

function shown(content: Content): [string, string][] {
  return [...content].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** One command of a client that keeps its document in memory and raises the serial with each write, refused or not. */
class Run {
  document: Content = new Map();
  /** what its next write is compared with: what it read, or sent and got accepted */
  base: Content = new Map();
  /** keys that others have changed since it read */
  foreign = new Set<string>();
  serial = 0;
  lineage = '';
  lastSent: Buffer | undefined;
  /** its last write was refused, and it has not read since */
  refused = false;

  constructor(
    readonly client: BackendClient,
    readonly lockId: string | undefined,
  ) {}

  async read(): Promise<void> {
    const document = (await this.client.get()).json() as StoredDocument;
    this.document = contentOf(document);
    this.base = this.document;
    this.foreign = new Set();
    this.serial = document.serial;
    this.lineage = document.lineage;
    this.lastSent = undefined;
    this.refused = false;
  }

  next(changes: ReadonlyMap<string, string | undefined>): Buffer {
    this.document = patched(this.document, changes);
    this.serial++;
    this.lastSent = bytesOf(this.document, this.serial, this.lineage);
    return this.lastSent;
  }
}

interface Mode {
  name: string;
  /** the server can tell every run apart, so that it must refuse exactly the overlapping writes */
  exact: boolean;
  /** values may come back, as with a deliberate revert */
  reverts: boolean;
  connect(state: TestState, key: string, shared: Agent): BackendClient;
  locks: boolean;
  /** a connection stands for one run: a reading over it ends what was refused over it */
  readsEndRefusals?: boolean;
}

const VIA_PROXY = { 'x-forwarded-for': '10.1.2.3' };
const MODES: Mode[] = [
  {
    name: 'one connection each',
    exact: true,
    reverts: true,
    locks: false,
    connect: (state, key) => new BackendClient(state.address, key),
  },
  {
    name: 'a lock id each, behind one proxy',
    exact: true,
    reverts: true,
    locks: true,
    connect: (state, key) => new BackendClient(state.address, key, { headers: VIA_PROXY }),
  },
  {
    name: 'one key behind one proxy',
    exact: false,
    reverts: false,
    locks: false,
    connect: (state, key) => new BackendClient(state.address, key, { headers: VIA_PROXY }),
  },
  {
    name: 'one keep-alive connection for all',
    exact: false,
    reverts: false,
    locks: false,
    readsEndRefusals: true,
    connect: (state, key, shared) => new BackendClient(state.address, key, { agent: shared }),
  },
];

type Step =
  | { kind: 'read' | 'begin' | 'retry'; run: number }
  | { kind: 'write'; run: number; edits: [key: string, value: string | undefined][] };

const edits = fc.uniqueArray(
  fc.tuple(
    fc.constantFrom(...KEYS),
    fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom('one', 'two', 'three') },
      { weight: 1, arbitrary: fc.constant(undefined) },
    ),
  ),
  {
    minLength: 1,
    maxLength: 3,
    selector: ([key]) => key,
  },
);
const run = fc.nat({ max: 2 });
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constantFrom('read' as const, 'begin' as const, 'retry' as const),
        run,
      }),
    },
    { weight: 5, arbitrary: fc.record({ kind: fc.constant('write' as const), run, edits }) },
  ),
  { minLength: 4, maxLength: 14 },
);

describe('Concurrent writers over plain HTTP', () => {
  let backend: TestBackend;
  let group: TestState;

  beforeAll(async () => {
    process.stdout.write(`concurrent writers: FUZZ_SEED=${SEED}\n`);
    backend = await aBackend();
    group = await backend.aState();
  });
  afterAll(() => backend.stop());

  async function aWrittenState(content: Content): Promise<TestState> {
    const workspace = randomUUID();
    const state = { ...group, workspace, address: addressOf(backend.url, group.groupId, workspace) };
    const first = new BackendClient(state.address, backend.key, {
      headers: { 'x-forwarded-for': '10.9.9.9' },
    });
    const answer = await first.post(bytesOf(content, 1, `lineage-${workspace}`));
    first.close();
    return { ...state, id: (answer.json() as { state_id: string }).state_id };
  }

  it.each(MODES)('lose no acknowledged change and never undo one, with $name', async (mode) => {
    const key = await backend.aKey();
    await fc.assert(
      fc.asyncProperty(steps, async (list) => {
        const shared = new Agent({ keepAlive: true, maxSockets: 1 });
        const state = await aWrittenState(new Map(KEYS.slice(1).map((name) => [name, 'one'])));
        const observer = new BackendClient(state.address, backend.key, {
          headers: { 'x-forwarded-for': '10.8.8.8' },
        });
        const stored = async () => contentOf((await observer.get()).json() as StoredDocument);
        const clients: BackendClient[] = [observer];
        let locks = 0;
        const begin = async (): Promise<Run> => {
          const client = mode.connect(state, key, shared);
          clients.push(client);
          const lockId = mode.locks ? `lock-${++locks}` : undefined;
          if (lockId) {
            // Somebody else holds it: this user breaks it, and both go on believing that it is theirs.
            if ((await client.lock({ ID: lockId })).status === 423) {
              await client.unlock(undefined);
              await client.lock({ ID: lockId });
            }
          }
          const begun = new Run(client, lockId);
          await begun.read();
          return begun;
        };
        const runs = [await begin(), await begin(), await begin()];
        let current = await stored();
        const taken = new Set<string>();
        let unique = 0;
        try {
          for (const step of list) {
            const actor = runs[step.run];
            if (!actor) continue;
            const isReading = step.kind === 'read' || step.kind === 'begin';
            if (isReading && mode.readsEndRefusals && runs.some((one) => one.refused)) continue;
            if (step.kind === 'read' && !mode.locks) await actor.read();
            else if (step.kind === 'begin') runs[step.run] = await begin();
            else if (step.kind === 'retry' && actor.lastSent) {
              const before = await stored();
              const again = await actor.client.post(
                actor.lastSent,
                actor.lockId ? `?ID=${actor.lockId}` : '',
              );
              // An answer lost on its way: the same bytes again change nothing, accepted or refused.
              if (again.status === 200 && (again.json() as { result: string }).result === 'unchanged')
                expect(shown(await stored())).toEqual(shown(before));
              else expect(again.status).toBe(409);
            } else if (step.kind === 'write') {
              const wanted = step.edits.map(([name, value]): [string, string | undefined] => [
                name,
                value === undefined || mode.reverts ? value : `${value}-${++unique}`,
              ]);
              const bytes = actor.next(new Map(wanted));
              // Two runs that came to the same bytes look like one whose answer was lost.
              const isKnown = taken.has(bytes.toString());
              const changes = changesBetween(actor.base, actor.document);
              const overlapping = [...changes].filter(
                ([name, value]) => actor.foreign.has(name) && current.get(name) !== value,
              );
              // Where both had come to the same value before, nothing is lost either way.
              const mustRefuse = overlapping.some(([name]) => actor.base.get(name) !== current.get(name));
              const answer = await actor.client.post(bytes, actor.lockId ? `?ID=${actor.lockId}` : '');
              actor.refused = answer.status === 409;
              if (mustRefuse && !isKnown)
                expect([answer.status, (answer.json() as { id: string }).id]).toEqual([409, 'TX_CONFLICT']);
              if (mode.exact && overlapping.length === 0) expect(answer.status).toBe(200);
              if (isKnown && answer.status === 200) actor.base = actor.document;
              else if (answer.status === 200) {
                taken.add(bytes.toString());
                const touched = changesBetween(current, patched(current, changes));
                current = patched(current, changes);
                for (const other of runs)
                  if (other !== actor)
                    for (const name of changes.keys()) if (touched.has(name)) other.foreign.add(name);
                actor.base = actor.document;
              }
              expect([answer.status, shown(await stored())]).toEqual([answer.status, shown(current)]);
            }
          }
        } finally {
          clients.forEach((client) => client.close());
          shared.destroy();
        }
      }),
      { numRuns: SCENARIOS, seed: SEED, endOnFailure: process.env['FUZZ_SHRINK'] === undefined },
    );
  });

  describe('in the lost update of the protocol document', () => {
    const base: Content = new Map([
      ['a', '1'],
      ['b', '1'],
    ]);

    async function reproduce(
      clients: [BackendClient, BackendClient],
      queries: [string, string] = ['', ''],
      same = false,
    ): Promise<{ last: number; content: [string, string][] }> {
      const [one, two] = clients;
      const [a, b] = [new Run(one, undefined), new Run(two, undefined)];
      await a.read();
      await b.read();
      expect((await one.post(a.next(new Map([['a', 'A']])), queries[0])).status).toBe(200);
      const changes = new Map([[same ? 'a' : 'b', 'B']]);
      // B is refused or merged, and the client posts again two milliseconds later with the next serial.
      const first = await two.post(b.next(changes), queries[1]);
      const second = await two.post(b.next(new Map()), queries[1]);
      const content = shown(contentOf((await one.get()).json() as StoredDocument));
      if (same) expect([first.status, second.status]).toEqual([409, 409]);
      one.close();
      two.close();
      return { last: second.status, content };
    }

    it('keeps both changes when the connections differ', async () => {
      const { address } = await aWrittenState(base);
      expect(
        await reproduce([new BackendClient(address, backend.key), new BackendClient(address, backend.key)]),
      ).toEqual({
        last: 200,
        content: [
          ['a', 'A'],
          ['b', 'B'],
        ],
      });
    });

    it('refuses the second POST too when both changed one thing', async () => {
      const { address } = await aWrittenState(base);
      const made = await reproduce(
        [new BackendClient(address, backend.key), new BackendClient(address, backend.key)],
        ['', ''],
        true,
      );
      expect(made.content).toEqual([
        ['a', 'A'],
        ['b', '1'],
      ]);
    });

    it('keeps both changes with lock ids over one connection', async () => {
      const { address } = await aWrittenState(base);
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const clients = [
        new BackendClient(address, backend.key, { agent }),
        new BackendClient(address, backend.key, { agent }),
      ] as const;
      await clients[0].lock({ ID: 'one' });
      await clients[1].unlock(undefined);
      await clients[1].lock({ ID: 'two' });
      expect(await reproduce([...clients], ['?ID=one', '?ID=two'])).toEqual({
        last: 200,
        content: [
          ['a', 'A'],
          ['b', 'B'],
        ],
      });
      agent.destroy();
    });

    it.each(['one keep-alive connection', 'one proxy address'])(
      'never loses the change of A over %s',
      async (how) => {
        for (const same of [false, true]) {
          const { address } = await aWrittenState(base);
          const agent = new Agent({ keepAlive: true, maxSockets: 1 });
          const options = how === 'one proxy address' ? { headers: VIA_PROXY } : { agent };
          const clients = [
            new BackendClient(address, backend.key, options),
            new BackendClient(address, backend.key, options),
          ] as const;
          const { content } = await reproduce([...clients], ['', ''], same);
          expect(content).toContainEqual(['a', 'A']);
          agent.destroy();
        }
      },
    );

    it('keeps the refused bytes and names the transaction in the way', async () => {
      const state = await aWrittenState(base);
      const [one, two] = [
        new BackendClient(state.address, backend.key),
        new BackendClient(state.address, backend.key),
      ];
      const [a, b] = [new Run(one, undefined), new Run(two, undefined)];
      await a.read();
      await b.read();
      const accepted = (await one.post(a.next(new Map([['a', 'A']])))).json() as { tx_id: string };
      const sent = b.next(new Map([['a', 'B']]));
      const refused = await two.post(sent);
      expect([refused.status, refused.json()]).toEqual([409, { id: 'TX_CONFLICT', data: accepted.tx_id }]);
      const { results } = (await backend.api('GET', `/states/${state.id}/submissions`)).json() as {
        results: { id: string }[];
      };
      expect(results).toEqual([
        {
          id: expect.any(String) as string,
          status: 'refused',
          serial: 2,
          created_at: expect.any(String) as string,
          created_by: backend.userId,
          conflicts_with: [accepted.tx_id],
        },
      ]);
      const kept = await backend.api('GET', `/states/${state.id}/submissions/${results[0]?.id ?? ''}`);
      expect([kept.status, kept.bytes.equals(sent)]).toEqual([200, true]);
      one.close();
      two.close();
    });
  });

  it('compare the write of a lock holder with what the holder read, whoever else reads through its proxy', async () => {
    const { address } = await aWrittenState(new Map([['a', '1']]));
    const [holder, other, reader] = [1, 2, 3].map(
      () => new Run(new BackendClient(address, backend.key, { headers: VIA_PROXY }), undefined),
    ) as [Run, Run, Run];
    await holder.client.lock({ ID: 'held' });
    await holder.read();
    await other.read();
    expect((await other.client.post(other.next(new Map([['b', 'new']])))).status).toBe(200);
    await reader.read();
    expect((await holder.client.post(holder.next(new Map([['a', '2']])), '?ID=held')).status).toBe(200);
    expect(shown(contentOf((await reader.client.get()).json() as StoredDocument))).toEqual([
      ['a', '2'],
      ['b', 'new'],
    ]);
    for (const { client } of [holder, other, reader]) client.close();
  });

  it('keep the base of a run whose write changed nothing', async () => {
    const { address } = await aWrittenState(
      new Map([
        ['a', '1'],
        ['b', '1'],
      ]),
    );
    const [one, two] = [
      new Run(new BackendClient(address, backend.key), undefined),
      new Run(new BackendClient(address, backend.key), undefined),
    ];
    await one.read();
    await two.read();
    await one.client.post(one.next(new Map([['b', '2']])));
    expect((await two.client.post(two.next(new Map()))).status).toBe(200);
    expect((await two.client.post(two.next(new Map([['c', 'new']])))).status).toBe(200);
    expect(shown(contentOf((await one.client.get()).json() as StoredDocument))).toEqual([
      ['a', '1'],
      ['b', '2'],
      ['c', 'new'],
    ]);
    one.client.close();
    two.client.close();
  });

  it('store a deliberate revert: who has read the current version and writes old values back is right', async () => {
    const { address } = await aWrittenState(new Map([['a', '1']]));
    const client = new BackendClient(address, backend.key);
    const run = new Run(client, undefined);
    await run.read();
    const results: string[] = [];
    for (const value of ['2', '1', '2', '1'])
      results.push(
        ((await client.post(run.next(new Map([['a', value]])))).json() as { result: string }).result,
      );
    const other = new Run(new BackendClient(address, backend.key), undefined);
    await other.read();
    results.push(
      ((await other.client.post(other.next(new Map([['a', '2']])))).json() as { result: string }).result,
    );
    expect(results).toEqual(['stored', 'stored', 'stored', 'stored', 'stored']);
    expect(shown(contentOf((await client.get()).json() as StoredDocument))).toEqual([['a', '2']]);
    client.close();
    other.client.close();
  });

  it('may not bring back what another removed, nor remove what another changed', async () => {
    for (const [mine, theirs] of [
      ['removed', 'changed'],
      ['changed', 'removed'],
    ] as const) {
      const { address } = await aWrittenState(
        new Map([
          ['a', '1'],
          ['b', '1'],
        ]),
      );
      const value = (what: 'removed' | 'changed', by: string) =>
        new Map([['a', what === 'removed' ? undefined : by]]);
      const [one, two] = [
        new Run(new BackendClient(address, backend.key), undefined),
        new Run(new BackendClient(address, backend.key), undefined),
      ];
      await one.read();
      await two.read();
      expect((await one.client.post(one.next(value(theirs, 'theirs')))).status).toBe(200);
      for (let attempt = 0; attempt < 3; attempt++)
        expect((await two.client.post(two.next(value(mine, 'mine')))).status).toBe(409);
      const left = contentOf((await one.client.get()).json() as StoredDocument);
      expect(left.get('a')).toBe(theirs === 'removed' ? undefined : 'theirs');
      one.client.close();
      two.client.close();
    }
  });

  it('keep a merged document listed and every token of untouched instances as it was written', async () => {
    const state = await aWrittenState(
      new Map([
        ['a', '1'],
        ['b', '1'],
      ]),
    );
    const [one, two] = [
      new Run(new BackendClient(state.address, backend.key), undefined),
      new Run(new BackendClient(state.address, backend.key), undefined),
    ];
    const odd = '{"value":"1",   "n": 9007199254740993.10, "e":1E-30, "u":"\\u003c\\ud800", "n":1}';
    await one.read();
    const first = one
      .next(new Map([['b', '2']]))
      .toString()
      .replace(/\{\s*"value": "1"\s*\}/, odd);
    expect(first).toContain(odd);
    expect((await one.client.post(first)).status).toBe(200);
    await two.read();
    const sent = [
      two.next(new Map([['c', 'new']])).toString(),
      one.next(new Map([['d', 'new']])).toString(),
    ].map((text) => text.replace(/\{\s*"value": "1"\s*\}/, odd));
    expect((await two.client.post(sent[0] ?? '')).json()).toMatchObject({ result: 'stored' });
    const merged = await one.client.post(sent[1] ?? '');
    expect(merged.json()).toEqual({
      state_id: state.id,
      serial: 4,
      version: 4,
      result: 'merged',
      tx_id: expect.any(String) as string,
    });
    const text = (await two.client.get()).bytes.toString();
    expect(text).toContain(odd);
    expect([...contentOf(JSON.parse(text) as StoredDocument).keys()].sort()).toEqual(['a', 'b', 'c', 'd']);
    const { results } = (
      await backend.api('GET', `/states/${state.id}/submissions?status=merged`)
    ).json() as { results: { id: string }[] };
    expect(results).toEqual([
      {
        id: expect.any(String) as string,
        status: 'merged',
        serial: 3,
        created_at: expect.any(String) as string,
        created_by: backend.userId,
        conflicts_with: [],
        resulting_serial: 4,
      },
    ]);
    expect(
      (await backend.api('GET', `/states/${state.id}/submissions/${results[0]?.id ?? ''}`)).bytes.toString(),
    ).toBe(sent[1]);
    one.client.close();
    two.client.close();
  });

  it('merge all of many disjoint writes that arrive at the same moment', async () => {
    const writers = 12;
    const { address } = await aWrittenState(new Map([['base', '1']]));
    const runs = await Promise.all(
      Array.from({ length: writers }, async () => {
        const run = new Run(new BackendClient(address, backend.key), undefined);
        await run.read();
        return run;
      }),
    );
    const answers = await Promise.all(
      runs.map(async (run, index) => {
        const first = await run.client.post(run.next(new Map([[`w${index}`, '1']])));
        const second = await run.client.post(
          run.next(
            new Map([
              [`w${index}`, '2'],
              [`extra${index}`, '1'],
            ]),
          ),
        );
        return [first.status, second.status];
      }),
    );
    expect(answers).toEqual(Array.from({ length: writers }, () => [200, 200]));
    const content = contentOf((await runs[0]?.client.get())?.json() as StoredDocument);
    const expected = Array.from({ length: writers }, (_, index): [string, string][] => [
      [`w${index}`, '2'],
      [`extra${index}`, '1'],
    ]).flat();
    expect(shown(content)).toEqual(shown(new Map([['base', '1'], ...expected])));
    runs.forEach((run) => run.client.close());
  });

  it('get 200 for a write whose answer was lost, even after others have written, without another version', async () => {
    const state = await aWrittenState(
      new Map([
        ['a', '1'],
        ['b', '1'],
      ]),
    );
    const [one, two] = [
      new Run(new BackendClient(state.address, backend.key), undefined),
      new Run(new BackendClient(state.address, backend.key), undefined),
    ];
    await one.read();
    await two.read();
    const sent = one.next(new Map([['a', 'A']]));
    await one.client.post(sent);
    const merged = two.next(new Map([['b', 'B']]));
    await two.client.post(merged);
    const versions = async () =>
      ((await backend.api('GET', `/states/${state.id}/versions`)).json() as { results: unknown[] }).results
        .length;
    expect(await versions()).toBe(3);
    for (const bytes of [sent, merged, sent]) {
      // A client that lost its connection comes back on another one.
      const again = new BackendClient(state.address, backend.key);
      const answer = await again.post(bytes);
      expect([answer.status, answer.json()]).toMatchObject([200, { result: 'unchanged' }]);
      again.close();
    }
    expect(await versions()).toBe(3);
    one.client.close();
    two.client.close();
  });
});
