import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Admin,
  aKey,
  aMember,
  anAdmin,
  anOutsider,
  aTenant,
  call,
  matrix,
  must,
  type Person,
  type Reply,
  startGenerous,
} from '../support/identity.js';
import { anAccessToken, anInstallation, type KvCalls, kvOf } from '../support/kv.js';
import type { RunningService } from '../support/service.js';

describe('The key-value store', () => {
  let service: RunningService;
  let admin: Admin;
  let member: Person;
  let outsider: Person;
  let namespace: string;
  let kv: KvCalls;

  beforeAll(async () => {
    service = await startGenerous({ env: { SERVICE_EDITION: 'enterprise', SERVICE_KV_MAX_DATA_SIZE: '4k' } });
    admin = await anAdmin(service);
    member = await aMember(service, admin);
    outsider = await anOutsider(service, admin);
    namespace = await anInstallation(service, { tenantId: admin.tenantId });
    kv = kvOf(service, member.token, namespace);
  });
  afterAll(async () => service.stop());

  const ROUTES: Record<string, (calls: KvCalls) => Promise<Reply<object>>> = {
    'PUT key/{key}': (calls) => calls.put('matrix', { data: 'x' }),
    'GET key/{key}': (calls) => calls.get('matrix'),
    'PUT cas/key/{key}': (calls) => calls.cas('matrix-cas', { data: 'x', version: 9 }),
    'GET iter/{key}': (calls) => calls.iterate('matrix'),
    'GET count/key/{key}': (calls) => calls.count('matrix'),
    'GET size/key/{key}': (calls) => calls.size('matrix'),
    'POST commit': (calls) => calls.commit([{ key: 'matrix' }]),
    'DELETE key/{key}': (calls) => calls.remove('matrix-none'),
  };

  describe('access', () => {
    it('covers every route of the API description in the matrix below', () => {
      const document = JSON.parse(readFileSync(join(__dirname, '../../docs/openapi.json'), 'utf8')) as {
        paths: Record<string, Record<string, unknown>>;
      };
      const described = Object.entries(document.paths).flatMap(([path, item]) => {
        const suffix = /^\/api\/v1\/(?:github|gitlab)\/kv\/\{installationId\}\/(.+)$/.exec(path)?.[1];
        return suffix ? Object.keys(item).map((method) => `${method.toUpperCase()} ${suffix}`) : [];
      });
      expect(described).toHaveLength(16);
      expect([...new Set(described)].sort()).toEqual(Object.keys(ROUTES).sort());
    });

    it.each(['github', 'vcs_a', 'gitlab', 'vcs_b'])(
      'is the same on every route below /%s/kv',
      async (spelling) => {
        const provider = spelling === 'github' || spelling === 'vcs_a' ? 'github' : 'gitlab';
        const linked = await anInstallation(service, { provider, tenantId: admin.tenantId });
        const unlinked = await anInstallation(service, { provider });
        const foreign = await anInstallation(service, { provider, tenantId: await aTenant(service, admin) });
        const { id: stateId = '' } = await must(service, 'POST', `/tenants/${admin.tenantId}/states`, {
          as: member.token,
          body: { name: `kv ${spelling}` },
        });
        const stateBoundKey = await aKey(service, member, {
          preview: { states: { [stateId]: ['preview'] } },
        });
        const callers = {
          anonymous: undefined,
          outsider: outsider.token,
          member: member.token,
          'state-bound key': stateBoundKey,
          'installation admin': admin.token,
        };
        await kvOf(service, admin.token, linked, spelling).put('matrix', { data: 'x' });
        for (const [route, act] of Object.entries(ROUTES)) {
          const on = (id: string): Promise<Record<string, number>> =>
            matrix(callers, (as) => act(kvOf(service, as, id, spelling)));
          const success = route.includes('cas') ? 400 : 200;
          expect({ route, ...(await on(linked)) }).toMatchObject({
            route,
            anonymous: 401,
            outsider: 403,
            member: success,
            'state-bound key': 403,
            'installation admin': success,
          });
          for (const id of [unlinked, foreign, 'nobody-knows-it', '%00', 'x'.repeat(3000)]) {
            const statuses = await on(id);
            expect({ route, id, ...statuses }).toMatchObject({
              route,
              anonymous: 401,
              outsider: 403,
              member: 403,
            });
            expect([200, 400, 404]).toContain(statuses['installation admin']);
          }
        }
      },
    );

    it('gives strangers the same body for unknown, unlinked and foreign namespaces', async () => {
      const ids = [
        await anInstallation(service),
        await anInstallation(service, { tenantId: await aTenant(service, admin) }),
        'unknown',
      ];
      const bodies = [];
      for (const id of ids) bodies.push((await kvOf(service, member.token, id).get('a')).body);
      expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(1);
      expect(bodies[0]).toMatchObject({ id: 'FORBIDDEN' });
    });

    it('ends with the link, and with the membership, at the next call', async () => {
      const id = await anInstallation(service, { tenantId: admin.tenantId });
      const leaver = await aMember(service, admin);
      const calls = kvOf(service, leaver.token, id);
      expect((await calls.put('a', { data: '1' })).status).toBe(200);
      await service.pool.query('UPDATE installations SET tenant_id = NULL WHERE installation_id = $1', [id]);
      expect((await calls.get('a')).status).toBe(403);
      await service.pool.query('UPDATE installations SET tenant_id = $2 WHERE installation_id = $1', [
        id,
        admin.tenantId,
      ]);
      expect((await calls.get('a')).body).toMatchObject({ data: '1' });
      await service.pool.query('DELETE FROM tenant_members WHERE user_id = $1', [leaver.id]);
      expect((await calls.get('a')).status).toBe(403);
    });

    it.each([
      [['kv_store_read'], { get: 200, put: 403, cas: 403, remove: 403, commit: 403, iterate: 200 }],
      [['kv_store_write'], { get: 403, put: 200, cas: 403, remove: 403, commit: 200, iterate: 403 }],
      [
        ['kv_store_read', 'kv_store_write'],
        { get: 200, put: 200, cas: 400, remove: 200, commit: 200, iterate: 200 },
      ],
    ])('lets an access token with %j do just that', async (capabilities, expected) => {
      await kv.put('held', { data: 'x' });
      const token = await anAccessToken(service, member, capabilities);
      const calls = kvOf(service, token, namespace);
      const statuses = {
        get: (await calls.get('held')).status,
        iterate: (await calls.iterate('held')).status,
        put: (await calls.put('held', { data: 'y' })).status,
        cas: (await calls.cas('held', { data: 'y', version: 4711 })).status,
        commit: (await calls.commit([{ key: 'held' }])).status,
        remove: (await calls.remove('held')).status,
      };
      expect(statuses).toEqual(expected);
    });

    it('limits an access token to the installations and the provider it names', async () => {
      const limited = async (...limits: unknown[]): Promise<number> => {
        const token = await anAccessToken(service, member, ['kv_store_read', 'kv_store_write', ...limits]);
        return (await kvOf(service, token, namespace).put('limited', { data: 'x' })).status;
      };
      const here = { name: 'installation_id', id: namespace };
      const elsewhere = { name: 'installation_id', id: 'another' };
      expect(await limited(here)).toBe(200);
      expect(await limited(elsewhere)).toBe(403);
      expect(await limited(elsewhere, here)).toBe(200);
      expect(await limited({ name: 'vcs', vcs: 'github' }, here)).toBe(200);
      expect(await limited({ name: 'vcs', vcs: 'gitlab' }, here)).toBe(403);
    });

    it('keeps system keys for those who hold the system capabilities', async () => {
      const system = kvOf(service, admin.token, namespace);
      expect((await system.put('system/a', { data: 'secret' })).status).toBe(200);
      await kv.put('systematic', { data: 'x' });
      for (const answer of [
        await kv.get('system/a'),
        await kv.put('system/a', { data: 'x' }),
        await kv.cas('system/a', { data: 'x', version: 0 }),
        await kv.remove('system/a'),
        await kv.iterate('system/a'),
        await kv.count('system/a'),
        await kv.size('system/a'),
        await kv.commit([{ key: 'system/a' }]),
      ])
        expect({ status: answer.status, id: (answer.body as { id?: unknown }).id }).toEqual({
          status: 403,
          id: 'FORBIDDEN',
        });
      const keys = async (calls: KvCalls): Promise<string[]> =>
        (await calls.iterate('system', '?prefix=true')).body.records.map(({ key }) => key);
      expect(await keys(kv)).toEqual(['systematic']);
      expect(await keys(system)).toEqual(['system/a', 'systematic']);
      const systemOnly = await anAccessToken(service, admin, ['kv_store_system_read']);
      expect(
        (await kvOf(service, systemOnly, namespace).iterate('system/', '')).body.records.map(
          ({ key }) => key,
        ),
      ).toEqual(['system/a']);
    });
  });

  describe('records', () => {
    it('answers a write with the record, and counts versions from 0', async () => {
      const first = await kv.put('versions', { data: 'é', idx: 3 });
      expect(first).toMatchObject({
        status: 200,
        body: { key: 'versions', data: 'é', idx: 3, version: 0, committed: true, size: 2 },
      });
      expect(Object.keys(first.body).sort()).toEqual([
        'committed',
        'created_at',
        'data',
        'idx',
        'key',
        'size',
        'version',
      ]);
      expect((await kv.put('versions', { data: 'b', idx: 3 })).body.version).toBe(1);
      expect((await kv.cas('versions', { data: 'c', idx: 3, version: 1 })).body.version).toBe(2);
      expect((await kv.cas('versions', { data: 'd', idx: 3, version: 1 })).body).toMatchObject({
        id: 'VERSION_MISMATCH',
      });
      expect((await kv.get('versions', '?idx=3')).body).toMatchObject({ data: 'c', version: 2 });
      expect((await kv.remove('versions', '?version=1')).body).toEqual({ result: false });
      expect((await kv.remove('versions', '?version=2')).body).toEqual({ result: true });
      expect((await kv.put('versions', { data: 'again', idx: 3 })).body.version).toBe(0);
    });

    it('inserts only when a compare-and-set names no version', async () => {
      expect((await kv.cas('lock', { data: 'mine' })).body).toMatchObject({ version: 0, data: 'mine' });
      expect(await kv.cas('lock', { data: 'yours' })).toMatchObject({
        status: 400,
        body: { id: 'VERSION_MISMATCH' },
      });
      expect((await kv.get('lock')).body.data).toBe('mine');
    });

    it('shows uncommitted records only to those who ask for them, and commits all or none', async () => {
      await kv.put('phase', { data: 'a', committed: false });
      await kv.put('phase', { data: 'b', idx: 1, committed: false });
      await kv.put('phase', { data: 'c', idx: 2 });
      expect((await kv.get('phase')).body).toMatchObject({ id: 'KEY_NOT_FOUND' });
      expect((await kv.get('phase', '?committed=false')).body.data).toBe('a');
      expect((await kv.count('phase')).body).toEqual({ count: 1, max_idx: 2 });
      expect((await kv.count('phase', '?committed=false')).body).toEqual({ count: 3, max_idx: 2 });
      expect((await kv.commit([{ key: 'phase' }, { key: 'phase', idx: 1 }, { key: 'none' }])).body).toEqual({
        keys: [
          { key: 'phase', idx: 0 },
          { key: 'phase', idx: 1 },
        ],
      });
      expect((await kv.commit([{ key: 'phase' }])).body).toEqual({ keys: [] });
      expect((await kv.get('phase')).body).toMatchObject({ data: 'a', version: 0, committed: true });
    });

    it('commits a thousand of the longest keys, whatever the limit of data', async () => {
      const keys = Array.from({ length: 1000 }, (_, n) => ({ key: `${n}`.padEnd(512, 'k'), idx: 0 }));
      expect(await kv.commit(keys)).toMatchObject({ status: 200, body: { keys: [] } });
      expect((await kv.commit([...keys, { key: 'a' }])).status).toBe(400);
    });

    it('sums sizes, of one record or of all', async () => {
      await kv.put('sized', { data: 'é' });
      await kv.put('sized', { data: 'abc', idx: 7 });
      expect((await kv.size('sized')).body).toEqual({ size: 5 });
      expect((await kv.size('sized', '?idx=7')).body).toEqual({ size: 3 });
      expect(await kv.size('sized', '?idx=8')).toMatchObject({ status: 404, body: { id: 'KEY_NOT_FOUND' } });
      expect((await kv.count('nothing')).body).toEqual({ count: 0, max_idx: 0 });
    });

    it('hides and protects records by their own lists', async () => {
      const system = kvOf(service, admin.token, namespace);
      await system.put('guarded', { data: 'x', write_caps: ['kv_store_system_write'] });
      await system.put('hidden', { data: 'x', read_caps: ['kv_store_system_read'] });
      expect((await kv.get('guarded')).body.data).toBe('x');
      for (const answer of [
        await kv.put('guarded', { data: 'y' }),
        await kv.cas('guarded', { data: 'y', version: 0 }),
        await kv.remove('guarded'),
        await kv.commit([{ key: 'phase' }, { key: 'guarded' }]),
        await kv.put('hidden', { data: 'y' }),
      ])
        expect(answer.status).toBe(403);
      expect((await kv.get('hidden')).status).toBe(404);
      expect((await kv.count('hidden')).body).toEqual({ count: 0, max_idx: 0 });
      expect((await kv.iterate('hidden', '?prefix=true')).body.records).toEqual([]);
      expect((await kv.cas('hidden', { data: 'y' })).body).toMatchObject({ id: 'VERSION_MISMATCH' });
      expect((await kv.remove('hidden')).body).toEqual({ result: false });
      expect((await kv.commit([{ key: 'hidden' }])).body).toEqual({ keys: [] });
      expect((await system.get('hidden')).body).toMatchObject({
        data: 'x',
        version: 0,
        read_caps: ['kv_store_system_read'],
      });
    });

    it('iterates in byte order with its bounds, its data and what is left', async () => {
      const keys = ['it/a', 'it/a0', 'it/b', 'it/é', 'it/\u{1f600}', 'itz'];
      for (const key of keys) await kv.put(key, { data: key });
      await kv.put('it/a', { data: 'second', idx: 1 });
      const shown = async (key: string, query: string): Promise<(string | number | boolean)[]> => {
        const { body } = await kv.iterate(key, query);
        return [...body.records.map((record) => `${record.key}:${record.idx}`), body.has_more];
      };
      expect(await shown('it/', '?prefix=true')).toEqual([
        'it/a:0',
        'it/a:1',
        'it/a0:0',
        'it/b:0',
        'it/é:0',
        'it/\u{1f600}:0',
        false,
      ]);
      expect(await shown('it/a', '?limit=2')).toEqual(['it/a:0', 'it/a:1', true]);
      expect(await shown('it/a', '?limit=1&inclusive=false')).toEqual(['it/a0:0', true]);
      expect(await shown('it/a', '?limit=1&inclusive=false&idx=0')).toEqual(['it/a:1', true]);
      expect(await shown('it/a', '?limit=1&idx=1')).toEqual(['it/a:1', true]);
      expect(await shown('it/\u{1f600}', '?prefix=true&limit=1')).toEqual(['it/\u{1f600}:0', false]);
      expect((await kv.iterate('it/a', '?limit=1&include_data=false')).body.records[0]).not.toHaveProperty(
        'data',
      );
    });

    it('extracts paths from JSON data and keeps every digit', async () => {
      const data = '{"n":9007199254740993,"list":[{"a.b":"x"}],"text":"é","zero":0.10}';
      await kv.put('doc', { data });
      const select = (...paths: string[]): string =>
        `?${paths.map((path) => `select=${encodeURIComponent(path)}`).join('&')}`;
      const answer = await kv.get(
        'doc',
        select('n=n', 'x=$.list[0]."a.b"', 'none=a.b', 'z=zero', 'all=list'),
      );
      expect(answer.body).toMatchObject({ size: Buffer.byteLength(data) });
      expect(answer.body.data).toBe(
        '{"n":9007199254740993,"x":"x","none":null,"z":0.10,"all":[{"a.b":"x"}]}',
      );
      await kv.put('text', { data: 'no json' });
      expect((await kv.get('text', select('a=b'))).body.data).toBe('{"a":null}');
      for (const path of ['a', '=a', 'a=', 'a=.b', 'a=b..c', 'a=b[', 'a=b[x]', 'a="b', 'a=b"c"'])
        expect(await kv.get('doc', select(path))).toMatchObject({
          status: 400,
          body: { id: 'INVALID_REQUEST' },
        });
      expect((await kv.get('doc', select(...Array.from({ length: 51 }, (_, n) => `a${n}=b`)))).status).toBe(
        400,
      );
    });

    it('answers no more of what is selected than of data', async () => {
      const other = await anInstallation(service, { tenantId: admin.tenantId });
      await service.pool.query(
        `INSERT INTO kv_records (provider, installation_id, key, idx, data, version, committed)
         SELECT 'github', $1, 'k', n, $2, 0, true FROM generate_series(0, 99) AS n`,
        [other, JSON.stringify({ a: 'x'.repeat(4000) })],
      );
      const calls = kvOf(service, member.token, other);
      const paths = Array.from({ length: 50 }, (_, n) => `select=n${n}=a`).join('&');
      const { body } = await calls.iterate('k', `?limit=1000&${paths}`);
      const bytes = body.records.reduce((sum, { data = '' }) => sum + data.length, 0);
      expect(bytes).toBeLessThanOrEqual(16 * 1024 * 1024);
      expect(body.records.length).toBeGreaterThan(50);
      expect(body.has_more).toBe(true);
      const rest = await calls.iterate('k', `?idx=${body.records.length}&limit=1000&${paths}`);
      expect(body.records.length + rest.body.records.length).toBe(100);
      expect(rest.body.has_more).toBe(false);
    });

    it('counts a limit above the largest as the largest', async () => {
      const other = await anInstallation(service, { tenantId: admin.tenantId });
      await service.pool.query(
        `INSERT INTO kv_records (provider, installation_id, key, idx, data, version, committed)
         SELECT 'github', $1, 'k', n, 'x', 0, true FROM generate_series(0, 1000) AS n`,
        [other],
      );
      const { status, body } = await kvOf(service, member.token, other).iterate('k', '?limit=5000');
      expect({ status, count: body.records.length, has_more: body.has_more }).toEqual({
        status: 200,
        count: 1000,
        has_more: true,
      });
    });

    it('keeps keys and data of every kind exactly', async () => {
      const texts = [
        'a/b',
        '%2F',
        'a%b',
        '../x',
        ' ',
        '?#&=+',
        'LIKE_%',
        '\u0001',
        'é'.repeat(256),
        '\u{10ffff}',
        '"\\',
        '\u2028',
      ];
      for (const text of texts) {
        expect((await kv.put(text, { data: text })).status).toBe(200);
        expect((await kv.get(text)).body).toMatchObject({ key: text, data: text });
      }
      expect((await kv.iterate('LIKE_', '?prefix=true')).body.records.map(({ key }) => key)).toEqual([
        'LIKE_%',
      ]);
    });
  });

  describe('bad input', () => {
    it.each([
      ['an empty body', {}, 400, 'data'],
      ['data that is no text', { data: 7 }, 400, 'data'],
      ['a NUL in data', { data: 'a\0' }, 400, 'data'],
      ['half a surrogate pair in data', { data: '\ud800' }, 400, 'data'],
      ['data beyond the limit', { data: 'x'.repeat(4097) }, 413, 'data'],
      ['an idx beyond smallint', { data: 'x', idx: 32_768 }, 400, 'idx'],
      ['a negative idx', { data: 'x', idx: -1 }, 400, 'idx'],
      ['an idx with a fraction', { data: 'x', idx: 0.5 }, 400, 'idx'],
      ['committed as text', { data: 'x', committed: 'true' }, 400, 'committed'],
      ['unknown read_caps', { data: 'x', read_caps: ['everything'] }, 400, 'read_caps'],
      ['write_caps that are no list', { data: 'x', write_caps: 'kv_store_read' }, 400, 'write_caps'],
    ])('refuses %s and names the field', async (_, body, status, field) => {
      const answer = await kv.put('bad', body);
      expect(answer.status).toBe(status);
      expect((answer.body as unknown as { data: string }).data).toContain(field);
      expect((await kv.get('bad', '?committed=false')).status).toBe(404);
    });

    it.each([2 ** 63, 1e300, -1, 0.5, '1'])('refuses the version %s and names the field', async (version) => {
      const answer = await kv.cas('bad', { data: 'x', version });
      expect(answer).toMatchObject({ status: 400, body: { id: 'INVALID_REQUEST' } });
      expect((answer.body as unknown as { data: string }).data).toContain('version');
    });

    it('refuses bytes that are no UTF-8 rather than keep other characters', async () => {
      const body = Buffer.concat([Buffer.from('{"data":"'), Buffer.from([0xe9]), Buffer.from('"}')]);
      const { status } = await fetch(`${service.url}/api/v1/github/kv/${namespace}/key/latin`, {
        method: 'PUT',
        headers: { Authorization: `Bearer ${member.token}`, 'Content-Type': 'application/json' },
        body,
      });
      expect(status).toBe(400);
      expect((await kv.get('latin')).status).toBe(404);
    });

    it.each([[[]], [null], [undefined]])('refuses %j in place of a body', async (body) => {
      for (const path of ['key/bad', 'cas/key/bad', 'commit']) {
        const { status } = await call(
          service,
          path === 'commit' ? 'POST' : 'PUT',
          `/github/kv/${namespace}/${path}`,
          { as: member.token, body },
        );
        expect(status).toBe(400);
      }
    });

    it('takes data of the largest size whatever its escapes', async () => {
      expect((await kv.put('largest', { data: '\u0001'.repeat(4096) })).body.size).toBe(4096);
    });

    it.each([
      ['?committed=yes', 'committed'],
      ['?idx=x', 'idx'],
      ['?limit=0', 'limit'],
      ['?limit=1e3', 'limit'],
      ['?prefix=1', 'prefix'],
      ['?inclusive=', 'inclusive'],
    ])('refuses the iteration %s', async (query, field) => {
      const answer = await kv.iterate('a', query);
      expect(answer.status).toBe(400);
      expect((answer.body as unknown as { data: string }).data).toContain(field);
    });

    it('refuses keys that are too long or cannot be stored, also in a batch, by their place', async () => {
      expect((await kv.get('k'.repeat(513))).status).toBe(400);
      expect((await kv.get('a\0')).status).toBe(400);
      expect((await kv.commit([])).status).toBe(400);
      const batch = await kv.commit([{ key: 'a' }, { key: 'k'.repeat(513) }]);
      expect(batch.status).toBe(400);
      const said = JSON.stringify(batch.body);
      expect(said).toContain('keys.1: key');
      expect(said).not.toContain('kkk');
    });
  });

  it('writes keys and data to no log and no metric', async () => {
    const canary = 'canary-3f9d2c';
    await kv.put(canary, { data: canary });
    await kv.cas(canary, { data: canary, version: 99 });
    await kv.get(`${canary}-missing`);
    await must(service, 'GET', '/whoami', { as: member.token });
    const metrics = await (await fetch(`${service.internalUrl}/metrics`)).text();
    expect(metrics).toContain('kv_cas_lost_total{provider="github"}');
    expect(metrics).not.toContain(canary);
    expect(service.output()).not.toContain(canary);
    const audit = await service.pool.query(
      'SELECT count(*)::int AS n FROM audit_entries WHERE data::text LIKE $1',
      [`%${canary}%`],
    );
    expect(audit.rows).toEqual([{ n: 0 }]);
  });
});
