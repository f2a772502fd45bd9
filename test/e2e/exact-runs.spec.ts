import { setTimeout as delay } from 'node:timers/promises';
import {
  aBackend,
  aWrittenState,
  BackendClient,
  bytesOf,
  Content,
  contentOf,
  Run,
  shown,
  StoredDocument,
  TestBackend,
  TestState,
} from '../support/backend.js';

const VIA_PROXY = { headers: { 'x-forwarded-for': '10.1.2.3' } };

/** Runs that share an address and, where nothing else is said, an API key. */
describe('The run of a write', () => {
  let backend: TestBackend;
  let group: TestState;
  const clients: BackendClient[] = [];

  beforeAll(async () => {
    backend = await aBackend();
    group = await backend.aState();
  });
  afterEach(() => {
    for (const client of clients.splice(0)) client.close();
  });
  afterAll(() => backend.stop());

  const content = (values: Record<string, string>): Content => new Map(Object.entries(values));
  const aState = (values: Record<string, string>) => aWrittenState(backend, group, content(values));

  function connect(
    state: TestState,
    { key = backend.key, ...options }: { key?: string; headers?: Record<string, string>; user?: string } = {},
  ): BackendClient {
    const client = new BackendClient(state.address, key, options);
    clients.push(client);
    return client;
  }

  async function begin(state: TestState, options: Parameters<typeof connect>[1] = {}): Promise<Run> {
    const run = new Run(connect(state, options), undefined);
    await run.read();
    return run;
  }

  const changed = (run: Run, values: Record<string, string | undefined>, query?: string) =>
    run.client.post(run.next(new Map(Object.entries(values))), query);

  async function stored(state: TestState): Promise<Record<string, string>> {
    const document = (await connect(state, { headers: { 'x-forwarded-for': '10.8.8.8' } }).get()).json();
    return Object.fromEntries(shown(contentOf(document as StoredDocument)));
  }

  /** The client's connection was idle for too long, and it comes back over another one. */
  async function reconnect(run: Run, state: TestState, options: Parameters<typeof connect>[1] = {}) {
    run.client.close();
    await delay(50);
    const again = new Run(connect(state, options), undefined);
    again.document = run.document;
    again.serial = run.serial;
    again.lineage = run.lineage;
    return again;
  }

  describe('that is not known', () => {
    it.each([
      ['over another connection', {}],
      ['behind a proxy', VIA_PROXY],
    ])('is never decided by the nearest document, %s', async (_how, options) => {
      const state = await aState({});
      const [first, second] = [await begin(state, options), await begin(state, options)];
      expect((await changed(second, { i: '1', k: '1' })).status).toBe(200);
      const destroyer = await begin(state, options);
      expect((await changed(first, { f: '1' })).status).toBe(200);
      const again = await reconnect(destroyer, state, options);
      const answer = await changed(again, { i: undefined, k: undefined });
      // The acknowledged creation of f stays, and an acknowledged destroy is one.
      expect(await stored(state)).toEqual(answer.status === 200 ? { f: '1' } : { f: '1', i: '1', k: '1' });
      const next = await begin(state, options);
      expect((await changed(next, { i: undefined, k: undefined })).status).toBe(200);
      expect(await stored(state)).toEqual({ f: '1' });
    });

    it('never stands on a document that another run was refused with', async () => {
      const state = await aState({ a: '1', j: '1' });
      const refused = await begin(state);
      const first = await begin(state);
      expect((await changed(first, { a: '2', n: '1' })).status).toBe(200);
      expect((await changed(refused, { a: '3' })).status).toBe(409);
      const reader = await begin(state);
      const again = await reconnect(reader, state);
      expect((await changed(again, { j: undefined, n: undefined })).status).toBe(200);
      expect(await stored(state)).toEqual({ a: '2' });
    });

    it('stands on what it stood on before when it repeats what it was refused with', async () => {
      const state = await aState({ d: '1', k: '1' });
      const [first, refused] = [await begin(state), await begin(state)];
      expect((await changed(first, { d: '2' })).status).toBe(200);
      expect((await changed(refused, { k: '2' })).json()).toMatchObject({ result: 'merged' });
      const bytes = refused.next(new Map([['d', undefined]]));
      expect((await refused.client.post(bytes)).status).toBe(409);
      for (let run = refused, attempt = 0; attempt < 3; attempt++) {
        run = await reconnect(run, state);
        expect((await run.client.post(bytes)).status).toBe(409);
        expect(await stored(state)).toEqual({ d: '2', k: '2' });
      }
    });

    it('is refused until it reads again when it was refused because nothing told its base', async () => {
      const state = await aState({ a: '1' });
      const lost = await begin(state, VIA_PROXY);
      const [one, two] = [await begin(state, VIA_PROXY), await begin(state, VIA_PROXY)];
      expect((await changed(one, { a: '2' })).status).toBe(200);
      expect((await changed(two, { b: '1' })).status).toBe(200);
      lost.serial = 2;
      for (let attempt = 0; attempt < 3; attempt++)
        expect((await changed(lost, { [`x${attempt}`]: '1' })).status).toBe(409);
      expect(await stored(state)).toEqual({ a: '2', b: '1' });
    });
  });

  describe('is never shared', () => {
    it.each([
      ['over connections of their own', {}, {}],
      ['in transactions of their own', { tx: 'one' }, { tx: 'two' }],
    ])('so that the same bytes of two runs are two writes, %s', async (_how, one, two) => {
      const state = await aState({});
      const query = (how: { tx?: string }) => (how.tx ? `?tx=${how.tx}` : '');
      const read = async (how: { tx?: string }) => {
        const run = new Run(connect(state), undefined);
        const document = (await run.client.get(query(how))).json() as StoredDocument;
        run.serial = document.serial;
        run.lineage = document.lineage;
        return run;
      };
      const [a, b] = [await read(one), await read(two)];
      expect((await changed(a, { a: '1' }, query(one))).status).toBe(200);
      expect((await changed(b, { b: '1' }, query(two))).status).toBe(200);
      expect((await changed(a, { a: undefined }, query(one))).status).toBe(200);
      // These are the bytes that the first run just sent.
      expect(await stored(state)).toEqual({ b: '1' });
      expect((await changed(b, { b: undefined }, query(two))).status).toBe(200);
      expect(await stored(state)).toEqual({});
    });

    it('so that bytes which another run had accepted and undone are a write, under locks behind a proxy', async () => {
      const state = await aState({ d: '1' });
      const [one, two] = [1, 2].map(() => new Run(connect(state, VIA_PROXY), undefined)) as [Run, Run];
      await one.client.lock({ ID: 'one' });
      await one.read();
      await two.client.unlock(undefined);
      await two.client.lock({ ID: 'two' });
      await two.read();
      expect((await changed(one, { a: '1' }, '?ID=one')).status).toBe(200);
      const first = one.lastSent;
      expect((await changed(one, { a: undefined, d: undefined }, '?ID=one')).status).toBe(200);
      expect((await changed(two, { a: '1' }, '?ID=two')).json()).toMatchObject({ result: 'merged' });
      expect(two.lastSent).toEqual(first);
      expect(await stored(state)).toEqual({ a: '1' });
    });

    it('so that a job that was started twice gets a conflict, not an orphan', async () => {
      const state = await aState({ r1: '1' });
      const [a, b] = [await begin(state), await begin(state)];
      const third = await begin(state);
      expect((await changed(third, { other: '1' })).status).toBe(200);
      // Merged, so what the run stands on is a document of its own, which nobody else may go on from.
      expect((await changed(a, { r1: undefined })).json()).toMatchObject({ result: 'merged' });
      expect((await changed(b, { r1: undefined })).json()).toMatchObject({ result: 'unchanged' });
      expect((await changed(a, { r2: 'of a' })).status).toBe(200);
      expect((await changed(b, { r2: 'of b' })).status).toBe(409);
      expect(await stored(state)).toEqual({ other: '1', r2: 'of a' });
    });

    it('not even with one name under two credentials', async () => {
      const state = await aState({ a: '1' });
      const [one, two] = [
        await begin(state),
        new Run(connect(state, { key: await backend.aKey() }), undefined),
      ];
      const query = '?tx=same';
      await one.client.get(query);
      const document = (await two.client.get(query)).json() as StoredDocument;
      two.serial = document.serial;
      two.lineage = document.lineage;
      two.document = contentOf(document);
      expect((await changed(one, { a: '2' }, query)).status).toBe(200);
      expect((await changed(two, { a: '3' }, query)).status).toBe(409);
    });
  });

  describe('behind a proxy', () => {
    it('gets through after a conflict when it has read the state again', async () => {
      const state = await aState({ x: '1' });
      const [keyA, keyB] = [await backend.aKey(), await backend.aKey()];
      const [a, b] = [
        await begin(state, { ...VIA_PROXY, key: keyA }),
        await begin(state, { ...VIA_PROXY, key: keyB }),
      ];
      expect((await changed(a, { x: 'A' })).status).toBe(200);
      expect((await changed(b, { x: 'B' })).status).toBe(409);
      const again = await begin(state, { ...VIA_PROXY, key: keyB });
      expect((await changed(again, { x: 'B' })).status).toBe(200);
      expect(await stored(state)).toEqual({ x: 'B' });
    });

    it('is exact by the name of the run', async () => {
      const state = await aState({ a: '1', b: '1' });
      const named = (id: string) => ({ ...VIA_PROXY, user: `run-${id}` });
      const [one, two] = [await begin(state, named('1')), await begin(state, named('2'))];
      expect((await changed(one, { a: '2' })).status).toBe(200);
      expect((await changed(two, { a: '3' })).status).toBe(409);
      await begin(state, named('3'));
      expect((await changed(two, { c: '1' })).status).toBe(409);
      expect((await changed(one, { b: '2' })).status).toBe(200);
      expect(await stored(state)).toEqual({ a: '2', b: '2' });
    });

    it.each([
      [
        'Forwarded',
        (port: number) => ({ forwarded: `for="10.1.2.3:${port}"`, 'x-forwarded-for': '10.1.2.3' }),
      ],
      ['X-Forwarded-For', (port: number) => ({ 'x-forwarded-for': `10.1.2.3:${port}` })],
    ])('is exact by the port in %s', async (_name, headers) => {
      const state = await aState({});
      const [a, b, c] = [
        await begin(state, { headers: headers(1) }),
        await begin(state, { headers: headers(2) }),
        await begin(state, { headers: headers(3) }),
      ];
      expect((await changed(a, { c: 'C' })).status).toBe(200);
      expect((await changed(b, { d: 'D' })).status).toBe(200);
      // With one identity for all of them nobody could tell whose c this removes.
      expect((await changed(a, { c: undefined })).status).toBe(200);
      expect((await changed(c, { d: 'other' })).status).toBe(409);
      expect((await changed(c, { e: 'E' })).status).toBe(409);
      expect(await stored(state)).toEqual({ d: 'D' });
    });

    it('has the base that its lock holder read, not that of the moment of LOCK', async () => {
      const state = await aState({ x: '1' });
      const holder = new Run(connect(state, VIA_PROXY), undefined);
      const other = await begin(state, { headers: { 'x-forwarded-for': '10.1.2.4' } });
      await holder.client.lock({ ID: 'held' });
      expect((await changed(other, { x: '2' })).status).toBe(200);
      await holder.read();
      const answer = await changed(holder, { x: '1' }, '?ID=held');
      expect(answer.json()).toMatchObject({ result: 'stored' });
      expect(await stored(state)).toEqual({ x: '1' });
    });
  });

  describe('that was refused', () => {
    const [query, user] = ['?ID=held', 'run-1'];
    const exact = [
      ['under a lock behind a proxy', { options: VIA_PROXY, query }],
      ['under a lock over its own connection', { options: {}, query }],
      ['with a name behind a proxy', { options: { ...VIA_PROXY, user }, query: '' }],
      ['over its own connection', { options: {}, query: '' }],
    ] as const;

    async function beginTwo(state: TestState, { options, query: lock }: (typeof exact)[number][1]) {
      const other = await begin(state, { headers: { 'x-forwarded-for': '10.1.2.4' } });
      const run = new Run(connect(state, options), undefined);
      if (lock) await run.client.lock({ ID: 'held' });
      await run.read();
      const write = async (values: Record<string, string | undefined>) => changed(run, values, lock);
      const repeat = () => run.client.post(run.lastSent ?? '', lock);
      return { other, write, repeat };
    }

    it.each(exact)('keeps its base when it repeats the refused documents, %s', async (_how, options) => {
      const state = await aState({ x: '1', y: '1' });
      const { other, write, repeat } = await beginTwo(state, options);
      expect((await changed(other, { x: '2' })).status).toBe(200);
      for (const values of [{ x: undefined }, { own: '1' }]) {
        expect((await write(values)).status).toBe(409);
        expect((await repeat()).status).toBe(409);
      }
      expect((await changed(other, { y: '2' })).status).toBe(200);
      expect((await write({ y: '3' })).status).toBe(409);
      expect(await stored(state)).toEqual({ x: '2', y: '2' });
      // What is left of its changes concerns nothing that the other run changed.
      expect((await write({ x: '2', y: '1' })).json()).toMatchObject({ result: 'merged' });
      expect(await stored(state)).toEqual({ x: '2', y: '2', own: '1' });
    });

    it.each(exact)('goes on from the repeat that was accepted, %s', async (_how, options) => {
      const state = await aState({ x: '1', y: '1' });
      const { other, write, repeat } = await beginTwo(state, options);
      expect((await changed(other, { x: '2', z: '2' })).status).toBe(200);
      expect((await write({ x: undefined })).status).toBe(409);
      // The other run takes back what was in the way.
      expect((await changed(other, { x: '1' })).status).toBe(200);
      expect((await repeat()).json()).toMatchObject({ result: 'merged' });
      expect(await stored(state)).toEqual({ y: '1', z: '2' });
      expect((await changed(other, { y: '2' })).status).toBe(200);
      expect((await write({ x: '3', y: '3' })).status).toBe(409);
      expect((await repeat()).status).toBe(409);
      expect((await write({ y: '1' })).json()).toMatchObject({ result: 'merged' });
      expect(await stored(state)).toEqual({ x: '3', y: '2', z: '2' });
    });
  });

  describe('whose identity two clients share', () => {
    const shared = [
      ['a lock id behind a proxy', { options: VIA_PROXY, query: '?ID=shared' }],
      ['a lock id over their own connections', { options: {}, query: '?ID=shared' }],
      ['a name', { options: { user: 'run-shared' }, query: '' }],
      ['a name behind a proxy', { options: { ...VIA_PROXY, user: 'run-shared' }, query: '' }],
      ['a transaction', { options: {}, query: '?tx=shared' }],
    ] as const;

    async function beginTwo(state: TestState, { options, query }: (typeof shared)[number][1]) {
      const runs = [0, 1].map(() => new Run(connect(state, options), undefined)) as [Run, Run];
      const inTransaction = query.startsWith('?tx');
      if (query.startsWith('?ID')) await runs[0].client.lock({ ID: 'shared' });
      for (const run of runs) await run.read(inTransaction ? query : '');
      const write = (run: Run, values: Record<string, string>) => changed(run, values, query);
      return { one: runs[0], two: runs[1], write };
    }

    it.each(shared)('is refused where it would undo the write of the other one, %s', async (_how, how) => {
      const state = await aState({ a: '1', b: '1' });
      const { one, two, write } = await beginTwo(state, how);
      expect((await write(one, { a: '2' })).status).toBe(200);
      expect((await write(two, { b: '2' })).json()).toMatchObject({ result: 'merged' });
      // From the document of the second client, this would set `b` back.
      expect((await write(one, { c: '1' })).status).toBe(409);
      expect(await stored(state)).toEqual({ a: '2', b: '2' });
    });

    it.each(shared)(
      'is refused where it would undo what only the other one did not see, %s',
      async (_how, how) => {
        const state = await aState({ a: '1' });
        const { one, two, write } = await beginTwo(state, how);
        const other = await begin(state, { headers: { 'x-forwarded-for': '10.1.2.4' } });
        expect((await changed(other, { b: '1' })).status).toBe(200);
        expect((await write(one, { c: '1' })).json()).toMatchObject({ result: 'merged' });
        await two.read(how.query.startsWith('?tx') ? how.query : '');
        expect((await write(one, { d: '1' })).json()).toMatchObject({ result: 'merged' });
        // From the document of the first client, which has the serial that this one read, this would remove `d`.
        expect((await write(two, { e: '1' })).status).toBe(409);
        expect(await stored(state)).toEqual({ a: '1', b: '1', c: '1', d: '1' });
      },
    );
  });

  it('a write of an unknown credential starts from the current version if its serial is higher', async () => {
    const state = await aState({ a: '1' });
    const document = (await connect(state).get()).json() as StoredDocument;
    const stranger = connect(state, { key: await backend.aKey() });
    const post = (values: Record<string, string>, serial: number) =>
      stranger.post(bytesOf(content(values), serial, document.lineage));
    expect((await post({ a: '0' }, 1)).json()).toMatchObject({ id: 'SERIAL_NOT_NEWER' });
    const other = connect(state, { key: await backend.aKey() });
    const answer = await other.post(bytesOf(content({ a: '2' }), 2, document.lineage));
    expect(answer.json()).toMatchObject({ result: 'stored' });
  });
});
