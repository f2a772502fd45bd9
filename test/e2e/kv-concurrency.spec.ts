import { setTimeout as delay } from 'node:timers/promises';
import { type Admin, aMember, anAdmin, type Person, startGenerous } from '../support/identity.js';
import { anInstallation, type KvCalls, kvOf } from '../support/kv.js';
import { type RunningService, startService } from '../support/service.js';

describe('The key-value store on two processes', () => {
  let first: RunningService;
  let second: RunningService;
  let admin: Admin;
  let member: Person;
  let callers: [KvCalls, KvCalls];

  beforeAll(async () => {
    first = await startGenerous();
    second = await startService({ database: first.database });
    admin = await anAdmin(first);
    member = await aMember(first, admin);
    const namespace = await anInstallation(first, { tenantId: admin.tenantId });
    callers = [kvOf(first, member.token, namespace), kvOf(second, member.token, namespace)];
  });
  afterAll(async () => {
    await second.stop();
    await first.stop();
  });

  const caller = (n: number): KvCalls => callers[n % 2 === 0 ? 0 : 1];

  it('counts exactly when many increment one key by compare-and-set', async () => {
    await caller(0).put('counter', { data: '0' });
    const increment = async (n: number): Promise<void> => {
      for (;;) {
        const { data = '', version } = (await caller(n).get('counter')).body;
        const answer = await caller(n).cas('counter', { data: String(Number(data) + 1), version });
        if (answer.status === 200) return;
        expect(answer.body).toMatchObject({ id: 'VERSION_MISMATCH' });
      }
    };
    await Promise.all(
      Array.from({ length: 8 }, async (_, n) => {
        for (let round = 0; round < 5; round++) await increment(n);
      }),
    );
    expect((await caller(1).get('counter')).body).toMatchObject({ data: '40', version: 40 });
  });

  it('gives an insert-only lock to exactly one caller', async () => {
    for (let round = 0; round < 5; round++) {
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, n) => caller(n).cas(`lock-${round}`, { data: String(n) })),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(7).fill(400)]);
      const winner = answers.findIndex(({ status }) => status === 200);
      expect((await caller(round).get(`lock-${round}`)).body.data).toBe(String(winner));
    }
  });

  it('gives concurrent writes of one key distinct versions', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => caller(n).put('versions', { data: String(n) })),
    );
    const versions = answers.map(({ body }) => body.version).sort((a, b) => a - b);
    expect(versions).toEqual(Array.from({ length: 20 }, (_, n) => n));
    const last = answers.find(({ body }) => body.version === 19);
    expect((await caller(0).get('versions')).body.data).toBe(last?.body.data);
  });

  it('never deadlocks when commits and deletions overlap, in whatever order they name the keys', async () => {
    const keys = Array.from({ length: 30 }, (_, n) => ({ key: `batch-${n}` }));
    for (const { key } of keys) await caller(0).put(key, { data: 'x', committed: false });
    const answers = await Promise.all([
      ...Array.from({ length: 6 }, (_, n) => caller(n).commit(n % 2 === 0 ? keys : [...keys].reverse())),
      ...keys.slice(0, 10).map(({ key }, n) => caller(n).put(key, { data: 'y' })),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(16).fill(200));
    const flipped = answers.slice(0, 6).flatMap(({ body }) => (body as { keys: { key: string }[] }).keys);
    expect(new Set(flipped.map(({ key }) => key)).size).toBe(flipped.length);
  });

  it('shows a commit to readers completely or not at all', async () => {
    const keys = Array.from({ length: 50 }, (_, n) => ({ key: `pub-${String(n).padStart(2, '0')}` }));
    for (let round = 0; round < 4; round++) {
      for (const { key } of keys) await caller(0).put(key, { data: String(round), committed: false });
      let done = false;
      const seen = new Set<number>();
      const reader = (async () => {
        while (!done) {
          seen.add((await caller(1).iterate('pub-', '?prefix=true&limit=100')).body.records.length);
          await delay(1);
        }
      })();
      await caller(0).commit(keys);
      done = true;
      await reader;
      expect([...seen].filter((count) => count !== 0 && count !== 50)).toEqual([]);
      expect((await caller(1).iterate('pub-', '?prefix=true&limit=100')).body.records).toHaveLength(50);
    }
  });

  it('closes on every process with the unlinking, and opens again with the link', async () => {
    const namespace = await anInstallation(first, { tenantId: admin.tenantId });
    const both = [kvOf(first, member.token, namespace), kvOf(second, member.token, namespace)];
    const link = async (tenantId: string | null): Promise<void> => {
      await first.pool.query('UPDATE installations SET tenant_id = $2 WHERE installation_id = $1', [
        namespace,
        tenantId,
      ]);
    };
    for (const calls of both) expect((await calls.put('linked', { data: 'x' })).status).toBe(200);
    for (let round = 0; round < 10; round++) {
      await link(null);
      for (const calls of both) expect((await calls.get('linked')).status).toBe(403);
      await link(admin.tenantId);
      for (const calls of both) expect((await calls.get('linked')).body).toMatchObject({ version: 1 });
    }
  });

  it('keeps every acknowledged write when a process is killed, and none by half', async () => {
    const acknowledged = new Map<string, string>();
    const writer = async (name: string): Promise<void> => {
      for (let n = 0; n < 400; n++) {
        const data = `${name}:${n}:`.padEnd(2000, 'x');
        const answer = await caller(1)
          .put(`killed-${name}`, { data })
          .catch(() => undefined);
        if (answer === undefined) return;
        if (answer.status === 200) acknowledged.set(`killed-${name}`, data);
      }
    };
    const writers = Promise.all(['a', 'b', 'c', 'd'].map(writer));
    while (acknowledged.size < 4) await delay(5);
    await second.kill9();
    await writers;
    for (const [key, data] of acknowledged) {
      const { body } = await caller(0).get(key);
      const sequence = (text: string): number => Number(text.split(':')[1]);
      expect(sequence(body.data ?? '')).toBeGreaterThanOrEqual(sequence(data));
      expect(body.data).toHaveLength(2000);
    }
    await second.restart();
  });

  it('counts each acknowledged compare-and-set when a process is killed, and commits a batch whole', async () => {
    const keys = Array.from({ length: 40 }, (_, n) => ({ key: `whole-${String(n).padStart(2, '0')}` }));
    await caller(0).put('killed-counter', { data: '0' });
    for (const { key } of keys) await caller(0).put(key, { data: '0', committed: false });
    let [asked, acknowledged, commits] = [0, 0, 0];
    const counting = async (): Promise<void> => {
      for (;;) {
        const current = await caller(1)
          .get('killed-counter')
          .catch(() => undefined);
        if (!current) return;
        const { data = '', version } = current.body;
        asked++;
        const answer = await caller(1)
          .cas('killed-counter', { data: String(Number(data) + 1), version })
          .catch(() => undefined);
        if (!answer) return;
        if (answer.status === 200) acknowledged++;
        else asked--;
      }
    };
    const publishing = async (): Promise<void> => {
      for (;;) {
        await Promise.all(
          keys.map(({ key }) => caller(0).put(key, { data: String(commits), committed: false })),
        );
        const answer = await caller(1)
          .commit(keys)
          .catch(() => undefined);
        if (!answer) return;
        commits++;
      }
    };
    const callers = Promise.all([counting(), counting(), counting(), publishing()]);
    while (acknowledged < 10 || commits < 1) await delay(5);
    await second.kill9();
    await callers;
    const { data, version } = (await caller(0).get('killed-counter')).body;
    expect(Number(data)).toBe(version);
    expect(Number(data)).toBeGreaterThanOrEqual(acknowledged);
    expect(Number(data)).toBeLessThanOrEqual(asked);
    const { records } = (await caller(0).iterate('whole-', '?prefix=true&limit=100')).body;
    expect([0, keys.length]).toContain(records.length);
    await second.restart();
  });
});
