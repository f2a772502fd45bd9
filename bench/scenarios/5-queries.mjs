// SQL over a million instances in 200 states, against a connection of the same role that is sent the same statement.
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { bytesOf, estate } from '../estate.mjs';
import { get, post, quantile } from '../service.mjs';

export const title = 'SQL';

const INSTANCES = Number(process.env.BENCH_INSTANCES ?? 1_000_000);
const STATES = 200;
/** Each statement is sent this often at least, and for this long: quick ones meet a service that is warm. */
const ROUNDS = 15;
const LEAST_MS = 3000;
const MOST_ROUNDS = 500;

const queries = ({ center, volume }) => ({
  'count by type': 'SELECT type, count(*) AS n FROM instances GROUP BY type ORDER BY n DESC, type LIMIT 100',
  'a type with an attribute': `SELECT state_id, address, attributes ->> 'arn' AS arn FROM instances WHERE type = 'aws_instance' AND attributes ->> 'instance_type' = 'm5.large' ORDER BY address, state_id LIMIT 100`,
  'address prefix': `SELECT state_id, address, type FROM instances WHERE address LIKE 'module.env["env-1"].module.db.%' ORDER BY address, state_id LIMIT 100`,
  'by provider': 'SELECT provider, count(*) AS n FROM resources GROUP BY provider ORDER BY n DESC LIMIT 20',
  containment: `SELECT state_id, address FROM instances WHERE attributes @> '{"instance_type": "m5.large", "tags": {"CostCenter": "${center}"}}' ORDER BY address, state_id LIMIT 100`,
  'public buckets': `SELECT state_id, address FROM instances WHERE type = 'aws_s3_bucket' AND attributes @> '{"volume_size": ${volume}}' ORDER BY address, state_id LIMIT 100`,
  'join with resources': `SELECT r.type, sum(r.instance_count) AS planned, count(i.address) AS found FROM resources r JOIN instances i ON i.state_id = r.state_id AND i.resource_address = r.address WHERE r.type = 'aws_db_instance' GROUP BY r.type ORDER BY r.type LIMIT 20`,
  'newest transactions':
    'SELECT id, state, created_at, created_by FROM transactions ORDER BY created_at DESC, id LIMIT 20',
  'newest writes':
    'SELECT state_id, version, tx_id, created_at FROM state_versions ORDER BY created_at DESC, state_id LIMIT 20',
});

export async function run(service) {
  await fill(service);
  const client = await peer(service);
  const results = [];
  try {
    const samples = await samplesOf(service);
    for (const [name, sql] of Object.entries(queries(samples)))
      results.push(await compare(service, client, name, sql));
  } finally {
    await client.end();
  }
  return results;
}

/** One state through the API, and copies of its rows. */
async function fill(service) {
  const { group_id: group } = await service.call('POST', `/tenants/${service.tenant}/states`, {
    name: 'queries',
  });
  const size = Math.ceil(INSTANCES / STATES);
  const { answer } = await post(service, group, 'original', bytesOf(estate({ instances: size })));
  const { rows: tables } = await service.pool.query(
    `SELECT c.table_name AS name, string_agg(quote_ident(c.column_name), ', ') FILTER (WHERE c.column_name <> 'state_id' AND c.is_generated = 'NEVER') AS columns
     FROM information_schema.columns c WHERE c.table_schema = 'public' AND c.table_name IN ('instances', 'resources', 'modules', 'providers', 'config_dependencies', 'state_versions')
     GROUP BY c.table_name`,
  );
  for (let i = 1; i < STATES; i++) {
    const id = randomUUID();
    await service.pool.query(
      'INSERT INTO states (id, tenant_id, name, group_id, workspace, lineage, version) SELECT $1, tenant_id, name, group_id, $2, lineage, version FROM states WHERE id = $3',
      [id, `copy${i}`, answer.state_id],
    );
    for (const { name, columns } of tables)
      await service.pool.query(
        `INSERT INTO ${name} (state_id, ${columns}) SELECT $1, ${columns} FROM ${name} WHERE state_id = $2`,
        [id, answer.state_id],
      );
  }
  await service.pool.query(
    `INSERT INTO transactions (id, tenant_id, kind, state, created_at)
     SELECT gen_random_uuid(), $1, 'write', 'committed', now() - make_interval(secs => n) FROM generate_series(1, 20000) n`,
    [service.tenant],
  );
  await service.pool.query('VACUUM ANALYZE');
}

/** Values that some instances have. */
async function samplesOf(service) {
  const one = async (what, type) => {
    const q = `SELECT ${what} AS value FROM instances WHERE type = '${type}' AND attributes @> '{"instance_type": "m5.large"}' ORDER BY address LIMIT 1`;
    return (await service.call('GET', `/mql?${new URLSearchParams({ q })}`))[0].value;
  };
  return {
    center: await one(`attributes #>> '{tags,CostCenter}'`, 'aws_instance'),
    volume: await one(`attributes -> 'volume_size'`, 'aws_s3_bucket'),
  };
}

/** A connection as the reader, in the scope of the tenant. */
async function peer(service) {
  const { host, port, user, password, database } = service.pool.options;
  const client = new pg.Client({ host, port, user, password, database });
  await client.connect();
  await client.query('BEGIN READ ONLY');
  await client.query(`SELECT set_config('mql.scope', query_scope($1), true)`, [service.tenant]);
  await client.query(
    `SET LOCAL ROLE ${user}_mql; SET LOCAL search_path = pg_catalog, mql; SET LOCAL work_mem = '32MB'`,
  );
  return client;
}

/** Taken in turn, so that both meet the same caches and the same neighbours. */
async function compare(service, client, name, sql) {
  const ours = [];
  const theirs = [];
  const start = performance.now();
  for (let round = 0; round < MOST_ROUNDS; round++) {
    if (round >= ROUNDS + 2 && performance.now() - start > LEAST_MS) break;
    const [answer, own] = await timed(() => get(service, `/mql?${new URLSearchParams({ q: sql })}`));
    const [direct, plain] = await timed(() => client.query(sql));
    if (answer.length !== direct.rows.length || answer.length === 0)
      throw new Error(`${name}: ${answer.length} rows and ${direct.rows.length}`);
    if (round >= 2) {
      ours.push(own);
      theirs.push(plain);
    }
  }
  const [own, plain] = [quantile(ours, 0.5), quantile(theirs, 0.5)];
  return {
    work: `SQL: ${name}, median of ${ours.length}`,
    measured: `${own.toFixed(1)} ms`,
    peer: `same statement as the same role ${plain.toFixed(1)} ms`,
    ratio: (own / plain).toFixed(2),
    goal: 'at most 1.3 times the peer, plus 3 ms',
    met: own <= plain * 1.3 + 3,
  };
}

async function timed(task) {
  const start = performance.now();
  const result = await task();
  return [result, performance.now() - start];
}
