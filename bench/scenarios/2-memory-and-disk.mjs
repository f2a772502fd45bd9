// A body at the limit, and what a hundred versions cost.
import { bytesOf, estate } from '../estate.mjs';
import { post, quantile } from '../service.mjs';

export const title = 'Memory and disk';

export async function run(service) {
  const { group_id: group } = await service.call('POST', `/tenants/${service.tenant}/states`, {
    name: 'bench',
  });
  await post(service, group, 'warm-up', bytesOf(estate({ instances: 2000 })));
  return [...(await largestBody(service, group)), await hundredVersions(service, group)];
}

async function largestBody(service, group) {
  const limit = 512 * 1024 * 1024;
  const body = fill(limit);
  const idle = service.memory('VmRSS');
  const others = [];
  let done = false;
  const reader = (async () => {
    while (!done) {
      const start = performance.now();
      await (
        await fetch(`${service.base}/api/v1/user/tenants`, {
          headers: { Authorization: `Bearer ${service.token}` },
        })
      ).text();
      others.push(performance.now() - start);
      await new Promise((next) => setTimeout(next, 20));
    }
  })();
  await lag(service);
  const { ms } = await post(service, group, 'largest', body).finally(() => (done = true));
  await reader;
  const p99 = await lag(service);
  const grown = (service.memory('VmHWM') - idle) / 1024;
  return [
    {
      work: `body of ${body.length / 2 ** 20} MiB: accepted in ${(ms / 1000).toFixed(1)} s; resident memory above idle`,
      measured: `${grown.toFixed(0)} MB`,
      peer: '300 MB',
      ratio: (grown / 300).toFixed(2),
      goal: 'at most 1',
      met: grown <= 300,
    },
    {
      work: `event-loop delay p99 meanwhile (other requests: median ${quantile(others, 0.5).toFixed(0)} ms, p99 ${quantile(others, 0.99).toFixed(0)} ms)`,
      measured: `${p99.toFixed(1)} ms`,
      peer: '20 ms',
      ratio: (p99 / 20).toFixed(2),
      goal: 'at most 1',
      met: p99 <= 20,
    },
  ];
}

/** A document of exactly that many bytes: the white space before its end, less than an instance, is part of it. */
function fill(size) {
  const few = bytesOf(estate({ instances: 1000 })).length;
  let instances = Math.floor(size / (few / 1000));
  for (;;) {
    const bytes = bytesOf(estate({ instances }));
    const spare = size - bytes.length;
    if (spare >= 0 && spare < 8192) {
      const padded = Buffer.alloc(size, 0x20);
      bytes.copy(padded);
      return padded;
    }
    instances += Math.trunc(spare / 3500) || Math.sign(spare);
  }
}

async function hundredVersions(service, group) {
  // The bytes are built once; each version gets another description of one instance, of the same length.
  const bytes = bytesOf(estate({ instances: 100_000, seed: 2, serial: 100 }));
  const { answer } = await post(service, group, 'versions', bytes);
  const before = await disk(service);
  const serialAt = bytes.indexOf('"serial": 100') + '"serial": '.length;
  for (let i = 0; i < 100; i++) {
    bytes.write(String(101 + i), serialAt);
    const near = Math.floor((i / 100) * bytes.length * 0.99);
    const described = bytes.indexOf('"description": "', near) + '"description": "'.length;
    bytes.write(`version ${String(i).padStart(3, '0')}`, described);
    await post(service, group, 'versions', bytes);
  }
  const grown = ((await disk(service)) - before) / 1e6;
  const { rows } = await service.pool.query(
    'SELECT count(*)::int AS n FROM state_versions WHERE state_id = $1',
    [answer.state_id],
  );
  return {
    work: `${rows[0].n - 1} versions of 100,000 instances that each change one of them: disk in addition to the first version`,
    measured: `${grown.toFixed(1)} MB`,
    peer: '20 MB',
    ratio: (grown / 20).toFixed(2),
    goal: 'at most 1',
    met: grown <= 20,
  };
}

async function disk(service) {
  await service.pool.query('VACUUM');
  return Number(
    (
      await service.pool.query(
        "SELECT sum(pg_total_relation_size(oid)) AS bytes FROM pg_class WHERE relkind = 'r' AND relname !~ '^pg_'",
      )
    ).rows[0].bytes,
  );
}

/** The figure of Node.js is the time between two ticks of a timer: an idle loop shows 10.2 ms. */
const TICK_MS = 10;

/** p99 of the event-loop delay since the last scrape, in milliseconds. */
async function lag(service) {
  const text = await (await fetch(`${service.internal}/metrics`)).text();
  const seconds = /^nodejs_eventloop_lag_p99_seconds(?:{[^}]*})? ([\d.e+-]+)/m.exec(text)?.[1];
  return Number(seconds ?? Number.NaN) * 1000 - TICK_MS;
}
