import { once } from 'node:events';
import { request } from 'node:http';
import { type Admin, anAdmin, call, startGenerous } from '../support/identity.js';
import { anInstallation, type KvCalls, kvOf } from '../support/kv.js';
import { Nginx } from '../support/nginx.js';
import type { RunningService } from '../support/service.js';
import { describeWith } from '../support/terraform.js';

/** Every character of a range that text may hold, in keys of at most 512 bytes. */
function keysOf(first: number, last: number, step = 1): string[] {
  const keys: string[] = [];
  let key = '';
  for (let point = first; point <= last; point += step) {
    if (point === 0 || (point >= 0xd800 && point <= 0xdfff)) continue;
    const char = String.fromCodePoint(point);
    if (Buffer.byteLength(key + char) > 512) {
      keys.push(key);
      key = '';
    }
    key += char;
  }
  return [...keys, key];
}

const KEYS = [
  ...keysOf(1, 0xffff),
  ...keysOf(0x10000, 0x10ffff, 257),
  'a/b',
  '/',
  '//',
  '/leading',
  'trailing/',
  'a//b',
  'a/./b',
  'a/../b',
  '%2F',
  '%',
  '%25%32%46',
  '%zz',
  '?',
  'a?b=c#d',
  '#',
  'a+b c',
  ';a=1,b',
  'LIKE_%',
  'LIKExx',
  '\\',
  "' OR 1=1 --",
  '$1',
  '...',
  '.hidden',
  'k'.repeat(512),
  'é'.repeat(256),
];

describeWith('nginx', 'Keys of every kind, behind the shipped proxy', () => {
  let service: RunningService;
  let proxy: Nginx;
  let admin: Admin;
  let installation: string;
  let direct: KvCalls;
  let behind: KvCalls;

  beforeAll(async () => {
    service = await startGenerous();
    proxy = await Nginx.start(service.url, { tellsPort: true });
    admin = await anAdmin(service);
    installation = await anInstallation(service, { tenantId: admin.tenantId });
    direct = kvOf(service, admin.token, installation);
    behind = kvOf(proxy, admin.token, installation);
  });
  afterAll(async () => {
    await proxy.stop();
    await service.stop();
  });

  it('come back as they were written, whichever way they were sent', async () => {
    const wrong: string[] = [];
    for (const [n, key] of KEYS.entries()) {
      const [writer, reader] = n % 2 === 0 ? [behind, direct] : [direct, behind];
      const written = await writer.put(key, { data: key });
      const { body } = await reader.get(key);
      if (written.status !== 200 || body.key !== key || body.data !== key)
        wrong.push(`${n} ${encodeURIComponent(key).slice(0, 60)}: ${written.status}`);
    }
    expect(wrong).toEqual([]);
  });

  it('are iterated in the order of their bytes, page by page, through the proxy', async () => {
    const found: string[] = [];
    let start = '\u0001';
    for (let inclusive = true; ; inclusive = false) {
      const { body } = await behind.iterate(start, `?limit=97&inclusive=${inclusive}`);
      found.push(...body.records.map(({ key }) => key));
      if (!body.has_more) break;
      start = found.at(-1) ?? '';
    }
    const sorted = [...new Set(KEYS)].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    expect(found).toEqual(sorted.filter((key) => !['system/'].some((prefix) => key.startsWith(prefix))));
  });

  it('may have a prefix with wildcards of SQL, which stand for themselves', async () => {
    const keys = async (prefix: string): Promise<string[]> =>
      (await behind.iterate(prefix, '?prefix=true')).body.records.map(({ key }) => key);
    expect(await keys('LIKE_')).toEqual(['LIKE_%']);
    expect(await keys('%2')).toEqual(['%25%32%46', '%2F']);
    expect(await keys('LIKE')).toEqual(['LIKE_%', 'LIKExx']);
  });

  it('odd keys are counted, sized, committed, compared and deleted under the same spelling', async () => {
    for (const key of ['a/../b', '%2F', 'a?b=c#d', '\u{1f600}/\u202e', 'é'.repeat(256)]) {
      await behind.put(key, { data: '12345', committed: false });
      expect((await behind.count(key, '?committed=false')).body.count).toBe(1);
      expect((await behind.size(key, '?committed=false')).body.size).toBe(5);
      expect((await behind.commit([{ key }])).body).toEqual({ keys: [{ key, idx: 0 }] });
      const { version } = (await behind.get(key)).body;
      expect((await behind.cas(key, { data: 'x', version })).body.version).toBe(version + 1);
      expect((await behind.remove(key)).body).toEqual({ result: true });
    }
  });

  // fetch removes such segments itself, as most clients do; a client that sends them gets what it asked for.
  it.each(['.', '..'])('may be %s for a client that sends it as it is', async (key) => {
    const body = JSON.stringify({ data: key });
    const outgoing = request(service.url, {
      method: 'PUT',
      path: `/api/v1/github/kv/${installation}/key/${key}`,
      headers: {
        Authorization: `Bearer ${admin.token}`,
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(body),
      },
    });
    outgoing.end(body);
    const [answer] = (await once(outgoing, 'response')) as [import('node:http').IncomingMessage];
    answer.resume();
    expect(answer.statusCode).toBe(200);
    expect((await direct.iterate(key, '?limit=1')).status).toBe(404);
    const { body: all } = await direct.iterate('\u0001', '?limit=1000&include_data=false');
    expect(all.records.map((record) => record.key)).toContain(key);
  });

  it.each(['%FF', '%C0%AF', '%ED%A0%80', '%00', '%'])(
    'are refused where %s is no text that can be kept',
    async (raw) => {
      const path = `/github/kv/${installation}/key/${raw}`;
      const answer = await call(service, 'PUT', path, { as: admin.token, body: { data: 'x' } });
      expect(answer.status).toBe(400);
      // nginx refuses some of these itself, with a page of its own.
      const { status } = await fetch(`${proxy.url}/api/v1${path}`, {
        headers: { Authorization: `Bearer ${admin.token}` },
      });
      expect(status).toBe(400);
    },
  );
});
