// A tenant that works for a while and measures what it feels, in a process of its own: the one that makes the noise is busy.
// In: one JSON object as the first argument. Out: {times: {<kind>: [ms]}, faults: [text]}.
import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

const { url, key, address, email, password, durationMs } = JSON.parse(process.argv[2]);
const times = {};
const faults = [];
/** Each run has a name, so that the service knows which writes belong together (docs/backend.md). */
const as = (run) => ({ authorization: `Basic ${Buffer.from(`run-${run}:${key}`).toString('base64')}` });

function send(target, { method = 'GET', body, headers = {} } = {}) {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
    const outgoing = request(target, { method, headers: { ...headers, ...length } }, (answer) => {
      answer
        .resume()
        .once('end', () => resolve(answer.statusCode))
        .once('error', reject);
    });
    outgoing.once('error', reject);
    outgoing.end(body);
  });
}

async function measure(kind, act) {
  const begun = performance.now();
  const status = await act().catch((error) => error.code ?? error.message);
  (times[kind] ??= []).push(performance.now() - begun);
  if (status !== 200) faults.push(`${kind}: ${status}`);
}

const lineage = '5d0c8a54-0d1f-4d7e-9f9b-0b6c1f6f5a11';
let serial = 0;
function documentOf() {
  serial += 1;
  const resource = {
    mode: 'managed',
    type: 'a_b',
    name: 'n',
    provider: 'provider["registry.terraform.io/hashicorp/a"]',
    instances: [{ schema_version: 0, attributes: { serial } }],
  };
  return JSON.stringify({ version: 4, serial, lineage, outputs: {}, resources: [resource] });
}

const kinds = {
  alive: () => send(`${url}/health/live`),
  read: () => send(address, { headers: as('reader') }),
  write: () => send(address, { method: 'POST', body: documentOf(), headers: as('writer') }),
  sql: () => send(`${url}/api/v1/mql?q=SELECT+count(*)+FROM+instances`, { headers: as('reader') }),
  'sign-in': () =>
    send(`${url}/api/v1/login/password`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, password }),
    }),
};

const until = performance.now() + durationMs;
await Promise.all(
  Object.entries(kinds).map(async ([kind, act]) => {
    while (performance.now() < until) {
      await measure(kind, act);
      await delay(100);
    }
  }),
);
process.stdout.write(JSON.stringify({ times, faults }));
