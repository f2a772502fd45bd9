import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import { addressOf, aBackend, BackendClient, md5, send, TestBackend, unzipped } from '../support/backend.js';
import { aLargeDocument, printDocument } from '../support/document-generator.js';

/** http-backend-protocol.md row by row, over plain HTTP. */
describe('The state-storage backend', () => {
  let backend: TestBackend;

  beforeAll(async () => {
    backend = await aBackend();
  });
  afterAll(() => backend.stop());

  function document(serial: number, lineage: string, names: string[] = ['a']): Buffer {
    const base = aLargeDocument({ resources: names.length, serial, lineage });
    return printDocument({
      ...base,
      resources: base.resources.map((resource, index) => ({ ...resource, name: names[index] ?? '' })),
    });
  }

  it('answers 200 for a state that was never written, with an empty document that carries a lineage', async () => {
    const state = await backend.aState();
    const client = new BackendClient(state.address, backend.key);
    const answer = await client.get();
    const body = answer.json() as { lineage: string };
    expect(answer.status).toBe(200);
    expect(body).toEqual({
      version: 4,
      serial: 0,
      lineage: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      outputs: {},
      resources: [],
      check_results: null,
    });
    expect(answer.headers['content-md5']).toBe(md5(answer.bytes));
    expect((await client.get()).json()).toEqual(body);
    expect(((await backend.api('GET', `/states/${state.id}`)).json() as { lineage: string }).lineage).toBe(
      body.lineage,
    );
    client.close();
  });

  it('stores what was posted and serves it byte for byte, with its checksum and an ETag', async () => {
    const state = await backend.aState();
    const client = new BackendClient(state.address, backend.key);
    const { lineage } = (await client.get()).json() as { lineage: string };
    const bytes = document(1, lineage);
    const posted = await client.post(bytes);
    expect([posted.status, posted.json()]).toEqual([
      200,
      { state_id: state.id, serial: 1, version: 1, result: 'stored', tx_id: expect.any(String) as string },
    ]);
    const plain = await client.get();
    expect([
      plain.status,
      plain.bytes.equals(bytes),
      plain.headers['content-md5'],
      plain.headers['content-length'],
    ]).toEqual([200, true, md5(bytes), String(bytes.length)]);
    expect(plain.headers.etag).toMatch(/^"[^"]+"$/);
    const zipped = await send(state.address, { key: backend.key, headers: { 'accept-encoding': 'gzip' } });
    expect([
      zipped.headers['content-encoding'],
      unzipped(zipped).equals(bytes),
      zipped.headers['content-md5'],
    ]).toEqual(['gzip', true, md5(bytes)]);
    const etag = String(plain.headers.etag);
    for (const [known, status] of [
      [etag, 304],
      [`W/${etag}`, 304],
      [`"other", ${etag}`, 304],
      ['*', 304],
      ['"other"', 200],
    ] as const) {
      const answer = await send(state.address, { key: backend.key, headers: { 'if-none-match': known } });
      expect([known, answer.status, answer.bytes.length > 0]).toEqual([known, status, status === 200]);
    }
    client.close();
  });

  it('takes any lineage and any serial as the first document', async () => {
    const state = await backend.aState();
    const client = new BackendClient(state.address, backend.key);
    const bytes = document(41, 'a-lineage-of-its-own');
    expect((await client.post(bytes)).json()).toMatchObject({ serial: 41, version: 1, result: 'stored' });
    expect((await client.get()).bytes.equals(bytes)).toBe(true);
    client.close();
  });

  it('refuses another lineage, keeps the bytes it refused and changes nothing', async () => {
    const state = await backend.aState();
    const client = new BackendClient(state.address, backend.key);
    const bytes = document(1, 'one');
    await client.post(bytes);
    const other = document(2, 'two', ['b']);
    const refused = await client.post(other);
    expect([refused.status, refused.json()]).toEqual([
      409,
      { id: 'LINEAGE_MISMATCH', data: expect.any(String) as string },
    ]);
    expect((await client.get()).bytes.equals(bytes)).toBe(true);
    const list = (await backend.api('GET', `/states/${state.id}/submissions?status=refused`)).json() as {
      results: { id: string }[];
    };
    expect(list.results).toEqual([
      {
        id: expect.any(String) as string,
        status: 'refused',
        serial: 2,
        created_at: expect.any(String) as string,
        created_by: backend.userId,
        conflicts_with: [],
      },
    ]);
    expect(
      (await backend.api('GET', `/states/${state.id}/submissions/${list.results[0]?.id ?? ''}`)).bytes.equals(
        other,
      ),
    ).toBe(true);
    client.close();
  });

  it('answers 200 to the same bytes again, over the same and over another connection, without a new version', async () => {
    const state = await backend.aState();
    const client = new BackendClient(state.address, backend.key);
    const bytes = document(1, 'one');
    const first = (await client.post(bytes)).json() as object;
    const stranger = new BackendClient(state.address, await backend.aKey());
    for (const again of [await client.post(bytes), await stranger.post(bytes)]) {
      expect([again.status, again.json()]).toEqual([
        200,
        { ...first, result: 'unchanged', tx_id: expect.any(String) as string },
      ]);
    }
    expect((await backend.api('GET', `/states/${state.id}/versions`)).json()).toMatchObject({
      results: [{ version: 1 }],
    });
    client.close();
    stranger.close();
  });

  it('refuses an older document of somebody who never read the state', async () => {
    const state = await backend.aState();
    const client = new BackendClient(state.address, backend.key);
    for (const serial of [5, 6, 7])
      expect((await client.post(document(serial, 'one', [`n${serial}`]))).status).toBe(200);
    const stranger = new BackendClient(state.address, await backend.aKey());
    for (const serial of [1, 4, 5]) {
      const answer = await stranger.post(document(serial, 'one', ['older']));
      expect([answer.status, (answer.json() as { id: string }).id]).toEqual([
        409,
        expect.stringMatching(/^(SERIAL_NOT_NEWER|TX_CONFLICT)$/) as string,
      ]);
    }
    expect(((await client.get()).json() as { serial: number }).serial).toBe(7);
    client.close();
    stranger.close();
  });

  it('overrides only with ?force=true and admin, and keeps what it replaced', async () => {
    const state = await backend.aState();
    const client = new BackendClient(state.address, backend.key);
    await client.post(document(5, 'one', ['kept']));
    const older = document(2, 'two', ['forced']);
    const plain = await backend.aKey({ commit: {} });
    const denied = await send(`${state.address}?force=true`, { method: 'POST', key: plain, body: older });
    expect([denied.status, denied.json()]).toEqual([
      403,
      { id: 'ADMIN_REQUIRED', data: expect.any(String) as string },
    ]);
    expect((await client.post(older)).status).toBe(409);
    const forced = await client.post(older, '?force=true');
    expect([forced.status, forced.json()]).toEqual([
      200,
      { state_id: state.id, serial: 2, version: 2, result: 'stored', tx_id: expect.any(String) as string },
    ]);
    expect((await client.get()).bytes.equals(older)).toBe(true);
    expect(
      (await backend.api('GET', `/states/${state.id}/versions/5`)).bytes.equals(document(5, 'one', ['kept'])),
    ).toBe(true);
    const audit = await backend.service.pool.query(
      `SELECT * FROM audit_entries WHERE action = 'state.force'`,
    );
    expect(audit.rowCount).toBe(1);
    client.close();
  });

  it('does nothing that stands in the audit trail without standing in it', async () => {
    const { pool } = backend.service;
    const state = await backend.aState();
    const client = new BackendClient(state.address, backend.key);
    await client.post(document(5, 'one'));
    const tables = ['states', 'state_versions', 'state_submissions', 'audit_entries'];
    const counts = async () => {
      const sums = tables.map((table) => `(SELECT count(*) FROM ${table}) AS ${table}`);
      return (await pool.query(`SELECT ${sums.join(', ')}`)).rows;
    };
    const before = await counts();
    await pool.query(`CREATE FUNCTION refuse_entry() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'full'; END $$;
      CREATE TRIGGER refuse_entry BEFORE INSERT ON audit_entries EXECUTE FUNCTION refuse_entry()`);
    const unknown = addressOf(backend.url, state.groupId, 'unknown');
    const imported = { name: 'a', state: JSON.parse(document(1, 'one').toString()) as unknown };
    const statuses = [
      (await client.post(document(6, 'one', ['forced']), '?force=true')).status,
      (await client.post(document(6, 'two', ['refused']))).status,
      (await send(unknown, { method: 'POST', key: backend.key, body: document(1, 'one') })).status,
      (await send(unknown, { method: 'LOCK', key: backend.key, body: '{"ID":"x"}' })).status,
      (await backend.api('POST', `/tenants/${backend.tenantId}/states/import`, { body: imported })).status,
    ];
    await pool.query('DROP FUNCTION refuse_entry CASCADE');
    expect(statuses).toEqual([500, 500, 500, 500, 500]);
    expect(await counts()).toEqual(before);
    client.close();
  });

  it('never redirects, and a trailing slash means the same', async () => {
    const state = await backend.aState();
    const bytes = document(1, 'one');
    const posted = await send(`${state.address}/`, { method: 'POST', key: backend.key, body: bytes });
    expect(posted.status).toBe(200);
    const got = await send(`${state.address}/`, { key: backend.key });
    expect([got.status, got.bytes.equals(bytes)]).toEqual([200, true]);
    expect(
      (await send(`${addressOf(backend.url, state.groupId)}/default/`, { key: backend.key })).bytes.equals(
        bytes,
      ),
    ).toBe(true);
  });

  it('takes the key as Basic password with any user name, and as bearer', async () => {
    const { address } = await backend.aState();
    const basic = (user: string, key: string) => ({
      authorization: `Basic ${Buffer.from(`${user}:${key}`).toString('base64')}`,
    });
    const statuses = await Promise.all(
      [
        basic('session', backend.key),
        basic('', backend.key),
        basic('anyone', backend.session),
        { authorization: `Bearer ${backend.key}` },
        { authorization: `Bearer ${backend.session}` },
      ].map(async (headers) => (await send(address, { headers })).status),
    );
    expect(statuses).toEqual([200, 200, 200, 200, 200]);
    for (const headers of [
      {},
      basic('session', 'wrong'),
      { authorization: 'Basic !' },
      { authorization: 'Bearer x' },
    ]) {
      for (const method of ['GET', 'POST', 'LOCK', 'UNLOCK']) {
        const answer = await send(address, {
          method,
          headers: { ...headers },
          ...(method === 'GET' ? {} : { body: '{}' }),
        });
        expect([answer.status, answer.json()]).toEqual([
          401,
          { id: 'UNAUTHENTICATED', data: expect.any(String) as string },
        ]);
      }
    }
  });

  it('creates a state of a known group on the first write and names it after the group', async () => {
    const first = await backend.aState({ name: 'network' });
    const address = addressOf(backend.url, first.groupId, 'staging');
    expect((await send(address, { key: backend.key })).status).toBe(404);
    const posted = await send(address, { method: 'POST', key: backend.key, body: document(1, 'one') });
    expect([posted.status, posted.json()]).toEqual([
      200,
      {
        state_id: expect.any(String) as string,
        serial: 1,
        version: 1,
        result: 'stored',
        tx_id: expect.any(String) as string,
      },
    ]);
    const { state_id: id } = posted.json() as { state_id: string };
    expect((await backend.api('GET', `/states/${id}`)).json()).toMatchObject({
      name: 'network',
      workspace: 'staging',
      group_id: first.groupId,
      tenant_id: backend.tenantId,
    });
  });

  it('stores one first document when two create the state at once, and merges or refuses the other', async () => {
    const { groupId } = await backend.aState();
    for (let round = 0; round < 8; round++) {
      const address = addressOf(backend.url, groupId, `w${round}`);
      const writers = ['one', 'two', 'three'].map((_) => new BackendClient(address, backend.key));
      const answers = await Promise.all(
        writers.map((writer, index) => writer.post(document(1, `lineage-${index}`))),
      );
      const stored = answers.findIndex((answer) => answer.status === 200);
      expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
      for (const answer of answers) expect([200, 409, 503]).toContain(answer.status);
      expect((await writers[0]?.get())?.bytes.equals(document(1, `lineage-${stored}`))).toBe(true);
      writers.forEach((writer) => writer.close());
    }
  });

  it('shows only the outputs with view=outputs, as a valid document', async () => {
    const state = await backend.aState();
    const client = new BackendClient(state.address, backend.key);
    await client.post(document(3, 'one'));
    const answer = await client.get('?view=outputs');
    expect([answer.status, answer.json()]).toEqual([
      200,
      {
        version: 4,
        terraform_version: '1.11.4',
        serial: 3,
        lineage: 'one',
        outputs: { url: { value: 'https://example.test', type: 'string' } },
        resources: [],
        check_results: null,
      },
    ]);
    expect(answer.headers['content-md5']).toBe(md5(answer.bytes));
    const key = await backend.aKey({ commit: { states: { [state.id]: ['outputs'] } } });
    expect((await send(`${state.address}?view=outputs`, { key })).json()).toEqual(answer.json());
    const whole = await send(state.address, { key });
    expect([whole.status, whole.json()]).toEqual([
      403,
      { id: 'STATE_FULL_READ_FORBIDDEN', data: expect.any(String) as string },
    ]);
    for (const path of ['export', 'versions', 'versions/3', 'versions/3/diff/3', 'submissions']) {
      expect([path, (await backend.api('GET', `/states/${state.id}/${path}`, { key })).status]).toEqual([
        path,
        403,
      ]);
    }
    expect((await send(state.address, { method: 'POST', key, body: document(4, 'one') })).status).toBe(403);
    client.close();
  });

  describe('locks', () => {
    const info = (ID: string) => ({
      ID,
      Operation: 'OperationTypeApply',
      Info: '',
      Who: 'someone',
      Version: '1.11.4',
      Created: '2026-01-01T00:00:00Z',
      Path: '',
    });

    it('are given once, shown to others as their holder described them, and given back', async () => {
      const state = await backend.aState();
      const [one, two] = [
        new BackendClient(state.address, backend.key),
        new BackendClient(state.address, backend.key),
      ];
      const [mine, other] = [info(randomUUID()), info(randomUUID())];
      expect((await one.lock(mine)).status).toBe(200);
      expect((await one.lock(mine)).status).toBe(200);
      const held = await two.lock(other);
      expect([held.status, held.json()]).toEqual([423, mine]);
      const mismatch = await two.unlock(other);
      expect([mismatch.status, mismatch.json()]).toEqual([
        409,
        { id: 'LOCK_MISMATCH', data: expect.any(String) as string },
      ]);
      expect((await one.unlock(mine)).status).toBe(200);
      expect((await one.unlock(mine)).status).toBe(200);
      expect((await two.lock(other)).status).toBe(200);
      one.close();
      two.close();
    });

    it('are broken by an empty UNLOCK of an administrator, and of nobody else', async () => {
      const state = await backend.aState();
      const client = new BackendClient(state.address, backend.key);
      await client.lock(info('held'));
      const plain = new BackendClient(state.address, await backend.aKey({ commit: {} }));
      const denied = await plain.unlock(undefined);
      expect([denied.status, denied.json()]).toEqual([
        403,
        { id: 'ADMIN_REQUIRED', data: expect.any(String) as string },
      ]);
      expect((await plain.lock(info('other'))).status).toBe(423);
      expect((await client.unlock(undefined)).status).toBe(200);
      expect((await plain.lock(info('other'))).status).toBe(200);
      client.close();
      plain.close();
    });

    it('go to exactly one of many who ask at once', async () => {
      const state = await backend.aState();
      const agent = new Agent({ maxSockets: 10 });
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          new BackendClient(state.address, backend.key, { agent }).lock(info(`lock-${index}`)),
        ),
      );
      expect(answers.map((answer) => answer.status).sort()).toEqual([200, ...Array<number>(9).fill(423)]);
      agent.destroy();
    });

    it('create the state they are for, whose group is then its tenant’s', async () => {
      const [groupId, lock] = [randomUUID(), info(randomUUID())];
      const address = addressOf(backend.url, groupId);
      const key = await backend.aKey({ commit: { tenants: [backend.tenantId] } });
      const body = JSON.stringify(lock);
      expect((await send(address, { method: 'LOCK', key, body })).status).toBe(200);
      const taken = await backend.api('POST', `/tenants/${await backend.aTenant()}/states`, {
        body: { name: 'mine', group_id: groupId, workspace: 'other' },
      });
      expect([taken.status, taken.json()]).toEqual([
        409,
        { id: 'STATE_EXISTS', data: expect.any(String) as string },
      ]);
      const staging = addressOf(backend.url, groupId, 'staging');
      expect((await send(staging, { key })).status).toBe(404);
      expect((await send(staging, { method: 'POST', key, body: document(1, 'one') })).status).toBe(200);
      const { rows } = await backend.service.pool.query(
        `SELECT tenant_id, data FROM audit_entries WHERE action = 'state.create' AND data ->> 'group_id' = $1 ORDER BY id`,
        [groupId],
      );
      expect(rows).toEqual(
        ['default', 'staging'].map((workspace) => ({
          tenant_id: backend.tenantId,
          data: { group_id: groupId, workspace },
        })),
      );
    });

    it('need a body with an id', async () => {
      const state = await backend.aState();
      const holder = new BackendClient(state.address, backend.key);
      expect((await holder.lock(info('held'))).status).toBe(200);
      for (const body of [
        '',
        '{}',
        'null',
        'no json',
        '{"ID":""}',
        '[]',
        '{"ID":"a\\u0000"}',
        '{"ID":"\\ud800"}',
      ])
        for (const method of body === '' ? ['LOCK'] : ['LOCK', 'UNLOCK']) {
          const answer = await send(state.address, { method, key: backend.key, body });
          expect([body, method, answer.status, answer.json()]).toEqual([
            body,
            method,
            400,
            { id: 'INVALID_REQUEST', data: expect.any(String) as string },
          ]);
        }
      const other = new BackendClient(state.address, backend.key);
      expect((await other.lock(info('other'))).status).toBe(423);
      holder.close();
      other.close();
    });

    it('are no wall: a disjoint write of another run is merged meanwhile', async () => {
      const state = await backend.aState();
      const holder = new BackendClient(state.address, backend.key);
      await holder.post(document(1, 'one', ['a']));
      await holder.lock(info('held'));
      await holder.get();
      const other = new BackendClient(state.address, backend.key);
      await other.get();
      expect((await other.post(document(2, 'one', ['a', 'b']))).status).toBe(200);
      const merged = await holder.post(document(2, 'one', ['a', 'c']), '?ID=held');
      expect([merged.status, merged.json()]).toMatchObject([
        200,
        { serial: 3, version: 3, result: 'merged' },
      ]);
      const names = ((await holder.get()).json() as { resources: { name: string }[] }).resources.map(
        (resource) => resource.name,
      );
      expect(names.sort()).toEqual(['a', 'b', 'c']);
      holder.close();
      other.close();
    });
  });
});
