import { randomUUID } from 'node:crypto';
import { aBackend, send, type TestBackend } from '../support/backend.js';
import { ask } from '../support/mql.js';

const MARKER = '(too large for SQL queries)';

/** What one tenant does takes only its share of what all use. */
describe('The share of a tenant', () => {
  let backend: TestBackend;
  let heavy: string;

  beforeAll(async () => {
    backend = await aBackend({
      env: {
        SERVICE_MQL_TIMEOUT_SECONDS: '3',
        SERVICE_TRUST_PROXY: 'true',
        SERVICE_LOGIN_RATE_PER_ACCOUNT: '3',
      },
    });
    heavy = await slowQuery();
  });
  afterAll(() => backend.stop());

  /** A self-join that runs for longer than the timeout, over rows of the caller's tenants only. */
  async function slowQuery(): Promise<string> {
    return `SELECT count(*) FROM ${Array.from({ length: 12 }, (_, index) => `instances i${index}`).join(', ')}`;
  }

  async function aTenantWith(people: number): Promise<{ tenantId: string; keys: string[] }> {
    const tenantId = await backend.aTenant();
    const keys: string[] = [];
    for (let person = 0; person < people; person++) {
      const user = await backend.aUser();
      const { pool } = backend.service;
      await pool.query('DELETE FROM tenant_members WHERE user_id = $1', [user.id]);
      await pool.query('INSERT INTO tenant_members (tenant_id, user_id) VALUES ($1, $2)', [
        tenantId,
        user.id,
      ]);
      keys.push(user.key);
    }
    return { tenantId, keys };
  }

  async function fill(tenantId: string, attributes: unknown, instances = 12): Promise<string> {
    const state = await backend.aState({ tenant_id: tenantId });
    const document = {
      version: 4,
      serial: 1,
      lineage: randomUUID(),
      outputs: {},
      resources: Array.from({ length: instances }, (_, index) => ({
        mode: 'managed',
        type: 'a_b',
        name: `n${index}`,
        provider: 'provider["registry.terraform.io/hashicorp/a"]',
        instances: [{ schema_version: 0, attributes }],
      })),
    };
    const answer = await send(state.address, {
      method: 'POST',
      key: backend.key,
      body: JSON.stringify(document),
    });
    expect(answer.status).toBe(200);
    return state.id;
  }

  it('the share of SQL leaves a connection to other tenants', async () => {
    const [one, other] = [await aTenantWith(4), await aTenantWith(1)];
    await fill(one.tenantId, { a: 1 });
    const [key = ''] = other.keys;
    const busy = one.keys.flatMap((each) => [ask(backend.url, each, heavy), ask(backend.url, each, heavy)]);
    await new Promise((resolve) => setTimeout(resolve, 300));
    const statuses: number[] = [];
    for (let time = 0; time < 20; time++)
      statuses.push((await ask(backend.url, key, 'SELECT count(*) FROM states')).status);
    expect(statuses).toEqual(Array(20).fill(200));
    const ends = (await Promise.all(busy)).map(({ status }) => status);
    expect(ends.filter((status) => status !== 400 && status !== 429)).toEqual([]);
    expect(ends.filter((status) => status === 400).length).toBeGreaterThanOrEqual(2);
  });

  async function backends(): Promise<number> {
    const { rows } = await backend.service.pool.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM pg_stat_activity
       WHERE application_name LIKE '%queries' AND state = 'active' AND datname = current_database()`,
    );
    return rows[0]?.n ?? 0;
  }

  it('an SQL query ends when its client disconnects, and its connection is free again', async () => {
    const { tenantId, keys } = await aTenantWith(1);
    await fill(tenantId, { a: 1 });
    const leaving = new AbortController();
    const asked = fetch(`${backend.url}/api/v1/mql?${new URLSearchParams({ q: heavy }).toString()}`, {
      headers: { authorization: `Bearer ${keys[0] ?? ''}` },
      signal: leaving.signal,
    }).catch(() => undefined);
    while ((await backends()) === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    leaving.abort();
    await asked;
    while ((await backends()) > 0) await new Promise((resolve) => setTimeout(resolve, 20));
    // The line comes through a pipe, later than the answer of the database.
    const said = (): boolean =>
      backend.service.output().includes('terminating a query that nobody waits for');
    while (!said()) await new Promise((resolve) => setTimeout(resolve, 20));
    expect((await ask(backend.url, keys[0] ?? '', 'SELECT 1 AS one')).body).toEqual([{ one: 1 }]);
  });

  it.each([
    [
      'that does not shrink',
      () => Buffer.from(Array.from({ length: 1_600_000 }, () => Math.random() * 256)).toString('base64'),
    ],
    ['that shrinks to nothing', () => 'x'.repeat(8_000_000)],
    ['just above the bound', () => 'ab'.repeat(530_000)],
  ])('of memory holds no document %s', async (_name, value) => {
    const { tenantId, keys } = await aTenantWith(1);
    const id = await fill(tenantId, { v: value(), w: 1 }, 1);
    const looks = Array.from({ length: 50 }, () => 'length(attributes::text)').join(' + ');
    const answer = await ask(
      backend.url,
      keys[0] ?? '',
      `SELECT ${looks} AS n, attributes FROM instances WHERE state_id = '${id}'`,
    );
    expect(answer.body).toEqual([{ n: 50 * (MARKER.length + 2), attributes: MARKER }]);
  });

  it('SQL shows documents of up to 1 MB', async () => {
    const { tenantId, keys } = await aTenantWith(1);
    const attributes = { v: 'x'.repeat(900_000), w: 1 };
    await fill(tenantId, attributes, 1);
    const answer = await ask(backend.url, keys[0] ?? '', 'SELECT attributes FROM instances');
    expect(answer.body).toEqual([{ attributes }]);
  });

  it('SQL shows no text and no list above 1 MB', async () => {
    const { tenantId, keys } = await aTenantWith(1);
    const state = await backend.aState({ tenant_id: tenantId });
    const [long, provider] = ['x'.repeat(1_100_000), 'provider["registry.terraform.io/hashicorp/a"]'];
    const resource = (name: string, instance: object, module?: string) => ({
      ...(module === undefined ? {} : { module }),
      mode: 'managed',
      type: 'a_b',
      name,
      provider,
      instances: [{ schema_version: 0, attributes: {}, ...instance }],
    });
    const producers = Array.from({ length: 30 }, (_, index) =>
      resource(`p${index}`, { index_key: 'y'.repeat(50_000) }),
    );
    const body = JSON.stringify({
      version: 4,
      serial: 1,
      lineage: long,
      outputs: { [long]: { value: 1, type: 'number' } },
      resources: [
        ...producers,
        resource('own', {}, `module.${long}`),
        resource('all', { dependencies: producers.map((_, index) => `a_b.p${index}`) }),
      ],
    });
    expect((await send(state.address, { method: 'POST', key: backend.key, body })).status).toBe(200);
    const seen = async (sql: string): Promise<unknown> => (await ask(backend.url, keys[0] ?? '', sql)).body;
    expect(await seen('SELECT lineage FROM states')).toEqual([{ lineage: MARKER }]);
    expect(await seen('SELECT name FROM outputs')).toEqual([{ name: MARKER }]);
    expect(await seen(`SELECT address, module FROM instances WHERE module IS NOT NULL`)).toEqual([
      { address: MARKER, module: MARKER },
    ]);
    expect(await seen(`SELECT address, module FROM resources WHERE name = 'own'`)).toEqual([
      { address: MARKER, module: MARKER },
    ]);
    expect(await seen(`SELECT dependencies FROM instances WHERE address = 'a_b.all'`)).toEqual([
      { dependencies: [MARKER] },
    ]);
    expect(await seen(`SELECT length(address) AS n FROM instances WHERE address LIKE 'a_b.p1[%'`)).toEqual([
      { n: 'a_b.p1[""]'.length + 50_000 },
    ]);
  });

  it('sign-in attempts are counted by address: strangers cannot lock an account', async () => {
    const attempt = async (password: string, address: string): Promise<number> => {
      const answer = await fetch(`${backend.url}/api/v1/login/password`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': address },
        body: JSON.stringify({ email: 'ada@example.com', password }),
      });
      await answer.arrayBuffer();
      return answer.status;
    };
    const guesses: number[] = [];
    for (let guess = 0; guess < 5; guess++) guesses.push(await attempt('wrong password', '10.0.0.1'));
    expect(guesses).toEqual([401, 401, 401, 429, 429]);
    expect(await attempt('wrong password', '10.0.0.2')).toBe(401);
    // All addresses together have ten times as many.
    const many: number[] = [];
    for (let guess = 0; guess < 30; guess++)
      many.push(await attempt('wrong password', `10.1.0.${Math.floor(guess / 3)}`));
    expect(many.slice(0, 26)).toEqual(Array(26).fill(401));
    expect(many.slice(27)).toEqual([429, 429, 429]);
  });
});
