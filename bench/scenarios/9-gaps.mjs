// Gap analysis against a stand-in for AWS; the peer of a scan is the SDK that reads and discards the same pages.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { bytesOf, estate } from '../estate.mjs';
import { post, quantile } from '../service.mjs';

export const title = 'Gap analysis';

const here = dirname(fileURLToPath(import.meta.url));
const KEYS = { AWS_ACCESS_KEY_ID: 'AKIASERVERSERVERSERV', AWS_SECRET_ACCESS_KEY: 'server/secret+key' };
const RESOURCES = 100_000;
const INSTANCES = 1_000_000;
const UNMANAGED = 1_000;
const WRITES = 24;
const ARN = `'arn:aws:ec2:eu-west-1:999999999999:instance/i-' || lpad(n::text, 17, '0')`;

const cloud = child(['serve', String(RESOURCES)]);
const [address] = await once(cloud.stdout.setEncoding('utf8'), 'data');
const url = address.trim();

/** While it exists, nobody keeps cloud ids. */
const withoutIds = join(mkdtempSync(join(tmpdir(), 'gap-bench-')), 'without');

export const environment = {
  BENCH_WITHOUT_CLOUD_IDS: withoutIds,
  NODE_OPTIONS: `--require ${join(here, '..', 'without-cloud-ids.cjs')}`,
  ...{ SERVICE_AWS_ENDPOINT_URL: url, SERVICE_GAPS_AMBIENT_TENANTS: 'all', SERVICE_GAPS_FRESH_SECONDS: '0' },
  ...KEYS,
};

export async function run(service) {
  const path = `/tenants/${service.tenant}/gaps?provider=aws`;
  try {
    await service.startWorker();
    return [
      ...(await scans(service, path)),
      ...(await comparisons(service, path)),
      await small(service),
      await imports(service),
      ...(await writes(service)),
    ];
  } finally {
    cloud.kill();
  }
}

function child(args) {
  return spawn(process.execPath, [join(here, '..', 'gap-cloud.mjs'), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...KEYS },
  });
}

async function scans(service, path) {
  const ours = [];
  const peers = [];
  const used = { ours: [], peers: [] };
  const worker = service.workerPid();
  await delay(2_000);
  writeFileSync(`/proc/${worker}/clear_refs`, '5');
  const idle = memory(worker, 'VmRSS');
  for (let round = 0; round < 3; round += 1) {
    const peer = child(['peer', url]);
    const [text] = await once(peer.stdout.setEncoding('utf8'), 'data');
    const [ms, processorMs] = text.split(' ').map(Number);
    peers.push(ms);
    used.peers.push(processorMs);
    const before = processorTime(worker);
    await service.call('GET', `${path}&source=no-cache`);
    for (;;) {
      const { rows } = await service.pool.query(
        `SELECT status, extract(epoch FROM ended_at - started_at) * 1000 AS ms FROM gap_scans WHERE tenant_id = $1`,
        [service.tenant],
      );
      if (rows[0].status === 'failed') throw new Error('the scan failed');
      if (rows[0].status === 'completed') {
        ours.push(Number(rows[0].ms));
        used.ours.push(processorTime(worker) - before);
        break;
      }
      await delay(50);
    }
  }
  const [best, peer] = [quantile(ours, 0.5), quantile(peers, 0.5)];
  const above = memory(worker, 'VmHWM') - idle;
  return [
    row('scan of 100,000 resources', best, peer, '1.5 times the SDK alone', best / peer <= 1.5),
    row(
      'its processor time, without the database',
      ...[quantile(used.ours, 0.5), quantile(used.peers, 0.5), 'none, for comparison', undefined],
    ),
    {
      ...{
        work: 'memory of that scan above idle',
        measured: `${above.toFixed(0)} MB`,
        peer: '–',
        ratio: '–',
      },
      ...{ goal: '60 MB', met: above <= 60 },
    },
  ];
}

async function comparisons(service, path) {
  const state = await service.call('POST', `/tenants/${service.tenant}/states`, {
    name: 'estate',
    workspace: 'default',
  });
  const ids = (from, to) =>
    service.pool.query(
      `INSERT INTO cloud_ids (state_id, key, id, tenant_id, provider, address)
       SELECT $1, gen_random_uuid(), ${ARN}, $2, 'aws', 'aws_instance.a[' || n || ']' FROM generate_series($3::int, $4::int) n`,
      [state.id, service.tenant, from, to],
    );
  await ids(UNMANAGED, INSTANCES + UNMANAGED - 1);
  await service.pool.query('VACUUM ANALYZE cloud_ids');
  await service.pool.query('VACUUM ANALYZE gap_inventory');
  const few = await times(service, path, 20);
  await service.pool.query(`DELETE FROM cloud_ids WHERE id < ${ARN.replace('n::text', `'${RESOURCES}'`)}`);
  const all = await times(service, path, 5);
  return [
    limit('100,000 resources against 1,000,000 instances, 1,000 unmanaged, p95', quantile(few, 0.95), 300),
    limit('the same, all 100,000 unmanaged, p95', quantile(all, 0.95), 1_500),
  ];
}

async function small(service) {
  const tenant = await service.call('POST', '/tenants', { name: 'small' });
  await service.pool.query(
    `INSERT INTO gap_scans (tenant_id, provider, task_id, status, started_at, ended_at, inventory_id, fetched_at, totals)
     VALUES ($1, 'aws', gen_random_uuid(), 'completed', now(), now(), $1, now(), '{"ec2": 1000}')`,
    [tenant.id],
  );
  await service.pool.query(
    `INSERT INTO gap_inventory (tenant_id, inventory_id, provider, service, resource_type, id, lookup_id, region, account, supported)
     SELECT $1, $1, 'aws', 'ec2', 'ec2:instance', ${ARN}, ${ARN}, 'eu-west-1', '999999999999', true FROM generate_series(1, 1000) n`,
    [tenant.id],
  );
  const found = await times(service, `/tenants/${tenant.id}/gaps?provider=aws`, 50);
  return limit('cached result for 1,000 resources, p95', quantile(found, 0.95), 20);
}

async function imports(service) {
  const resources = Array.from({ length: 1_000 }, (_, at) => ({
    arn: `arn:aws:sns:eu-west-1:999999999999:topic-${at}`,
    ...{ service: 'sns', resource_type: 'sns:topic' },
  }));
  const found = [];
  for (let round = 0; round < 20; round += 1) {
    const begun = performance.now();
    await service.call('POST', `/tenants/${service.tenant}/gaps/import`, { provider: 'aws', resources });
    found.push(performance.now() - begun);
  }
  return limit('import of 1,000 resources, p95', quantile(found, 0.95), 50);
}

/** Writes with and without the upkeep in turn, in states of their own, and how soon the ids are there. */
async function writes(service) {
  const { group_id: group } = await service.call('POST', `/tenants/${service.tenant}/states`, {
    name: 'written',
  });
  const bytes = (serial) => bytesOf(estate({ instances: 2_000, serial, changed: serial === 1 ? 0 : 10 }));
  const found = { with: [], without: [] };
  const delays = [];
  for (let serial = 1; serial <= WRITES; serial += 1)
    for (const kind of ['with', 'without']) {
      if (kind === 'without') writeFileSync(withoutIds, '');
      const { ms } = await post(service, group, kind, bytes(serial));
      const begun = performance.now();
      rmSync(withoutIds, { force: true });
      if (serial > 3) found[kind].push(ms);
      if (kind === 'with' && serial > 1) delays.push(await untilCurrent(service, group, begun));
      await delay(100);
    }
  const [ours, peer] = [quantile(found.with, 0.5), quantile(found.without, 0.5)];
  return [
    row(
      'write that changes 10 of 2,000 instances with cloud ids, median; the peer is the same write without them',
      ours,
      peer,
      'at most 1.03 times',
      ours / peer <= 1.03,
    ),
    limit('cloud ids current after such a write, p95', quantile(delays, 0.95), 300),
  ];
}

async function untilCurrent(service, group, begun) {
  for (;;) {
    const { rows } = await service.pool.query(
      `SELECT 1 FROM states s JOIN cloud_id_states c ON c.state_id = s.id
       WHERE s.group_id = $1 AND s.workspace = 'with' AND c.done_version = s.version`,
      [group],
    );
    if (rows.length > 0) return performance.now() - begun;
    await delay(5);
  }
}

async function times(service, path, rounds) {
  const found = [];
  await service.call('GET', path);
  for (let round = 0; round < rounds; round += 1) {
    const begun = performance.now();
    await service.call('GET', path);
    found.push(performance.now() - begun);
  }
  return found;
}

/** Milliseconds that a process has had of a processor; Linux counts in hundredths of a second. */
function processorTime(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function memory(pid, name) {
  return (
    Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1_000
  );
}

function row(work, ms, peer, goal, met) {
  return {
    work,
    measured: `${ms.toFixed(0)} ms`,
    peer: `${peer.toFixed(0)} ms`,
    ratio: (ms / peer).toFixed(2),
    goal,
    met,
  };
}

function limit(work, ms, goal) {
  return {
    work,
    measured: `${ms.toFixed(1)} ms`,
    peer: '–',
    ratio: '–',
    goal: `${goal} ms`,
    met: ms <= goal,
  };
}
