// Cost estimation: first and incremental snapshots, reads, rollups and history, against plain statements of the database.
import { bytesOf, estate } from '../estate.mjs';
import { get, post, quantile, startBenchService } from '../service.mjs';

export const title = 'Costs';

const INSTANCES = Number(process.env.BENCH_COST_INSTANCES ?? 100_000);
const STATES = 200;
const DAYS = 365;
const ROUNDS = 15;
const WRITES = 7;
const WRITES_BESIDE = 15;
const PLANNED = 10_000;
/** Values of a tag that are copied into each state of the rollups; the tag that is asked for has fewer. */
const TAG_VALUES = 200;

/** Security scans of the same writes would share the worker's thread with what is measured. */
const ALONE = { SERVICE_SECURITY: 'off' };

export const environment = { ...ALONE, SERVICE_COST_ENABLED: 'true', SERVICE_COST_PORT: '0' };

export async function run(service) {
  await service.startWorker();
  const { group_id: group } = await service.call('POST', `/tenants/${service.tenant}/states`, {
    name: 'costs',
  });
  const results = [];
  const document = estate({ instances: INSTANCES });
  const { answer } = await post(service, group, 'main', bytesOf(document));
  const stateId = answer.state_id;
  await priced(service, stateId, 1);
  results.push(...(await first(service, stateId)));
  results.push(...(await incremental(service, { group, stateId, document })));
  results.push(...(await reads(service, stateId)));
  results.push(...(await deltas(service)));
  results.push(...(await writesBeside(service)));
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

/** Each write changes what ten instances cost. */
async function incremental(service, { group, stateId, document }) {
  const before = await pricingSeconds(service, 'changed');
  const itemsBefore = await itemsOf(service, stateId);
  const [after, wal] = [[], []];
  const last = 1 + WRITES;
  for (let serial = 2; serial <= last; serial++) {
    const bytes = bytesOf(resized(document, serial));
    await post(service, group, 'main', bytes);
    const start = performance.now();
    const position = await service.wal();
    await priced(service, stateId, serial);
    after.push(performance.now() - start);
    wal.push((await service.walSince(position)) / 1_000);
  }
  const now = await pricingSeconds(service, 'changed');
  const items = ((await itemsOf(service, stateId)) - itemsBefore) / WRITES;
  const each = ((now.sum - before.sum) / Math.max(1, now.count - before.count)) * 1000;
  return [
    limited({
      work: `snapshot after a write that changes what 10 of ${INSTANCES} cost, job to commit, mean of ${now.count - before.count}`,
      ms: each,
      limit: 50,
    }),
    limited({
      work: 'the same, from the answer to the snapshot, median',
      ms: quantile(after, 0.5),
      limit: 300,
    }),
    {
      work: 'rows of items that such a snapshot writes',
      measured: items.toFixed(1),
      peer: '12',
      ratio: (items / 12).toFixed(2),
      goal: 'at most 12',
      met: items <= 12,
    },
    {
      work: 'WAL between the answer and the snapshot, including all else that the service does in this time, smallest',
      measured: `${Math.min(...wal).toFixed(0)} kB`,
      peer: '64 kB',
      ratio: (Math.min(...wal) / 64).toFixed(2),
      goal: 'at most 64 kB',
      met: Math.min(...wal) <= 64,
    },
  ];
}

async function itemsOf(service, stateId) {
  const { rows } = await service.pool.query('SELECT count(*)::int AS n FROM cost_items WHERE state_id = $1', [
    stateId,
  ]);
  return rows[0].n;
}

/** The document with ten other machines resized, which stay so in the next one. */
function resized(document, serial) {
  const machines = document.resources.filter(({ type }) => type === 'aws_instance');
  for (let i = 0; i < 10; i++) {
    const { attributes } = machines[(serial * 10 + i) % machines.length].instances[0];
    attributes.instance_type = attributes.instance_type === 'm5.xlarge' ? 'm5.2xlarge' : 'm5.xlarge';
  }
  document.serial = serial;
  return document;
}

/** The same writes of a small state, one after the other, in a service with estimation and in one without it. */
async function writesBeside(service) {
  const other = await startBenchService({ ...ALONE, SERVICE_COST_ENABLED: 'false' });
  try {
    await other.startWorker();
    const [on, off] = [[], []];
    const sides = [];
    for (const [side, times] of [
      [service, on],
      [other, off],
    ]) {
      const { group_id: group } = await side.call('POST', `/tenants/${side.tenant}/states`, {
        name: 'beside',
      });
      sides.push({ side, times, group, document: estate({ instances: 5_000 }) });
    }
    for (let serial = 1; serial <= WRITES_BESIDE + 2; serial++)
      for (const { side, times, group, document } of serial % 2 === 0 ? sides : [...sides].reverse()) {
        const { ms } = await post(side, group, 'main', bytesOf(resized(document, serial)));
        if (serial > 2) times.push(ms);
        await new Promise((done) => setTimeout(done, 400));
      }
    const [mine, plain] = [quantile(on, 0.5), quantile(off, 0.5)];
    return [
      {
        work: `a write that changes 10 of 5000 instances, median of ${WRITES_BESIDE}`,
        measured: `${mine.toFixed(1)} ms`,
        peer: `the same with estimation off ${plain.toFixed(1)} ms`,
        ratio: (mine / plain).toFixed(2),
        goal: 'at most 1.02',
        met: mine <= plain * 1.02,
      },
    ];
  } finally {
    await other.stop();
  }
}

/** Plans of ten changes, from the runner's report to the first answer that has the delta. */
async function deltas(service) {
  const { id, group_id: group } = await service.call('POST', `/tenants/${service.tenant}/states`, {
    name: 'planned',
  });
  const document = estate({ instances: PLANNED, seed: 3 });
  await post(service, group, 'default', bytesOf(document));
  await priced(service, id, 1);
  const machines = document.resources.filter(({ type }) => type === 'aws_instance').slice(0, 10);
  const resource_changes = machines.map(({ module, type, name, instances: [{ index_key, attributes }] }) => ({
    address: `${module}.${type}.${name}[${JSON.stringify(index_key)}]`,
    module_address: module,
    mode: 'managed',
    type,
    name,
    index: index_key,
    provider_name: 'registry.terraform.io/hashicorp/aws',
    change: {
      actions: ['update'],
      before: attributes,
      after: { ...attributes, instance_type: 'm5.4xlarge' },
      after_unknown: {},
    },
  }));
  const times = [];
  for (let round = 0; round < ROUNDS; round++) {
    const { id: tx } = await service.call('POST', `/tenants/${service.tenant}/tx/create`, {
      state_schema_version: 1,
    });
    await service.call('POST', `/tx/${tx}/logs/append`, [
      { action: 'refresh', object_type: 'refresh', state_id: id, data: {} },
    ]);
    const { token } = await service.call('POST', `/tx/${tx}/preview`);
    const answer = await fetch(`${service.base}/api/v1/actuator/results`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
      body: JSON.stringify({
        idx: 0,
        request: {
          kind: 'preview',
          has_changes: true,
          plan: 'plan',
          plan_json: { format_version: '1.2', resource_changes },
        },
      }),
    });
    if (!answer.ok) throw new Error(`report: ${answer.status} ${await answer.text()}`);
    const start = performance.now();
    for (;;) {
      const costs = await service.call('GET', `/tx/${tx}/costs`);
      if (costs.status !== 'computing') break;
      await new Promise((done) => setTimeout(done, 5));
    }
    times.push(performance.now() - start);
    await service.call('POST', `/tx/${tx}/abort`);
  }
  return [
    limited({
      work: `cost difference of a plan of 10 changes over ${PLANNED} instances, from the stored plan to the answer 200, median of ${ROUNDS}`,
      ms: quantile(times, 0.5),
      limit: 500,
    }),
  ];
}

async function reads(service, stateId) {
  await get(service, `/states/${stateId}/costs?limit=100`);
  const idle = service.memory('VmRSS');
  service.resetPeak();
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
  const peak = (service.memory('VmHWM') - idle) / 1_024;
  const pages = await many(() => get(service, `/states/${stateId}/costs?limit=100`));
  return [
    limited({
      work: `costs of ${INSTANCES} instances, first byte (all ${Math.round(bytes / 1e6)} MB in ${(whole / 1000).toFixed(1)} s)`,
      ms: firstByte,
      limit: 150,
    }),
    {
      work: 'memory of that answer above idle',
      measured: `${peak.toFixed(0)} MB`,
      peer: '50 MB',
      ratio: (peak / 50).toFixed(2),
      goal: 'at most 1',
      met: peak <= 50,
    },
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
  // Every sum that the questions read; of tags that tell instances apart, which they do not, only some values. What
  // they read changed every ten days for more than a year.
  await pool.query(
    `INSERT INTO cost_sums (tenant_id, state_id, dimension, id, tag_key, name, currency, from_day, until_day, resource_count, monthly_cost, hourly_cost)
     SELECT m.tenant_id, s.id, m.dimension, m.id, m.tag_key, m.name, m.currency, (now() - interval '9 days')::date, 'infinity', m.resource_count, m.monthly_cost, m.hourly_cost
     FROM (SELECT *, row_number() OVER (PARTITION BY dimension, tag_key ORDER BY name) AS place FROM cost_sums WHERE state_id = $1 AND until_day = 'infinity') m,
       states s WHERE s.name LIKE 'copy %' AND m.place <= $2`,
    [stateId, TAG_VALUES],
  );
  await pool.query(
    `INSERT INTO cost_sums (tenant_id, state_id, dimension, id, tag_key, name, currency, from_day, until_day, resource_count, monthly_cost, hourly_cost)
     SELECT c.tenant_id, c.state_id, c.dimension, c.id, c.tag_key, c.name, c.currency, c.from_day - d - 10, c.from_day - d,
       c.resource_count, c.monthly_cost + d, c.hourly_cost
     FROM cost_sums c JOIN states s ON s.id = c.state_id, generate_series(0, ${DAYS + 30}, 10) d
     WHERE s.name LIKE 'copy %' AND c.until_day = 'infinity' AND (c.dimension IN ('p', 'r') OR c.tag_key = 'Team')`,
  );
  await pool.query('DELETE FROM cost_changes');
  await pool.query(
    `INSERT INTO cost_changes (tenant_id, dimension, day, name, currency, resource_count, monthly_cost, hourly_cost)
     SELECT tenant_id, dimension, day, name, currency, sum(n), sum(monthly), sum(hourly) FROM (
       SELECT tenant_id, dimension, from_day AS day, name, currency, resource_count AS n, monthly_cost AS monthly, hourly_cost AS hourly
       FROM cost_sums WHERE dimension IN ('p', 'r')
       UNION ALL SELECT tenant_id, dimension, until_day, name, currency, -resource_count, -monthly_cost, -hourly_cost
       FROM cost_sums WHERE dimension IN ('p', 'r') AND until_day < 'infinity') c GROUP BY 1, 2, 3, 4, 5`,
  );
  await pool.query(
    `INSERT INTO cost_wide_tags SELECT DISTINCT tenant_id, tag_key FROM cost_sums WHERE dimension = 't'
     GROUP BY tenant_id, state_id, tag_key HAVING count(DISTINCT id) > 500 ON CONFLICT DO NOTHING`,
  );
  const isNarrow =
    'NOT EXISTS (SELECT FROM cost_wide_tags w WHERE w.tenant_id = c.tenant_id AND w.tag_key = c.tag_key)';
  await pool.query('DELETE FROM cost_totals');
  await pool.query(
    `INSERT INTO cost_totals (tenant_id, dimension, tag_key, id, currency, name, resource_count, monthly_cost, hourly_cost)
     SELECT tenant_id, dimension, tag_key, id, currency, min(name), sum(resource_count), sum(monthly_cost), sum(hourly_cost)
     FROM cost_sums c WHERE until_day = 'infinity' AND (dimension <> 't' OR ${isNarrow}) GROUP BY 1, 2, 3, 4, 5`,
  );
  await pool.query('DELETE FROM cost_tag_changes');
  await pool.query(
    `INSERT INTO cost_tag_changes (tenant_id, tag_key, day, id, currency, name, resource_count, monthly_cost, hourly_cost)
     SELECT tenant_id, tag_key, day, id, currency, min(name), sum(n), sum(monthly), sum(hourly) FROM (
       SELECT tenant_id, tag_key, from_day AS day, id, currency, name, resource_count AS n, monthly_cost AS monthly, hourly_cost AS hourly
       FROM cost_sums WHERE dimension = 't'
       UNION ALL SELECT tenant_id, tag_key, until_day, id, currency, name, -resource_count, -monthly_cost, -hourly_cost
       FROM cost_sums WHERE dimension = 't' AND until_day < 'infinity') c WHERE ${isNarrow} GROUP BY 1, 2, 3, 4, 5`,
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
