// GET of a large document and of one record, against the least a server could do.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { bytesOf, estate } from '../estate.mjs';
import { post, quantile } from '../service.mjs';

export const title = 'Reads';

const here = dirname(fileURLToPath(import.meta.url));
const ROUNDS = 21;
const SECONDS = 5;

export async function run(service) {
  const { group_id: group } = await service.call('POST', `/tenants/${service.tenant}/states`, {
    name: 'bench',
  });
  const body = bytesOf(estate({ instances: 10_000 }));
  const { answer } = await post(service, group, 'big', body);
  const peer = await startPeer(service, gzipSync(body, { level: 1 }));
  try {
    return [await document(service, group, peer, body), await record(service, answer.state_id, peer)];
  } finally {
    peer.stop();
  }
}

async function document(service, group, peer, body) {
  const headers = { Authorization: `Bearer ${service.token}`, 'Accept-Encoding': 'gzip' };
  const ours = [];
  const theirs = [];
  for (let i = 0; i < ROUNDS; i++) {
    ours.push(await timed(`${service.base}/api/v1/states/backend/${group}/big`, headers, body.length));
    theirs.push(await timed(`${peer.base}/file`, headers, body.length));
  }
  const [mine, bare] = [quantile(ours, 0.5), quantile(theirs, 0.5)];
  return {
    work: `backend GET of ${(body.length / 1e6).toFixed(0)} MB with gzip, median of ${ROUNDS}`,
    measured: `${mine.toFixed(0)} ms`,
    peer: `static gzip file ${bare.toFixed(0)} ms`,
    ratio: (mine / bare).toFixed(2),
    goal: 'at most 1.3',
    met: mine / bare <= 1.3,
  };
}

async function timed(url, headers, size) {
  const start = performance.now();
  const bytes = await (await fetch(url, { headers })).arrayBuffer();
  if (bytes.byteLength !== size) throw new Error('another document');
  return performance.now() - start;
}

async function record(service, stateId, peer) {
  const ours = [];
  const theirs = [];
  const path = `/api/v1/states/${stateId}`;
  for (let round = 0; round < 3; round++) {
    ours.push(await rate(`${service.base}${path}`, service.token));
    theirs.push(await rate(`${peer.base}/record/${stateId}`, service.token));
  }
  const [mine, bare] = [quantile(ours, 0.5), quantile(theirs, 0.5)];
  return {
    work: 'authenticated GET of one record',
    measured: `${mine.toFixed(0)} requests/s`,
    peer: `bare Nest route with the same lookup ${bare.toFixed(0)} requests/s`,
    ratio: (mine / bare).toFixed(2),
    goal: 'at least 0.75',
    met: mine / bare >= 0.75,
  };
}

/** Requests a second of 16 clients. */
async function rate(url, token) {
  const until = performance.now() + SECONDS * 1000;
  let count = 0;
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      while (performance.now() < until) {
        const response = await fetch(url, { headers: { Authorization: `Bearer ${token}` } });
        await response.text();
        if (response.ok) count++;
        else throw new Error(`${url}: ${response.status}`);
      }
    }),
  );
  return count / SECONDS;
}

async function startPeer(service, gzip) {
  const folder = mkdtempSync(join(tmpdir(), 'bench-peer-'));
  const file = join(folder, 'state.json.gz');
  writeFileSync(file, gzip);
  const { host, port, user, password, database } = service.pool.options;
  const child = spawn(process.execPath, [join(here, '..', 'peer.cjs')], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env.PATH,
      PEER_FILE: file,
      PGHOST: host,
      PGPORT: String(port),
      PGUSER: user,
      PGPASSWORD: password,
      PGDATABASE: database,
    },
  });
  const base = await new Promise((done) => child.stdout.once('data', (text) => done(String(text).trim())));
  return { base, stop: () => (child.kill('SIGKILL'), rmSync(folder, { recursive: true })) };
}
