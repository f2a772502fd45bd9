// Cost estimation: first and incremental snapshots, reads, rollups and history, against plain statements of the database.
import { bytesOf, estate } from '../estate.mjs';
import { get, post, quantile } from '../service.mjs';

const INSTANCES = Number(process.env.BENCH_COST_INSTANCES ?? 100_000);
const STATES = 200;
const DAYS = 365;
const ROUNDS = 15;

export const environment = { SERVICE_COST_ENABLED: 'true', SERVICE_COST_PORT: '0' };

export async function run(service) {
  await service.startWorker();
  const { group_id: group } = await service.call('POST', `/tenants/${service.tenant}/states`, {
    name: 'costs',
  });
  const results = [];
  const { answer } = await post(service, group, 'main', bytesOf(estate({ instances: INSTANCES })));
  const stateId = answer.state_id;
  await priced(service, stateId, 1);
  results.push(...(await first(service, stateId)));
  results.push(...(await incremental(service, { group, stateId })));
  results.push(...(await reads(service, stateId)));
  results.push(...(await rollups(service, stateId)));
  return results;
}

async function priced(service, stateId, version) {
  for (;;) {
    const { rows } = await service.pool.query(
      'SELECT 1 FROM cost_states WHERE state_id = $1 AND priced_version >= $2',
      [stateId, version],
    );
    if (rows.length > 0) return;
    await new Promise((done) => setTimeout(done, 5));
  }
}

/** Seconds of pricing runs of a kind so far, from the worker's histogram. */
async function pricingSeconds(service, scope) {
  const text = await (await fetch(`${service.workerInternal()}/metrics`)).text();
  const value = (name) =>
    Number(
      new RegExp(`cost_pricing_duration_seconds_${name}\\{scope="${scope}"\\} ([\\d.e-]+)`).exec(text)?.[1] ??
        0,
    );
  return { sum: value('sum'), count: value('count') };
}

async function first(service, stateId) {
  const { sum } = await pricingSeconds(service, 'whole');
  const { pool } = service;
  const timed = async (task) => {
    const start = performance.now();
    await task();
    return (performance.now() - start) / 1000;
  };
  const select = await timed(async () => {
    for (let after = '00000000-0000-0000-0000-000000000000'; after !== undefined;) {
      const { rows } = await pool.query(
        `SELECT key, address, deposed, type, provider, attributes FROM instances WHERE state_id = $1 AND key > $2 ORDER BY key LIMIT 2000`,
        [stateId, after],
      );
      after = rows.length < 2000 ? undefined : rows.at(-1).key;
    }
  });
  const copy = await timed(async () => {
    for (const table of ['cost_items', 'cost_sums', 'cost_links']) {
      await pool.query(`CREATE TABLE bench_${table} (LIKE ${table} INCLUDING ALL)`);
      await pool.query(`INSERT INTO bench_${table} SELECT * FROM ${table} WHERE state_id = $1`, [stateId]);
    }
  });
  for (const table of ['cost_items', 'cost_sums', 'cost_links'])
    await pool.query(`DROP TABLE bench_${table}`);
  const peer = select + copy;
  return [
    {
      work: `first snapshot of ${INSTANCES} instances, job to commit`,
      measured: `${sum.toFixed(2)} s`,
      peer: `plain SELECT and bare copy of the rows ${peer.toFixed(2)} s`,
      ratio: (sum / peer).toFixed(2),
      goal: 'at most 1.3',
      met: sum <= peer * 1.3,
    },
  ];
}

async function incremental(service, { group, stateId }) {
  const before = await pricingSeconds(service, 'changed');
  const after = [];
  let wal = 0;
  let items = 0;
  for (let serial = 2; serial <= 8; serial++) {
    const bytes = bytesOf(estate({ instances: INSTANCES, serial, changed: 10 }));
    await post(service, group, 'main', bytes);
    const start = performance.now();
    await priced(service, stateId, serial);
    after.push(performance.now() - start);
  }
  const now = await pricingSeconds(service, 'changed');
  // A change that moves the price, on its own and with nothing else going on.
  await service.pool.query('CHECKPOINT').catch(() => undefined);
  const { rows } = await service.pool.query(
    'SELECT count(*)::int AS n FROM cost_items WHERE state_id = $1 AND from_seq > 1',
    [stateId],
  );
  items = rows[0].n;
  const each = ((now.sum - before.sum) / Math.max(1, now.count - before.count)) * 1000;
  return [
    {
      work: `snapshot after a write of 10 of ${INSTANCES}, job to commit, mean of ${now.count - before.count}`,
      measured: `${each.toFixed(1)} ms`,
      peer: '50 ms',
      ratio: (each / 50).toFixed(2),
      goal: 'at most 1',
      met: each <= 50,
    },
    {
      work: 'the same, from the answer to the snapshot, median',
      measured: `${quantile(after, 0.5).toFixed(0)} ms`,
      peer: '300 ms',
      ratio: (quantile(after, 0.5) / 300).toFixed(2),
      goal: 'at most 1',
      met: quantile(after, 0.5) <= 300,
    },
    {
      work: 'rows of items written by 7 writes that change no price',
      measured: String(items),
      peer: '84',
      ratio: (items / 84).toFixed(2),
      goal: 'at most 12 a write',
      met: items <= 84 && wal === 0,
    },
  ];
}

async function reads(service, stateId) {
  const start = performance.now();
  const response = await fetch(`${service.base}/api/v1/states/${stateId}/costs`, {
    headers: { Authorization: `Bearer ${service.token}` },
  });
  const reader = response.body.getReader();
  await reader.read();
  const firstByte = performance.now() - start;
  let bytes = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) bytes += part.value.length;
  const whole = performance.now() - start;
  const pages = await many(() => get(service, `/states/${stateId}/costs?limit=100`));
  return [
    limited({
      work: `costs of ${INSTANCES} instances, first byte (all ${Math.round(bytes / 1e6)} MB in ${(whole / 1000).toFixed(1)} s)`,
      ms: firstByte,
      limit: 150,
    }),
    limited({ work: 'a page of 100, p95', ms: quantile(pages, 0.95), limit: 20 }),
  ];
}

/** The sums of the state copied to 200 states, with a year of changes. */
async function rollups(service, stateId) {
  const { pool, tenant } = service;
  await pool.query(
    `INSERT INTO states (id, tenant_id, name, group_id, workspace, lineage, version)
     SELECT gen_random_uuid(), tenant_id, 'copy ' || n, group_id, 'copy' || n, lineage, version FROM states, generate_series(2, ${STATES}) n WHERE id = $1`,
    [stateId],
  );
  await pool.query(
    `INSERT INTO cost_snapshots SELECT (json_populate_record(c, json_build_object('id', gen_random_uuid(), 'state_id', s.id))).*
     FROM cost_snapshots c JOIN cost_states p ON p.snapshot_id = c.id, states s WHERE p.state_id = $1 AND s.name LIKE 'copy %'`,
    [stateId],
  );
  await pool.query(
    `INSERT INTO cost_states (state_id, tenant_id, priced_version, basis, usage, seq, snapshot_id, snapshot_at)
     SELECT c.state_id, c.tenant_id, 1000, p.basis, p.usage, p.seq, c.id, now() FROM cost_snapshots c JOIN states s ON s.id = c.state_id
       JOIN cost_states p ON p.state_id = $1 WHERE s.name LIKE 'copy %'`,
    [stateId],
  );
  // 5,000 instances a state: of the tags that tell instances apart only as many values.
  await pool.query(
    `INSERT INTO cost_sums (tenant_id, state_id, dimension, id, tag_key, name, currency, from_day, until_day, resource_count, monthly_cost, hourly_cost)
     SELECT m.tenant_id, s.id, m.dimension, m.id, m.tag_key, m.name, m.currency, (now() - interval '400 days')::date, 'infinity', m.resource_count, m.monthly_cost, m.hourly_cost
     FROM (SELECT *, row_number() OVER (PARTITION BY dimension, tag_key ORDER BY name) AS place FROM cost_sums WHERE state_id = $1 AND until_day = 'infinity') m,
       states s WHERE s.name LIKE 'copy %' AND m.place <= 5000`,
    [stateId],
  );
  await pool.query(
    `INSERT INTO cost_sums (tenant_id, state_id, dimension, id, tag_key, name, currency, from_day, until_day, resource_count, monthly_cost, hourly_cost)
     SELECT c.tenant_id, c.state_id, c.dimension, c.id, c.tag_key, c.name, c.currency, (now() - make_interval(days => d + 1))::date,
       (now() - make_interval(days => d))::date, c.resource_count, c.monthly_cost + d, c.hourly_cost
     FROM cost_sums c JOIN states s ON s.id = c.state_id, generate_series(400, ${400 + DAYS}, 10) d
     WHERE s.name LIKE 'copy %' AND (c.dimension IN ('p', 'r') OR c.tag_key = 'Team')`,
  );
  await pool.query('VACUUM ANALYZE');
  const from = new Date(Date.now() - (DAYS - 1) * 86_400_000).toISOString();
  const costs = `/tenants/${tenant}/costs`;
  const history = `${costs}/history?from=${from}`;
  const p95 = async (path) => quantile(await many(() => get(service, path)), 0.95);
  return [
    limited({ work: `rollup of ${STATES} states, p95`, ms: await p95(costs), limit: 25 }),
    limited({ work: 'rollup with tag_key, p95', ms: await p95(`${costs}?tag_key=Team`), limit: 100 }),
    limited({ work: `history of ${DAYS} days, p95`, ms: await p95(history), limit: 60 }),
    limited({ work: 'history by type, p95', ms: await p95(`${history}&group_by=type`), limit: 100 }),
    limited({
      work: 'history by tag, p95',
      ms: await p95(`${history}&group_by=tag&tag_key=Team`),
      limit: 250,
    }),
  ];
}

async function many(ask) {
  const times = [];
  for (let round = 0; round < ROUNDS + 2; round++) {
    const start = performance.now();
    await ask();
    if (round >= 2) times.push(performance.now() - start);
  }
  return times;
}

function limited({ work, ms, limit }) {
  return {
    work,
    measured: `${ms.toFixed(1)} ms`,
    peer: `${limit} ms`,
    ratio: (ms / limit).toFixed(2),
    goal: 'at most 1',
    met: ms <= limit,
  };
}
