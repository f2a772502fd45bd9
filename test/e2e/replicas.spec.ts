import { setTimeout as delay } from 'node:timers/promises';
import {
  aBackend,
  addressOf,
  aWrittenState,
  BackendClient,
  contentOf,
  Run,
  type StoredDocument,
  type TestBackend,
  type TestState,
} from '../support/backend.js';
import { type RunningService, startService } from '../support/service.js';

const WRITERS = 8;
const ROUNDS = 6;
const KILLS = Number(process.env['CHAOS_KILLS'] ?? 6);

describe('Two replicas of one database', () => {
  let backend: TestBackend;
  let other: RunningService;
  beforeAll(async () => {
    backend = await aBackend();
    other = await startService({ database: backend.service.database });
  });
  afterAll(async () => {
    await other.stop();
    await backend.stop();
  });

  const on = (url: string, state: TestState) => addressOf(url, state.groupId, state.workspace);

  async function content(state: TestState): Promise<Map<string, string>> {
    const client = new BackendClient(on(backend.url, state), backend.key);
    try {
      return contentOf((await client.get()).json() as StoredDocument);
    } finally {
      client.close();
    }
  }

  async function versions(state: TestState): Promise<{ serial: number; version: number }[]> {
    const answer = await backend.api('GET', `/states/${state.id}/versions?limit=1000`);
    return (answer.json() as { results: { serial: number; version: number }[] }).results;
  }

  /** One command after the other, each with a connection of its own, until one is acknowledged. */
  async function change(state: TestState, url: string, key: string, value: string): Promise<void> {
    for (let attempt = 0; attempt < 2400; attempt++) {
      const run = new Run(new BackendClient(on(url, state), backend.key), undefined);
      try {
        await run.read();
        const { status } = await run.client.post(run.next(new Map([[key, value]])));
        if (status === 200) return;
        if (![409, 500, 503].includes(status)) throw new Error(`unexpected ${status}`);
      } catch (error) {
        if (error instanceof Error && error.message.startsWith('unexpected')) throw error;
        // The replica is gone or not back yet; the next command begins anew.
      } finally {
        run.client.close();
      }
      await delay(25);
    }
    throw new Error('the write was never acknowledged');
  }

  it('merge what comes to both at once, with bases read from either', async () => {
    const state = await aWrittenState(backend, await backend.aState(), new Map([['base', '1']]));
    const urls = [backend.url, other.url];
    const runs = await Promise.all(
      Array.from({ length: 2 * WRITERS }, async (_, i) => {
        const run = new Run(new BackendClient(on(urls[i % 2] ?? '', state), backend.key), undefined);
        await run.read();
        return run;
      }),
    );
    const statuses = await Promise.all(
      runs.map(async (run, i) => (await run.client.post(run.next(new Map([[`w${i}`, '1']])))).status),
    );
    for (const run of runs) run.client.close();
    expect(statuses).toEqual(runs.map(() => 200));
    expect(await content(state)).toEqual(
      new Map([['base', '1'], ...runs.map((_, i): [string, string] => [`w${i}`, '1'])]),
    );
    const rows = await versions(state);
    expect(rows.map((row) => row.version)).toEqual(rows.map((_, i) => rows.length - i));
    expect(new Set(rows.map((row) => row.serial)).size).toBe(rows.length);
  });

  it('lose nothing that was acknowledged while one of them is killed again and again', async () => {
    const state = await aWrittenState(backend, await backend.aState(), new Map([['base', '1']]));
    const expected = new Map([['base', '1']]);
    const finished = { yet: false };
    const killer = (async () => {
      for (let kills = 0; kills < KILLS && !finished.yet; kills++) {
        await delay(500 + Math.random() * 700);
        await other.kill9();
        // While it is gone another test may take its port; then it comes back a little later.
        for (let tries = 0; tries < 20; tries++) {
          const back = await other.restart().then(
            () => true,
            () => false,
          );
          if (back) break;
          await other.kill9();
          await delay(500);
        }
      }
    })();
    await Promise.all(
      Array.from({ length: WRITERS }, async (_, i) => {
        for (let round = 1; round <= ROUNDS; round++) {
          const url = (i + round) % 2 === 0 ? backend.url : other.url;
          await change(state, url, `w${i}`, String(round));
          expected.set(`w${i}`, String(round));
          const now = await content(state);
          expect([`w${i}`, now.get(`w${i}`)]).toEqual([`w${i}`, String(round)]);
        }
      }),
    );
    finished.yet = true;
    await killer;
    expect(await content(state)).toEqual(expected);
    const rows = await versions(state);
    expect(rows.map((row) => row.version)).toEqual(rows.map((_, i) => rows.length - i));
    const { instances } = (await backend.api('GET', `/states/${state.id}/summary`)).json() as {
      instances: number;
    };
    expect(instances).toBe(expected.size);
  }, 240_000);

  it('create one state when both get its first document at once', async () => {
    for (let round = 0; round < 5; round++) {
      const state = { ...(await backend.aState()), workspace: `new-${round}` };
      const clients = [backend.url, other.url].map((url) => new BackendClient(on(url, state), backend.key));
      const answers = await Promise.all(
        clients.map(async (client, i) => {
          const run = new Run(client, undefined);
          run.lineage = 'one';
          return client.post(run.next(new Map([[`w${i}`, '1']])));
        }),
      );
      for (const client of clients) client.close();
      const accepted = answers
        .map((answer, i) => (answer.status === 200 ? i : undefined))
        .filter((i) => i !== undefined);
      expect(accepted.length).toBeGreaterThan(0);
      const found = await content(state);
      for (const i of accepted) expect(found.get(`w${i}`)).toBe('1');
      expect(answers.every((answer) => [200, 409, 503].includes(answer.status))).toBe(true);
      const { rows } = await backend.service.pool.query(
        'SELECT 1 FROM states WHERE group_id = $1 AND workspace = $2',
        [state.groupId, state.workspace],
      );
      expect(rows.length).toBe(1);
    }
  });

  it('tell one another of locks, and let them expire', async () => {
    const state = await backend.aState();
    const [here, there] = [backend.url, other.url].map(
      (url) => new BackendClient(on(url, state), backend.key),
    );
    const lock = (ID: string) => ({ ID, Operation: 'apply', Who: 'somebody' });
    expect((await here?.lock(lock('one')))?.status).toBe(200);
    expect((await there?.lock(lock('two')))?.status).toBe(423);
    await backend.service.pool.query("UPDATE state_locks SET created_at = now() - interval '30 days'");
    expect((await there?.lock(lock('two')))?.status).toBe(200);
    expect((await here?.lock(lock('one')))?.status).toBe(423);
    here?.close();
    there?.close();
  });
});
