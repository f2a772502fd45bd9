// What the console costs the service: bytes of its document, the document's route, and the API beside it.
import { quantile, startBenchService } from '../service.mjs';

const SECONDS = 3;
const ROUNDS = 5;
const CLIENTS = 16;
const LIMIT = 250_000;

/** gzip bytes of script and style that the document names. */
export async function documentSize({ base }) {
  const answer = await fetch(base, { headers: { accept: 'text/html' } });
  const named = [...(await answer.text()).matchAll(/(?:src|href)="([^"]+\.(?:js|css))"/g)];
  let bytes = 0;
  for (const [, path] of named) {
    const asset = await fetch(new URL(path, base), { headers: { 'accept-encoding': 'gzip' } });
    bytes += Number(asset.headers.get('content-length'));
    await asset.arrayBuffer();
  }
  return {
    work: `script and style that the document names, gzip (${named.length} files)`,
    measured: `${(bytes / 1000).toFixed(0)} kB`,
    peer: `${LIMIT / 1000} kB`,
    ratio: (bytes / LIMIT).toFixed(2),
    goal: 'at most 1',
    met: bytes > 0 && bytes <= LIMIT,
  };
}

/** The same service with and without the console, in turn, so that both meet the same neighbours. */
export async function besideTheApi(service) {
  const without = await startBenchService({ SERVICE_CONSOLE: 'false' });
  try {
    const { id } = await service.call('POST', `/tenants/${service.tenant}/states`, { name: 'beside' });
    const { id: other } = await without.call('POST', `/tenants/${without.tenant}/states`, { name: 'beside' });
    const targets = {
      ours: [`${service.base}/api/v1/states/${id}`, { authorization: `Bearer ${service.token}` }],
      bare: [`${without.base}/api/v1/states/${other}`, { authorization: `Bearer ${without.token}` }],
      document: [`${service.base}/`, { accept: 'text/html' }],
      route: [`${service.base}/api/v1/server/config`, {}],
    };
    const rates = { ours: [], bare: [], document: [], route: [] };
    for (let round = 0; round < ROUNDS; round++)
      for (const [name, [url, headers]] of Object.entries(targets))
        rates[name].push(await rate(url, headers));
    const median = (name) => quantile(rates[name], 0.5);
    return [
      compared(
        'authenticated GET with the console beside it',
        median('ours'),
        'without the console',
        median('bare'),
        0.95,
      ),
      compared(
        'document of the console',
        median('document'),
        'GET /server/config, a route without a query',
        median('route'),
        1,
      ),
    ];
  } finally {
    await without.stop();
  }
}

function compared(work, ours, name, theirs, least) {
  return {
    work: `${work}, median of ${ROUNDS}`,
    measured: `${ours.toFixed(0)} requests/s`,
    peer: `${name} ${theirs.toFixed(0)} requests/s`,
    ratio: (ours / theirs).toFixed(2),
    goal: `at least ${least}`,
    met: ours / theirs >= least,
  };
}

async function rate(url, headers) {
  const until = performance.now() + SECONDS * 1000;
  let count = 0;
  await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      while (performance.now() < until) {
        const answer = await fetch(url, { headers });
        await answer.arrayBuffer();
        if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
        count++;
      }
    }),
  );
  return count / SECONDS;
}
