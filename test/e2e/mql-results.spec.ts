import { get, type IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { aQueryEstate, ask, type QueryEstate } from '../support/mql.js';

/** 1000 rows of 28 kB: far more than what lies in the buffers of two sockets. */
const LARGE = `SELECT a.n * 100 + b.n * 10 + c.n AS n, t.x || t.x AS filler FROM ${['a', 'b', 'c']
  .map((name) => `(VALUES ${[...Array(10).keys()].map((n) => `(${n})`).join(', ')}) ${name} (n)`)
  .join(', ')}, (VALUES ('${'x'.repeat(14_000)}')) t (x) ORDER BY n LIMIT 1000`;

describe('A large result of a query', () => {
  let estate: QueryEstate;
  beforeAll(async () => {
    estate = await aQueryEstate({ env: { SERVICE_MQL_POOL_SIZE: '1' } });
  });
  afterAll(() => estate.stop());

  const small = (key: string) => ask(estate.backend.url, key, 'SELECT 1 AS one');

  /** Asks, and reads nothing of the answer but its headers. */
  function idle(key: string): Promise<IncomingMessage> {
    const address = `${estate.backend.url}/api/v1/mql?${new URLSearchParams({ q: LARGE }).toString()}`;
    return new Promise((resolve, reject) => {
      get(address, { headers: { authorization: `Bearer ${key}` } }, resolve).once('error', reject);
    });
  }

  it('comes whole, with its length', async () => {
    const { body, text, headers } = await ask(estate.backend.url, estate.one.key, LARGE);
    expect(Number(headers['content-length'])).toBe(text.length);
    const rows = body as { n: number; filler: string }[];
    expect(rows.map(({ n }) => n)).toEqual([...Array(1000).keys()]);
    expect(rows.every(({ filler }) => filler === 'x'.repeat(28_000))).toBe(true);
  });

  it('holds no connection while its reader is slow, and no more than two of one principal wait', async () => {
    const slow = [await idle(estate.one.key), await idle(estate.one.key)];
    expect(slow.map(({ statusCode }) => statusCode)).toEqual([200, 200]);
    expect(await small(estate.one.key)).toMatchObject({ status: 429, body: { id: 'RESOURCE_LIMIT_ERR' } });
    // There is one connection for queries, and it is free.
    expect(await small(estate.other.key)).toMatchObject({ status: 200, body: [{ one: 1 }] });
    slow.forEach((answer) => answer.destroy());
    let again = await small(estate.one.key);
    while (again.status === 429) {
      await delay(20);
      again = await small(estate.one.key);
    }
    expect(again.status).toBe(200);
  });
});

describe('A query that PostgreSQL does not stop', () => {
  let estate: QueryEstate;
  beforeAll(async () => {
    estate = await aQueryEstate({ env: { SERVICE_MQL_POOL_SIZE: '2', SERVICE_MQL_TIMEOUT_SECONDS: '1' } });
  });
  afterAll(() => estate.stop());

  it('is answered all the same, and counts against its tenant until it has ended', async () => {
    const { pool } = estate.backend.service;
    const one = (key = estate.one.key) =>
      ask(estate.backend.url, key, 'SELECT count(*)::int AS n FROM check_results');
    const holder = await pool.connect();
    await holder.query('BEGIN; LOCK TABLE check_results IN ACCESS EXCLUSIVE MODE');
    const asked = one();
    const waiting = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE '% queries' AND wait_event_type = 'Lock'`;
    let pid: number | undefined;
    while (pid === undefined) pid = (await pool.query<{ pid: number }>(waiting)).rows[0]?.pid;
    // A stopped process heeds its timeout as little as one that is busy in a long loop.
    process.kill(pid, 'SIGSTOP');
    try {
      expect(await asked).toMatchObject({ status: 400, body: { id: 'TIMEOUT_ERR' } });
      await holder.query('ROLLBACK');
      expect(await one(estate.other.key)).toMatchObject({ status: 200, body: [{ n: 1 }] });
      expect(await one()).toMatchObject({ status: 429, body: { id: 'RESOURCE_LIMIT_ERR' } });
    } finally {
      process.kill(pid, 'SIGCONT');
      holder.release();
    }
    let status: number;
    do ({ status } = await one());
    while (status === 429);
    expect(status).toBe(200);
  });
});
