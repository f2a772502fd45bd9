// Deliveries taken in and worked off, and the refresh of an installation's repositories, against a stand-in provider.
import { fork } from 'node:child_process';
import { createHmac, generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { Agent, createServer, request } from 'node:http';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { quantile } from '../service.mjs';

export const title = 'Code hosting';

const SECRET = 'bench secret';
const BODY_BYTES = 25_000;
const REPOSITORIES = 5000;
/** A fifth of them are sent twice. */
const DELIVERIES = Number(process.env.BENCH_DELIVERIES ?? 8000);
/** Most statements are a transaction of their own. */
const STATEMENTS = `SELECT xact_commit AS n FROM pg_stat_database WHERE datname = current_database()`;
const changed = new Set();
const provider = { hangs: false, latencyMs: 5, requests: 0, server: undefined };
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

export const environment = await startProvider();

/** Before the service starts: its settings name the stand-in. */
async function startProvider() {
  provider.server = createServer((incoming, response) => void answer(incoming, response)).listen(
    0,
    '127.0.0.1',
  );
  await new Promise((done) => provider.server.once('listening', done));
  const base = `http://127.0.0.1:${provider.server.address().port}`;
  return {
    SERVICE_ORCHESTRATION_ENABLED: 'true',
    SERVICE_ENCRYPTION_KEYS: `bench:${randomBytes(32).toString('base64')}`,
    SERVICE_GITHUB_APP_ID: '1',
    SERVICE_GITHUB_APP_PEM: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    SERVICE_GITHUB_WEBHOOK_SECRET: SECRET,
    SERVICE_GITHUB_API_BASE_URL: base,
    SERVICE_GITHUB_WEB_BASE_URL: base,
  };
}

export async function run(service) {
  try {
    await service.pool.query(
      `INSERT INTO installations (provider, installation_id, tenant_id, name, target_type, state)
       VALUES ('github', '1', $1, 'bench', 'organization', 'active')`,
      [service.tenant],
    );
    const rows = [await intake(service)];
    await service.startWorker();
    return [...rows, await workOff(service), await refresh(service)];
  } finally {
    provider.server.closeAllConnections();
    provider.server.close();
  }
}

async function intake(service) {
  const port = 20_000 + Math.floor(Math.random() * 10_000);
  const script = join(dirname(fileURLToPath(import.meta.url)), '..', 'bare-webhook.cjs');
  const bare = fork(script, [String(port), SECRET], { stdio: 'ignore' });
  await new Promise((done) => bare.once('message', done));
  provider.hangs = true;
  const ours = `${service.base}/api/v1/github/events`;
  const peer = `http://127.0.0.1:${port}/events`;
  await load(ours, 500);
  await load(peer, 500);
  const theirs = await load(peer, 5000);
  const spent = service.cpuMs();
  const mine = await load(ours, 5000);
  process.stdout.write(
    `  the API used ${((service.cpuMs() - spent) / 5000).toFixed(2)} ms of CPU for a delivery\n`,
  );
  provider.hangs = false;
  bare.kill();
  const ratio = mine.rate / theirs.rate;
  const p99 = quantile(mine.times, 0.99);
  return {
    work: 'a delivery of 25 kB verified, stored and answered, 16 at once, the provider hanging',
    measured: `${mine.rate.toFixed(0)} a second, p99 ${p99.toFixed(1)} ms`,
    peer: `bare Nest route with the HMAC ${theirs.rate.toFixed(0)} a second, p99 ${quantile(theirs.times, 0.99).toFixed(1)} ms`,
    ratio: ratio.toFixed(2),
    goal: 'at least 0.5, p99 25 ms',
    met: ratio >= 0.5 && p99 <= 25,
  };
}

async function workOff(service) {
  await service.pool.query('DELETE FROM webhook_deliveries');
  const ids = Array.from({ length: DELIVERIES }, () => randomUUID());
  const sent = [...ids, ...ids.slice(0, DELIVERIES / 4)];
  const statements = async () => Number((await service.pool.query(STATEMENTS)).rows[0].n);
  const before = { cpu: service.workerCpuMs(), requests: provider.requests, statements: await statements() };
  const start = performance.now();
  await load(`${service.base}/api/v1/github/events`, sent.length, sent);
  const count = async (state) =>
    (await service.pool.query('SELECT count(*)::int AS n FROM webhook_deliveries WHERE state = $1', [state]))
      .rows[0].n;
  while ((await count('received')) > 0) await delay(200);
  const seconds = (performance.now() - start) / 1000;
  const processed = await count('processed');
  const each = (total) => (total / ids.length).toFixed(1);
  process.stdout.write(
    `  for each delivery: ${each(service.workerCpuMs() - before.cpu)} ms of CPU of the worker, ` +
      `${each(provider.requests - before.requests)} requests, ${each((await statements()) - before.statements)} transactions\n`,
  );
  const { rows } = await service.pool.query(
    `SELECT count(*)::int AS n FROM (
       SELECT processed_at < lag(processed_at) OVER (PARTITION BY lane ORDER BY seq) AS is_late FROM webhook_deliveries
     ) d WHERE is_late`,
  );
  const rate = processed / seconds;
  return {
    work: `${sent.length} deliveries of 100 repositories, a fifth replays, provider answering in 5 ms`,
    measured: `${rate.toFixed(0)} a second, ${processed} processed once, ${rows[0].n} out of order`,
    peer: '100 a second',
    ratio: (rate / 100).toFixed(2),
    goal: 'at least 1, none lost, none twice, in order',
    met: rate >= 100 && processed === ids.length && rows[0].n === 0,
  };
}

async function refresh(service) {
  const { rows: before } = await service.pool.query(`SELECT id FROM installations WHERE provider = 'github'`);
  provider.latencyMs = 0;
  const ask = async () => {
    const start = performance.now();
    const { id } = await service.call('POST', '/github/installations/1/repos/refresh');
    for (;;) {
      const { state } = await service.call('GET', `/tasks/${id}`);
      if (state === 'completed') break;
      if (state === 'failed') throw new Error('the refresh failed');
      await delay(50);
    }
    return { ms: performance.now() - start, result: await service.call('GET', `/tasks/${id}/result`) };
  };
  await ask();
  for (let id = 1; id <= 10; id++) changed.add(id);
  provider.requests = 0;
  const { ms, result } = await ask();
  const { requests } = provider;
  return {
    work: `refresh of ${REPOSITORIES} repositories of which 10 changed (${before.length} installation)`,
    measured: `${ms.toFixed(0)} ms, ${requests} requests, ${result.written} rows written`,
    peer: '3,000 ms, 51 requests, 10 rows',
    ratio: (ms / 3000).toFixed(2),
    goal: 'at most 1',
    met: ms <= 3000 && requests <= 51 && result.written === 10,
  };
}

/** Sends deliveries, 16 at a time. */
async function load(address, count, ids = Array.from({ length: count }, () => randomUUID())) {
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  const times = [];
  let next = 0;
  const start = performance.now();
  const send = async () => {
    for (let index = next++; index < count; index = next++) {
      const begun = performance.now();
      await deliver(agent, address, ids[index], index % 100);
      times.push(performance.now() - begun);
    }
  };
  await Promise.all(Array.from({ length: 16 }, send));
  agent.destroy();
  return { rate: (1000 * count) / (performance.now() - start), times };
}

const bodies = Array.from({ length: 100 }, (_, index) => {
  const payload = {
    action: 'synchronize',
    installation: { id: 1 },
    repository: repositoryJson(index + 1),
    pull_request: { number: 1, body: 'x'.repeat(BODY_BYTES - 700) },
  };
  const bytes = Buffer.from(JSON.stringify(payload));
  return { bytes, signature: `sha256=${createHmac('sha256', SECRET).update(bytes).digest('hex')}` };
});

function deliver(agent, address, id, index) {
  const { bytes, signature } = bodies[index];
  return new Promise((done, fail) => {
    const sending = request(
      address,
      {
        agent,
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          'Content-Length': bytes.length,
          'X-GitHub-Event': 'pull_request',
          'X-GitHub-Delivery': id,
          'X-Hub-Signature-256': signature,
        },
      },
      (response) => {
        if (response.statusCode >= 300) fail(new Error(`answered ${response.statusCode}`));
        response.resume().once('end', done);
      },
    );
    sending.once('error', fail).end(bytes);
  });
}

function repositoryJson(id) {
  const name = changed.has(id) ? `renamed-${id}` : `repository-${id}`;
  return {
    id,
    name,
    full_name: `bench/${name}`,
    owner: { login: 'bench' },
    default_branch: 'main',
    archived: false,
    html_url: `https://example.com/bench/${name}`,
    clone_url: `https://example.com/bench/${name}.git`,
  };
}

async function answer(incoming, response) {
  provider.requests += 1;
  while (provider.hangs) await delay(50);
  await delay(provider.latencyMs);
  const url = new URL(incoming.url, 'http://localhost');
  const send = (json) =>
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(json));
  if (url.pathname.endsWith('/access_tokens'))
    return send({ token: 'ghs_bench', expires_at: new Date(Date.now() + 3_600_000).toISOString() });
  const one = /^\/repositories\/(\d+)$/.exec(url.pathname);
  if (one) return send(repositoryJson(Number(one[1])));
  if (url.pathname === '/installation/repositories') {
    const page = Number(url.searchParams.get('page'));
    const repositories = Array.from({ length: 100 }, (_, index) =>
      repositoryJson((page - 1) * 100 + index + 1),
    );
    const hasNext = page < REPOSITORIES / 100;
    if (hasNext) response.setHeader('Link', `<http://localhost/?page=${page + 1}>; rel="next"`);
    return send({ total_count: REPOSITORIES, repositories });
  }
  const [, repository, rest = ''] =
    /^\/repos\/bench\/(?:repository|renamed)-(\d+)(\/.*)$/.exec(url.pathname) ?? [];
  if (rest === '/installation') return send({ id: 1, account: { login: 'bench', type: 'Organization' } });
  if (rest.startsWith('/git/ref/')) return send({ object: { sha: 'b'.repeat(40) } });
  if (rest.startsWith('/git/trees/')) return send({ sha: 'c'.repeat(40), tree: [], truncated: false });
  if (rest.startsWith('/contents/')) return response.writeHead(404).end();
  if (rest === '/pulls/1/files') return send([{ filename: 'README.md', status: 'modified' }]);
  if (rest !== '/pulls/1') return send([]);
  const now = new Date().toISOString();
  return send({
    number: 1,
    title: 'bench',
    user: { login: 'bench' },
    state: 'open',
    created_at: now,
    updated_at: now,
    head: { ref: 'change', sha: 'a'.repeat(40), repo: { id: Number(repository) } },
    base: { ref: 'main', sha: 'b'.repeat(40), repo: { id: Number(repository) } },
  });
}
