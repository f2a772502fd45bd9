// One service with a durable embedded PostgreSQL of its own, an administrator and a tenant.
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Agent, request } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const require = createRequire(import.meta.url);

/** For profiles: `BENCH_NODE_ARGS="--cpu-prof --cpu-prof-dir=/tmp/profiles"`. */
const nodeArgs = (process.env.BENCH_NODE_ARGS ?? '').split(' ').filter((arg) => arg !== '');

async function freePort() {
  const server = createServer();
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address();
  await new Promise((done) => server.close(done));
  return port;
}

export async function startBenchService(extra = {}) {
  const { EmbeddedPostgres } = require('../dist/platform/database/embedded-postgres/index.js');
  const directory = mkdtempSync(join(tmpdir(), 'bench-'));
  chmodSync(directory, 0o755);
  const database = await EmbeddedPostgres.start({ directory: join(directory, 'data') });
  const role = await database.role('service');
  await database.database('service', 'service');
  const [port, internal] = [await freePort(), await freePort()];
  const base = `http://127.0.0.1:${port}`;
  const environment = {
    PATH: process.env.PATH,
    SERVICE_UI_BASE: base,
    SERVICE_PORT: String(port),
    SERVICE_INTERNAL_PORT: String(internal),
    SERVICE_LOG_LEVEL: 'error',
    DB_HOST: role.host,
    DB_PORT: String(role.port),
    DB_USER: role.user,
    DB_PASS: role.password,
    DB_NAME: 'service',
    ...extra,
  };
  const start = (program, more = {}) =>
    spawn(process.execPath, [...nodeArgs, join(root, 'dist', program)], {
      cwd: root,
      stdio: ['ignore', process.env.BENCH_LOG ? 'inherit' : 'ignore', 'inherit'],
      env: { ...environment, ...more },
    });
  const child = start('main.js');
  let worker;
  let workerInternal;
  let isStopping = false;
  child.once('exit', (code, signal) => {
    if (!isStopping) process.stderr.write(`the service ended: ${code ?? signal}\n`);
  });
  for (let i = 0; i < 300; i++) {
    const ready = await fetch(`${base}/health/ready`).catch(() => undefined);
    if (ready?.status === 200) break;
    await new Promise((done) => setTimeout(done, 100));
  }
  const pool = new pg.Pool({
    host: role.host,
    port: role.port,
    user: role.user,
    password: role.password,
    database: 'service',
    max: 4,
  });
  const call = caller(`${base}/api/v1`);
  const setup = await call('POST', '/setup/admin', {
    email: 'bench@example.com',
    password: 'bench password',
    name: 'Bench',
    organization: 'Bench',
  });
  const { token } = await call('POST', '/user/access-tokens', { name: 'bench' }, setup.session_token);
  const { results } = await call('GET', '/user/tenants', undefined, token);
  const tenant = results.find((each) => each.name === 'Bench').id;
  return {
    base,
    internal: `http://127.0.0.1:${internal}`,
    pool,
    token,
    tenant,
    pid: child.pid,
    call: (method, path, body) => call(method, path, body, token),
    /** kB of a line of /proc/<pid>/status */
    memory: (line) =>
      Number(new RegExp(`${line}:\\s+(\\d+)`).exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))[1]),
    /** CPU time of the API so far, which other load of the machine changes little; a tick is 10 ms */
    cpuMs: () => cpuMsOf(child.pid),
    workerCpuMs: () => cpuMsOf(worker.pid),
    /** VmHWM begins again at what is in use now. */
    resetPeak: () => writeFileSync(`/proc/${child.pid}/clear_refs`, '5'),
    wal: async () => (await pool.query('SELECT pg_current_wal_lsn() AS lsn')).rows[0].lsn,
    walSince: async (lsn) =>
      Number(
        (await pool.query('SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), $1) AS bytes', [lsn])).rows[0].bytes,
      ),
    workerPid: () => worker.pid,
    /** where the worker serves its metrics */
    workerInternal: () => workerInternal,
    /** Consumes queues from now on, until the service stops. */
    async startWorker() {
      const port = await freePort();
      worker = start('worker.js', { SERVICE_INTERNAL_PORT: String(port) });
      workerInternal = `http://127.0.0.1:${port}`;
      for (let i = 0; i < 300; i++) {
        const ready = await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => undefined);
        if (ready?.status === 200) return;
        await new Promise((done) => setTimeout(done, 100));
      }
      throw new Error('the worker did not become ready');
    },
    async stop() {
      isStopping = true;
      await pool.end();
      if (worker) {
        worker.kill('SIGTERM');
        await new Promise((done) => worker.once('exit', done));
      }
      child.kill('SIGTERM');
      await new Promise((done) => child.once('exit', done));
      await database.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function cpuMsOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return 10 * (Number(fields[11]) + Number(fields[12]));
}

function caller(base) {
  return async (method, path, body, token) => {
    const response = await fetch(base + path, {
      method,
      headers: { 'Content-Type': 'application/json', ...(token ? { Authorization: `Bearer ${token}` } : {}) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 200)}`);
    return text === '' ? undefined : JSON.parse(text);
  };
}

const agent = new Agent({ keepAlive: true });

/** Sends bytes to the backend; milliseconds and the answer. Plain `node:http`: fetch takes a second for 280 MB. */
export async function post(service, group, workspace, bytes) {
  const start = performance.now();
  const answer = await send(service, 'POST', `/states/backend/${group}/${workspace}`, bytes);
  return { ms: performance.now() - start, answer };
}

/** The answer to a GET, for what is timed: fetch itself takes half a millisecond. */
export function get(service, path) {
  return send(service, 'GET', path);
}

async function send(service, method, path, bytes) {
  const { status, text } = await new Promise((resolve, reject) => {
    const outgoing = request(
      `${service.base}/api/v1${path}`,
      {
        method,
        agent,
        headers: {
          Authorization: `Bearer ${service.token}`,
          ...(bytes ? { 'Content-Type': 'application/json', 'Content-Length': bytes.length } : {}),
        },
      },
      (incoming) => {
        const parts = [];
        incoming.on('data', (part) => parts.push(part));
        incoming.on('end', () =>
          resolve({ status: incoming.statusCode, text: Buffer.concat(parts).toString() }),
        );
      },
    );
    outgoing.on('error', reject);
    outgoing.end(bytes);
  });
  if (status !== 200) throw new Error(`${method}: ${status} ${text}`);
  return JSON.parse(text);
}

/** Nearest rank: a value that was measured. */
export function quantile(values, q) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.ceil(q * sorted.length) - 1];
}
