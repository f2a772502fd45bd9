// Commits of 10 instances by 32 clients at once, on one state and over 20: the commit alone, the whole from creation to the
// stored version, and whether anything was lost on the way. Clients keep to instances of their own, but for a few that meet.
import { Agent, request } from 'node:http';
import { bytesOf, estate } from '../estate.mjs';
import { post } from '../service.mjs';

export const title = 'Transactions';

const SECONDS = Number(process.env.BENCH_SECONDS ?? 60);
const CLIENTS = 32;
const NODES = 10;
const INSTANCES = 2_000;
/** Transactions of one client that wait to be committed, each with instances of its own. */
const PREPARED = 4;
/** Of PostgreSQL alone: one for each core, and others meanwhile that wait for the disk. */
const WRITERS = 4;
const SECONDS_ALONE = 10;
/** So many of them go for somebody else's instances. */
const STRAY = 0.02;

export async function run(service) {
  return [...(await measure(service, 1, 500)), ...(await measure(service, 20, 1000))];
}

async function measure(service, count, goal) {
  const states = [];
  for (let n = 0; n < count; n++) states.push(await aState(service, n, count));
  const before = await deadlocks(service);
  const committed = [];
  let refused = 0;
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  const all = (work) => Promise.all(Array.from({ length: CLIENTS }, (_, n) => work(n)));
  let committing = 0;
  let whole = 0;
  while (committing < SECONDS * 1000) {
    const begun = performance.now();
    const prepared = await all(async (client) => {
      const list = [];
      for (let slot = 0; slot < PREPARED; slot++) {
        const state = states[(client + slot) % states.length];
        list.push(await prepare(service, agent, state, pick(state.instances, client, slot)));
      }
      return list;
    });
    const ready = performance.now();
    await all(async (client) => {
      for (const one of prepared[client])
        if (await commit(service, agent, one.id)) committed.push(one);
        else refused++;
    });
    committing += performance.now() - ready;
    whole += performance.now() - begun;
  }
  agent.destroy();
  const lost = (await Promise.all(states.map((state) => lostUpdates(service, state, committed)))).flat();
  const dead = (await deadlocks(service)) - before;
  const bare = await rowsAlone(service, states);
  const over = count === 1 ? 'one state' : `${count} states`;
  const row = (what, milliseconds) => {
    const rate = committed.length / (milliseconds / 1000);
    return {
      work: `${what} of ${NODES} instances over ${over}, ${CLIENTS} clients, ${Math.round(milliseconds / 1000)} s`,
      measured: `${Math.round(rate)}/s, ${refused} of ${refused + committed.length} refused, ${lost.length} lost, ${dead} deadlocks`,
      peer: `${goal}/s; PostgreSQL rewriting such rows and their log, nothing else: ${Math.round(bare)}/s`,
      ratio: (rate / goal).toFixed(2),
      goal: 'at least 1, nothing lost, no deadlock',
      met: rate >= goal && lost.length === 0 && dead === 0,
    };
  };
  const { met: _, ...fromCreation } = row('transactions, from creation to version,', whole);
  return [row('commits', committing), { ...fromCreation, goal: 'none, for comparison', met: undefined }];
}

async function aState(service, n, count) {
  const { id, group_id: group } = await service.call('POST', `/tenants/${service.tenant}/states`, {
    name: `commits ${count}-${n}`,
  });
  await post(service, group, 'default', bytesOf(estate({ instances: INSTANCES })));
  const { resources } = await service.call('GET', `/states/${id}/export`);
  const instances = resources
    .filter(({ mode }) => mode === 'managed')
    .flatMap(({ module, mode, type, name, instances }) =>
      instances.map((instance) => ({ ...(module ? { module } : {}), mode, type, name, ...instance })),
    )
    .map((instance) => {
      const resource = `${instance.module ? `${instance.module}.` : ''}${instance.type}.${instance.name}`;
      const index = instance.index_key === undefined ? '' : `[${JSON.stringify(instance.index_key)}]`;
      return { ...instance, resource_address: resource, address: resource + index };
    });
  return { id, instances };
}

/** Of the instances of a client's slot, or at times of anybody's. */
function pick(rows, client, slot) {
  const isStray = Math.random() < STRAY;
  const share = Math.floor(rows.length / (CLIENTS * PREPARED));
  const own = rows.slice((client * PREPARED + slot) * share, (client * PREPARED + slot + 1) * share);
  const from = isStray ? rows : own;
  const chosen = new Set();
  while (chosen.size < NODES) chosen.add(from[Math.floor(Math.random() * from.length)]);
  return [...chosen];
}

async function prepare(service, agent, state, rows) {
  const { id } = (
    await send(service, agent, 'POST', `/tenants/${service.tenant}/tx/create`, { state_schema_version: 1 })
  ).json;
  await send(
    service,
    agent,
    'POST',
    `/tx/${id}/logs/append`,
    rows.map((row) => ({
      action: 'state_set',
      object_type: 'instance',
      state_id: state.id,
      data: { ...row, attributes: { ...row.attributes, written_by: id } },
    })),
  );
  return { id, state: state.id, addresses: rows.map((row) => row.address) };
}

async function commit(service, agent, id) {
  const { status, json } = await send(service, agent, 'POST', `/tx/${id}/apply`);
  if (status === 409) return false;
  let { state: task } = json.task;
  while (task === 'pending' || task === 'running')
    task = (await send(service, agent, 'GET', `/tasks/${json.task.id}`)).json.state;
  return task === 'completed';
}

/** Every instance says who wrote it last; that must be the last commit that named it. */
async function lostUpdates(service, state, committed) {
  const mine = new Map(committed.filter((one) => one.state === state.id).map((one) => [one.id, one]));
  const { rows: order } = await service.pool.query(
    'SELECT DISTINCT version, tx_id FROM state_changes WHERE state_id = $1 ORDER BY version',
    [state.id],
  );
  const expected = new Map();
  for (const { tx_id: id } of order)
    for (const address of mine.get(id)?.addresses ?? []) expected.set(address, id);
  const seen = new Set(order.map((row) => row.tx_id));
  const missing = [...mine.keys()].filter((id) => !seen.has(id));
  const { rows } = await service.pool.query(
    "SELECT address, attributes ->> 'written_by' AS by FROM instances WHERE state_id = $1",
    [state.id],
  );
  const wrong = rows.filter((row) => expected.has(row.address) && expected.get(row.address) !== row.by);
  return [...missing, ...wrong];
}

/**
 * What the rows alone allow: transactions a second that rewrite ten rows at random and log it, in loops inside of PostgreSQL,
 * after a VACUUM, with no document, no rule of conflicts, no service and no client. Each loop keeps to rows of its own.
 */
async function rowsAlone(service, states) {
  await service.pool.query(`CREATE OR REPLACE PROCEDURE rewrite_rows(
      states uuid[], writer int, seconds int, OUT done int) LANGUAGE plpgsql AS $$
    DECLARE until timestamptz;
            own uuid; rows uuid[]; place int; each int; share int;
    BEGIN
      done := 0;
      SELECT array_agg(key ORDER BY state_id, key) INTO rows FROM instances WHERE state_id = ANY (states);
      SELECT array_agg(s ORDER BY s) INTO states FROM unnest(states) s;
      each := cardinality(rows) / cardinality(states);
      share := each / ${WRITERS};
      until := clock_timestamp() + make_interval(secs => seconds);
      WHILE clock_timestamp() < until LOOP
        own := gen_random_uuid();
        place := floor(random() * cardinality(states));
        WITH changed AS (
          UPDATE instances SET attributes = attributes || jsonb_build_object('written_by', own), hash = decode(md5(own::text), 'hex')
          FROM (SELECT DISTINCT rows[place * each + writer * share + 1 + floor(random() * share)::int] AS key
                FROM generate_series(1, ${NODES})) AS chosen
          WHERE state_id = states[place + 1] AND instances.key = chosen.key RETURNING instances.key, address)
        INSERT INTO state_changes (state_id, version, key, op, address, tx_id, run_id)
        SELECT states[place + 1], 1000000 + 1000000000 * random(), key, 'c', address, own, own FROM changed;
        COMMIT;
        done := done + 1;
      END LOOP;
    END $$`);
  // What the commits left behind is not these loops' to carry.
  await service.pool.query('VACUUM ANALYZE');
  const ids = states.map(({ id }) => id);
  const rounds = await Promise.all(
    Array.from({ length: WRITERS }, (_, writer) =>
      service.pool.query('CALL rewrite_rows($1, $2, $3, NULL)', [ids, writer, SECONDS_ALONE]),
    ),
  );
  return rounds.reduce((sum, { rows }) => sum + rows[0].done, 0) / SECONDS_ALONE;
}

async function deadlocks(service) {
  const { rows } = await service.pool.query(
    'SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()',
  );
  return rows[0].deadlocks;
}

function send(service, agent, method, path, body) {
  const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
  return new Promise((resolve, reject) => {
    const outgoing = request(
      `${service.base}/api/v1${path}`,
      {
        method,
        agent,
        headers: {
          authorization: `Bearer ${service.token}`,
          ...(bytes ? { 'content-type': 'application/json', 'content-length': bytes.length } : {}),
        },
      },
      (incoming) => {
        const parts = [];
        incoming.on('data', (part) => parts.push(part));
        incoming.once('error', reject);
        incoming.once('end', () => {
          const text = Buffer.concat(parts).toString();
          const status = incoming.statusCode;
          if (status >= 400 && status !== 409) reject(new Error(`${method} ${path}: ${status} ${text}`));
          else resolve({ status, json: text === '' ? undefined : JSON.parse(text) });
        });
      },
    );
    outgoing.once('error', reject);
    outgoing.end(bytes);
  });
}
