// The key-value store against bare Nest routes with the same lookup of the credential and one statement.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RawConnection } from '../raw-connection.mjs';
import { quantile } from '../service.mjs';

export const title = 'Key-value store';

const here = dirname(fileURLToPath(import.meta.url));
const CONNECTIONS = 16;
const SECONDS = Number(process.env.BENCH_SECONDS ?? 4);
const ROUNDS = 5;
/** A multiple of the connections: a key stays on one of them, so that no two compare and set it at a time. */
const KEYS = 1_008;
const RECORDS = 1_000_000;
const NAMESPACE = '/api/v1/github/kv/4711';
const DATA = 'x'.repeat(1_000);

export async function run(service) {
  // A member of the linked tenant, as nearly everybody is: administrators skip the lookup of the link.
  await service.pool.query(
    `INSERT INTO installations (provider, installation_id, tenant_id, name, target_type, state, linked_at)
     VALUES ('github', '4711', $1, 'bench', 'organization', 'active', now())`,
    [service.tenant],
  );
  const { token } = await service.call('POST', '/user/access-tokens', {
    name: 'member',
    capabilities: { preview: {} },
  });
  const peer = await startPeer(service);
  const sides = {
    ours: (path) => ({ base: service.base, path: `${NAMESPACE}${path}`, token }),
    bare: (path) => ({ base: peer.base, path: `/record${path}`, token }),
  };
  try {
    return [
      ...(await rates(service, peer, sides)),
      await contended(service, token),
      ...(await large(service, token)),
      ...(await many(service, token)),
    ];
  } finally {
    peer.stop();
  }
}

/** Calls a second of 16 connections, the two sides in turn, so that both meet the same neighbours. */
async function rates(service, peer, { ours, bare }) {
  const body = JSON.stringify({ data: DATA });
  const versions = new Map();
  const key = (n) => `k${n % KEYS}`;
  const work = {
    get: [(n) => ['GET', ours(`/key/${key(n)}`)], (n) => ['GET', bare(`/${key(n)}`)]],
    put: [(n) => ['PUT', ours(`/key/${key(n)}`), body], (n) => ['PUT', bare(`/${key(n)}`), body]],
    cas: [
      (n) => [
        'PUT',
        ours(`/cas/key/c${n % KEYS}`),
        JSON.stringify({ data: DATA, version: versions.get(n % KEYS) }),
      ],
      (n) => ['PUT', bare(`/${key(n)}`), body],
    ],
  };
  for (const side of [0, 1]) await rate(work.put[side], { calls: KEYS });
  const seen = (n, record) => versions.set(n % KEYS, record.version);
  await rate(work.cas[0], { calls: KEYS, seen });
  const rows = [];
  for (const [name, title, goal] of [
    ['get', 'GET of 1 kB', 0.7],
    ['put', 'PUT of 1 kB', 0.7],
    ['cas', 'CAS of 1 kB over 1,000 keys without losers', 0.65],
  ]) {
    const found = [[], []];
    const processor = [0, 0];
    const calls = [0, 0];
    const processes = [service.pid, peer.pid];
    for (let round = 0; round < ROUNDS; round++)
      for (const side of [0, 1]) {
        const before = await processorTime(service, processes[side]);
        const count = await rate(work[name][side], {
          seconds: SECONDS,
          seen: name === 'cas' && side === 0 ? seen : undefined,
        });
        processor[side] += (await processorTime(service, processes[side])) - before;
        calls[side] += count;
        found[side].push(count / SECONDS);
      }
    const [mine, theirs] = found.map((values) => quantile(values, 0.5));
    const ratio = quantile(
      found[0].map((value, round) => value / found[1][round]),
      0.5,
    );
    const [own, bare] = processor.map((ms, side) => ms / calls[side]);
    const what = name === 'get' ? 'SELECT by primary key' : 'upsert';
    rows.push(
      {
        work: `${title}, ${CONNECTIONS} connections, median of ${ROUNDS}`,
        measured: `${mine.toFixed(0)} requests/s`,
        peer: `bare Nest route with the same authentication and one ${what} ${theirs.toFixed(0)} requests/s`,
        ratio: ratio.toFixed(2),
        goal: `at least ${goal}`,
        met: ratio >= goal,
      },
      {
        work: `its processor time a call, service and database`,
        measured: `${own.toFixed(2)} ms`,
        peer: `the same route ${bare.toFixed(2)} ms`,
        ratio: (bare / own).toFixed(2),
        goal: `at least ${goal}`,
        met: bare / own >= goal,
      },
    );
  }
  return rows;
}

async function rate(requestOf, { seconds, calls, seen }) {
  const start = performance.now();
  const until = seconds === undefined ? Infinity : start + seconds * 1000;
  let count = 0;
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async (_, lane) => {
      const connection = await RawConnection.open(requestOf(lane)[1].base);
      for (let n = lane; performance.now() < until && n < (calls ?? Infinity); n += CONNECTIONS) {
        const [method, target, body] = requestOf(n);
        const answer = await connection.ask(method, target, body);
        if (answer.status !== 200)
          throw new Error(`${method} ${target.path}: ${answer.status} ${answer.text}`);
        seen?.(n, JSON.parse(answer.text));
        count++;
      }
      connection.close();
    }),
  );
  return count;
}

const TICKS_PER_SECOND = 100;

/** Milliseconds of processor time that a process and the connections of the database have used so far. */
async function processorTime(service, pid) {
  const { rows } = await service.pool.query(
    "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend'",
  );
  return [pid, ...rows.map((row) => row.pid)]
    .map((each) => {
      // The name of the program, in parentheses, may hold anything.
      const fields = readFileSync(`/proc/${each}/stat`, 'utf8').split(') ')[1].split(' ');
      return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND;
    })
    .reduce((sum, ms) => sum + ms, 0);
}

async function contended(service, token) {
  const WINS = 100;
  const at = (path) => ({ base: service.base, path: `${NAMESPACE}${path}`, token });
  const setup = await RawConnection.open(service.base);
  await setup.ask('PUT', at('/key/contended'), JSON.stringify({ data: '0' }));
  let lost = 0;
  const times = await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      const connection = await RawConnection.open(service.base);
      const start = performance.now();
      for (let wins = 0; wins < WINS;) {
        const { data, version } = JSON.parse((await connection.ask('GET', at('/key/contended'))).text);
        const body = JSON.stringify({ data: String(Number(data) + 1), version });
        const answer = await connection.ask('PUT', at('/cas/key/contended'), body);
        if (answer.status === 200) wins++;
        else if (answer.status === 400 && answer.text.includes('VERSION_MISMATCH')) lost++;
        else throw new Error(`CAS: ${answer.status} ${answer.text}`);
      }
      connection.close();
      return performance.now() - start;
    }),
  );
  const { data } = JSON.parse((await setup.ask('GET', at('/key/contended'))).text);
  setup.close();
  if (data !== String(WINS * CONNECTIONS)) throw new Error(`counted ${data}`);
  const [slowest, median] = [Math.max(...times), quantile(times, 0.5)];
  return {
    work: `${CONNECTIONS} writers on one key by CAS until each has won ${WINS} times (${lost} lost calls, no error), slowest`,
    measured: `${(slowest / 1000).toFixed(2)} s`,
    peer: `median writer ${(median / 1000).toFixed(2)} s`,
    ratio: (slowest / median).toFixed(2),
    goal: 'at most 3',
    met: slowest <= 3 * median,
  };
}

/** 10,000 PUT and GET of 1 MiB: event loop and memory of the process. */
async function large(service, token) {
  const CALLS = 10_000;
  const SETTLED = 2_000;
  const at = (n) => ({ base: service.base, path: `${NAMESPACE}/key/large-${n % 8}`, token });
  const body = JSON.stringify({ data: 'x'.repeat(2 ** 20) });
  let next = 0;
  let settled = 0;
  const lags = [];
  await lag(service);
  const lanes = Array.from({ length: 4 }, async (_, lane) => {
    const connection = await RawConnection.open(service.base);
    for (let n = next++; n < CALLS; n = next++) {
      const isPut = n < 8 || n % 2 === 0;
      const answer = await connection.ask(
        isPut ? 'PUT' : 'GET',
        at(n < 8 ? n : lane),
        isPut ? body : undefined,
      );
      if (answer.status !== 200) throw new Error(`1 MiB: ${answer.status}`);
      if (n === SETTLED) settled = service.memory('VmRSS');
      if (n % 500 === 499) lags.push(await lag(service));
    }
    connection.close();
  });
  await Promise.all(lanes);
  const rss = service.memory('VmRSS');
  const worst = Math.max(0, quantile(lags, 0.5));
  return [
    {
      work: `1 MiB PUT and GET in turn, 4 connections, ${CALLS} calls: event-loop delay p99 (median of ${lags.length} windows)`,
      measured: `${worst.toFixed(1)} ms`,
      peer: '20 ms',
      ratio: (worst / 20).toFixed(2),
      goal: 'at most 1',
      met: worst <= 20,
    },
    {
      work: `its resident memory after ${CALLS} calls, against after ${SETTLED}`,
      measured: `${(rss / 1024).toFixed(0)} MiB`,
      peer: `${(settled / 1024).toFixed(0)} MiB`,
      ratio: (rss / settled).toFixed(2),
      goal: 'at most 1.1',
      met: rss <= 1.1 * settled,
    },
  ];
}

async function many(service, token) {
  await service.pool.query(
    `INSERT INTO kv_records (provider, installation_id, key, idx, data, version, committed)
     SELECT 'github', '4711', 'many/' || lpad(n::text, 7, '0'), 0, repeat(md5(n::text), 32), 0, true
       FROM generate_series(0, $1::int - 1) AS n`,
    [RECORDS],
  );
  await service.pool.query('VACUUM ANALYZE kv_records');
  const connection = await RawConnection.open(service.base);
  const at = (path) => ({ base: service.base, path: `${NAMESPACE}${path}`, token });
  const iteration = async (includeData) => {
    const times = [];
    for (let round = 0; round < 60; round++) {
      // A thousand keys share their first four digits: any position, by a prefix.
      const start = `many/${String((round * 7919) % 1000).padStart(4, '0')}`;
      const path = `/iter/${encodeURIComponent(start)}?prefix=true&limit=1000&include_data=${includeData}`;
      const begin = performance.now();
      const answer = await connection.ask('GET', at(path));
      times.push(performance.now() - begin);
      if (JSON.parse(answer.text).records.length !== 1000) throw new Error('not a thousand records');
    }
    return quantile(times, 0.95);
  };
  const commits = [];
  for (let round = 0; round < 20; round++) {
    const from = round * 1000;
    const keys = Array.from({ length: 1000 }, (_, n) => ({
      key: `many/${String(from + n).padStart(7, '0')}`,
    }));
    await service.pool.query(
      `UPDATE kv_records SET committed = false
        WHERE provider = 'github' AND installation_id = '4711' AND key = ANY ($1) AND idx = 0`,
      [keys.map(({ key }) => key)],
    );
    const begin = performance.now();
    const answer = await connection.ask('POST', at('/commit'), JSON.stringify({ keys }));
    commits.push(performance.now() - begin);
    if (JSON.parse(answer.text).keys.length !== 1000) throw new Error(`commit: ${answer.text.slice(0, 200)}`);
  }
  const rows = [
    limitRow(
      `iteration of 1,000 records of 1 kB by prefix in a namespace of ${RECORDS}, p95`,
      await iteration(true),
      25,
    ),
    limitRow(`the same without data, p95`, await iteration(false), 15),
    limitRow('commit of 1,000 records, p95', quantile(commits, 0.95), 40),
  ];
  connection.close();
  return rows;
}

function limitRow(work, ms, limit) {
  return {
    work,
    measured: `${ms.toFixed(1)} ms`,
    peer: `${limit} ms`,
    ratio: (ms / limit).toFixed(2),
    goal: 'at most 1',
    met: ms <= limit,
  };
}

/** Node.js measures between two ticks of a timer: an idle loop shows 10.2 ms. */
const TICK_MS = 10;

/** p99 of the event-loop delay since the last call, in milliseconds. */
async function lag(service) {
  const text = await (await fetch(`${service.internal}/metrics`)).text();
  const seconds = /^nodejs_eventloop_lag_p99_seconds(?:{[^}]*})? ([\d.e+-]+)/m.exec(text)?.[1];
  return Number(seconds ?? Number.NaN) * 1000 - TICK_MS;
}

async function startPeer(service) {
  const { host, port, user, password, database } = service.pool.options;
  const child = spawn(process.execPath, [join(here, '..', 'kv-peer.cjs')], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env.PATH,
      PGHOST: host,
      PGPORT: String(port),
      PGUSER: user,
      PGPASSWORD: password,
      PGDATABASE: database,
    },
  });
  const base = await new Promise((done) => child.stdout.once('data', (text) => done(String(text).trim())));
  return { base, pid: child.pid, stop: () => child.kill('SIGKILL') };
}
