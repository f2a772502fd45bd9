import { Agent } from 'node:http';
import {
  aBackend,
  aWrittenState as writtenState,
  BackendClient,
  Content,
  contentOf,
  Run,
  shown,
  StoredDocument,
  TestBackend,
  TestState,
} from '../support/backend.js';

const VIA_PROXY = { 'x-forwarded-for': '10.1.2.3' };

describe('Concurrent writers over plain HTTP', () => {
  let backend: TestBackend;
  let group: TestState;

  beforeAll(async () => {
    backend = await aBackend();
    group = await backend.aState();
  });
  afterAll(() => backend.stop());

  function aWrittenState(content: Content): Promise<TestState> {
    return writtenState(backend, group, content);
  }

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

    it('takes what another brought too, together with a change of its own', async () => {
      const { address } = await aWrittenState(base);
      const clients = [
        new BackendClient(address, backend.key),
        new BackendClient(address, backend.key),
      ] as const;
      const [one, two] = [new Run(clients[0], undefined), new Run(clients[1], undefined)];
      await one.read();
      await two.read();
      expect((await clients[0].post(one.next(new Map([['a', 'same']])))).status).toBe(200);
      const both = await clients[1].post(
        two.next(
          new Map([
            ['a', 'same'],
            ['output.x', 'own'],
          ]),
        ),
      );
      expect([both.status, (both.json() as { result: string }).result]).toEqual([200, 'merged']);
      expect(shown(contentOf((await clients[0].get()).json() as StoredDocument))).toEqual([
        ['a', 'same'],
        ['b', '1'],
        ['output.x', 'own'],
      ]);
      clients.forEach((client) => client.close());
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

    it('refuses what could be two different things of two look-alikes', async () => {
      const { address } = await aWrittenState(base);
      const clients = ['one', 'two'].map(
        () => new BackendClient(address, backend.key, { headers: VIA_PROXY }),
      );
      const [one, two] = clients.map((client) => new Run(client, undefined));
      if (!one || !two) throw new Error('two runs are needed');
      await one.read();
      await two.read();
      expect((await one.client.post(one.next(new Map([['c', 'C']])))).status).toBe(200);
      expect((await two.client.post(two.next(new Map([['d', 'D']])))).status).toBe(200);
      // Of the first run this removes its own instance; of the second one it would remove the other's.
      expect((await one.client.post(one.next(new Map([['c', undefined]])))).status).toBe(409);
      expect(shown(contentOf((await one.client.get()).json() as StoredDocument))).toEqual([
        ['a', '1'],
        ['b', '1'],
        ['c', 'C'],
        ['d', 'D'],
      ]);
      clients.forEach((client) => client.close());
    });

    describe('when the writer that was merged writes on', () => {
      const via = (address: string) => ({ headers: { 'x-forwarded-for': address } });
      it.each([
        ['after many reads with its key', 200, {}, undefined, {}],
        ['over another connection', 200, {}, {}, {}],
        [
          'over another proxy',
          200,
          via('9.9.9.9, 10.0.0.1'),
          via('9.9.9.9, 10.0.0.2'),
          via('8.8.8.8, 10.0.0.2'),
        ],
        // From here on nothing tells which of the two runs it is, and the nearest document proves nothing.
        ['from another address', 409, via('9.9.9.1'), via('9.9.9.2'), via('8.8.8.8')],
        ['from the address of the other', 409, via('9.9.9.1'), via('9.9.9.2'), via('9.9.9.2')],
        ['through a proxy it did not use before', 409, {}, via('9.9.9.2'), via('8.8.8.8')],
      ])('%s, keeps what the other brought', async (_how, status, first, later, others) => {
        const { address } = await aWrittenState(new Map([...base, ['c', '1']]));
        const clients: BackendClient[] = [];
        const connected = (options: { headers?: Record<string, string> }) => {
          clients.push(new BackendClient(address, backend.key, options));
          return clients.at(-1) as BackendClient;
        };
        const mine = connected(first);
        const one = new Run(mine, undefined);
        const two = new Run(connected(others), undefined);
        await one.read();
        await two.read();
        expect((await two.client.post(two.next(new Map([['b', 'B']])))).status).toBe(200);
        expect((await mine.post(one.next(new Map([['a', 'A']])))).status).toBe(200);
        if (!later) for (let reader = 0; reader < 60; reader++) await connected({}).get();
        // A client that comes back over another connection has lost the one it had.
        if (later) mine.close();
        const next = later ? connected(later) : mine;
        expect((await next.post(one.next(new Map([['c', 'C']])))).status).toBe(status);
        if (status === 409) {
          const again = new Run(connected(later ?? first), undefined);
          await again.read();
          expect((await again.client.post(again.next(new Map([['c', 'C']])))).status).toBe(200);
        }
        expect(shown(contentOf((await next.get()).json() as StoredDocument))).toEqual([
          ['a', 'A'],
          ['b', 'B'],
          ['c', 'C'],
        ]);
        clients.forEach((client) => client.close());
      });
    });

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
          base_version: 1,
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
        base_version: 2,
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

  it('are not told that an old document was stored which is pushed again, behind a proxy', async () => {
    const state = await aWrittenState(new Map([['a', '1']]));
    const client = new BackendClient(state.address, backend.key, { headers: VIA_PROXY });
    const run = new Run(client, undefined);
    await run.read();
    const old = run.next(new Map([['a', 'old']]));
    expect((await client.post(old)).status).toBe(200);
    await run.read();
    expect((await client.post(run.next(new Map([['a', 'new']])))).status).toBe(200);
    // It may be a retry, and it may be a push of an old document.
    const pushed = await client.post(old);
    expect([pushed.status, pushed.json()]).toMatchObject([409, { id: 'TX_CONFLICT' }]);
    client.close();
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
