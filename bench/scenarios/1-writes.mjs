// POST of a document of which at most 10 instances changed, and first imports.
import { randomUUID } from 'node:crypto';
import { bytesOf, estate } from '../estate.mjs';
import { post, quantile } from '../service.mjs';

export const title = 'Writes';

const ROUNDS = 7;

export async function run(service) {
  const { group_id: group } = await service.call('POST', `/tenants/${service.tenant}/states`, {
    name: 'bench',
  });
  await post(service, group, 'warm-up', bytesOf(estate({ instances: 2000 })));
  return [
    ...(await firstImport(service, group, 20_000, 1500)),
    ...(await firstImport(service, group, 100_000, 5000)),
    await smallChange(service, group),
    await largeSmallChange(service, group),
  ];
}

async function smallChange(service, group) {
  const bytes = (serial) => bytesOf(estate({ instances: 10_000, serial, changed: serial === 1 ? 0 : 10 }));
  await service.pool.query('CREATE TABLE peer_states (name text PRIMARY KEY, data text)');
  await post(service, group, 'ten-thousand', bytes(1));
  const ours = [];
  const peers = [];
  for (let serial = 2; serial < 2 + ROUNDS; serial++) {
    const body = bytes(serial);
    ours.push((await post(service, group, 'ten-thousand', body)).ms);
    const start = performance.now();
    await service.pool.query(
      'INSERT INTO peer_states (name, data) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET data = $2',
      ['x', body.toString()],
    );
    peers.push(performance.now() - start);
  }
  const [mine, peer] = [quantile(ours, 0.5), quantile(peers, 0.5)];
  return {
    work: `POST, 10 of 10,000 instances changed (${(bytes(2).length / 1e6).toFixed(0)} MB), median of ${ROUNDS}`,
    measured: `${mine.toFixed(0)} ms`,
    peer: `pg statement ${peer.toFixed(0)} ms`,
    ratio: (mine / peer).toFixed(2),
    goal: 'at most 1',
    met: mine <= peer,
  };
}

async function largeSmallChange(service, group) {
  const times = [];
  const wal = [];
  let size = 0;
  for (let serial = 2; serial < 5; serial++) {
    const body = bytesOf(estate({ instances: 100_000, serial, changed: 10 }));
    size = body.length;
    const before = await service.wal();
    times.push((await post(service, group, 'n100000', body)).ms);
    wal.push(await service.walSince(before));
  }
  const [ms, bytes] = [quantile(times, 0.5), quantile(wal, 0.5)];
  return {
    work: `POST, 10 of 100,000 instances changed (${(size / 1e6).toFixed(0)} MB), median of 3`,
    measured: `${ms.toFixed(0)} ms, ${(bytes / 1e6).toFixed(2)} MB of WAL`,
    peer: '900 ms, 0.5 MB',
    ratio: (ms / 900).toFixed(2),
    goal: 'at most 1, 0.5 MB',
    met: ms <= 900 && bytes <= 5e5,
  };
}

async function firstImport(service, group, instances, limit) {
  const body = bytesOf(estate({ instances }));
  const copying = watchCopy(service);
  const { ms, answer } = await post(service, group, `n${instances}`, body);
  const rows = await copying();
  const stored = await service.pool.query('SELECT count(*)::int AS n FROM instances WHERE state_id = $1', [
    answer.state_id,
  ]);
  if (stored.rows[0].n !== instances)
    throw new Error(`expected ${instances} rows, found ${stored.rows[0].n}`);
  const copy = await bareCopy(service, answer.state_id);
  return [
    {
      work: `first POST of ${instances} instances (${(body.length / 1e6).toFixed(0)} MB)`,
      measured: `${ms.toFixed(0)} ms`,
      peer: `${limit} ms`,
      ratio: (ms / limit).toFixed(2),
      goal: 'at most 1',
      met: ms <= limit,
    },
    {
      work: `its instance rows, from the first to the last (${(rows / 1000).toFixed(1)} s of it)`,
      measured: `${(instances / rows).toFixed(1)} k/s`,
      peer: `bare COPY ${(instances / copy).toFixed(1)} k/s`,
      ratio: (copy / rows).toFixed(2),
      goal: 'at least 0.6',
      met: copy / rows >= 0.6,
    },
  ];
}

/** How long rows of instances are on their way, in milliseconds: asked of the server every 25 ms until it is called. */
function watchCopy(service) {
  const seen = [];
  let isDone = false;
  const watching = (async () => {
    while (!isDone) {
      const { rows } = await service.pool.query(
        `SELECT FROM pg_stat_progress_copy WHERE relid = 'instances'::regclass`,
      );
      if (rows.length > 0) seen.push(performance.now());
      await new Promise((done) => setTimeout(done, 25));
    }
  })();
  return async () => {
    isDone = true;
    await watching;
    return Math.max(25, seen.at(-1) - seen[0]);
  };
}

/** Milliseconds of COPY … FROM STDIN of the state's rows into an empty table like `instances`, streamed from memory. */
async function bareCopy(service, stateId) {
  const { from, to } = await import('pg-copy-streams');
  const client = await service.pool.connect();
  try {
    const name = `copy_${randomUUID().slice(0, 8)}`;
    await client.query(`CREATE TABLE ${name} (LIKE instances INCLUDING ALL)`);
    const { rows } = await client.query(
      `SELECT array_to_string(reloptions, ', ') AS options FROM pg_class WHERE oid = 'instances'::regclass`,
    );
    await client.query(`ALTER TABLE ${name} SET (${rows[0].options})`);
    const parts = [];
    for await (const part of client.query(
      to(`COPY (SELECT * FROM instances WHERE state_id = '${stateId}') TO STDOUT (FORMAT binary)`),
    ))
      parts.push(part);
    const start = performance.now();
    const stream = client.query(from(`COPY ${name} FROM STDIN (FORMAT binary)`));
    for (const part of parts)
      if (!stream.write(part)) await new Promise((done) => stream.once('drain', done));
    await new Promise((done, failed) => stream.on('finish', done).on('error', failed).end());
    const ms = performance.now() - start;
    await client.query(`DROP TABLE ${name}`);
    return ms;
  } finally {
    client.release();
  }
}
