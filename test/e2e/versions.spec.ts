import { randomUUID } from 'node:crypto';
import {
  aBackend,
  BackendClient,
  backendBlock,
  md5,
  send,
  stateOf,
  TestBackend,
  TestState,
} from '../support/backend.js';
import { GeneratedDocument, printDocument, PROVIDER, treeOf } from '../support/document-generator.js';
import { describeWith, TerraformWorkspace } from '../support/terraform.js';

const any = expect.any(String) as string;

describe('Versions of a state', () => {
  let backend: TestBackend;

  beforeAll(async () => {
    backend = await aBackend();
  });
  afterAll(() => backend.stop());

  interface Thing {
    attributes: Record<string, unknown>;
    sensitive?: string[];
  }

  function document(
    serial: number,
    things: Record<string, Thing>,
    outputs: Record<string, unknown> = {},
  ): Buffer {
    const generated: GeneratedDocument = {
      serial,
      lineage: 'one',
      outputs: treeOf(
        Object.fromEntries(Object.entries(outputs).map(([name, value]) => [name, { value, type: 'string' }])),
      ),
      resources: Object.entries(things).map(([name, { attributes }]) => ({
        mode: 'managed',
        type: 'test_thing',
        name,
        provider: PROVIDER,
        instances: [{ attributes: treeOf(attributes), dependencies: [] }],
      })),
    };
    const parsed = JSON.parse(printDocument(generated).toString()) as {
      resources: { name: string; instances: Record<string, unknown>[] }[];
    };
    for (const resource of parsed.resources) {
      const paths = (things[resource.name]?.sensitive ?? []).map((path) =>
        path.split('.').map((value) => ({ type: 'get_attr', value })),
      );
      for (const instance of resource.instances) instance['sensitive_attributes'] = paths;
    }
    return Buffer.from(`${JSON.stringify(parsed, null, 2)}\n`);
  }

  async function aHistory(documents: Buffer[]): Promise<TestState> {
    const state = await backend.aState();
    const client = new BackendClient(state.address, backend.key);
    for (const bytes of documents) expect((await client.post(bytes)).status).toBe(200);
    client.close();
    return state;
  }

  async function get(state: TestState, path: string): Promise<unknown> {
    return (await backend.api('GET', `/states/${state.id}/${path}`)).json();
  }

  it('are listed newest first in pages that Link headers connect', async () => {
    const documents = [1, 2, 3, 4, 5].map((serial) => document(serial, { a: { attributes: { serial } } }));
    const state = await aHistory(documents);
    const row = (version: number) => ({
      version,
      serial: version,
      lineage: 'one',
      size: documents[version - 1]?.length,
      origin: 'backend',
      tx_id: any,
      created_at: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      created_by: backend.userId,
      created_by_name: 'Admin',
    });
    expect(await get(state, 'versions')).toEqual({ results: [5, 4, 3, 2, 1].map(row) });
    let next: string | undefined = `${backend.url}/api/v1/states/${state.id}/versions?limit=2`;
    const pages: unknown[] = [];
    const tokens: (string | undefined)[] = [];
    while (next !== undefined) {
      const answer = await send(next, { key: backend.key });
      pages.push(answer.json());
      next = /<([^>]+)>; rel="?next"?/.exec(String(answer.headers.link ?? ''))?.[1];
      tokens.push(next === undefined ? next : (new URL(next).searchParams.get('page') ?? ''));
    }
    expect(tokens).toEqual([any, any, undefined]);
    expect(pages).toEqual([
      { results: [row(5), row(4)], next_page: tokens[0] },
      { results: [row(3), row(2)], next_page: tokens[1] },
      { results: [row(1)] },
    ]);
  });

  it('serve each document as it was posted, with its checksum', async () => {
    const documents = [1, 2, 7].map((serial) => document(serial, { a: { attributes: { serial } } }));
    const state = await aHistory(documents);
    for (const [index, serial] of [1, 2, 7].entries()) {
      const bytes = documents[index] ?? Buffer.alloc(0);
      const answer = await backend.api('GET', `/states/${state.id}/versions/${serial}`);
      expect([answer.status, answer.bytes.equals(bytes), answer.headers['content-md5']]).toEqual([
        200,
        true,
        md5(bytes),
      ]);
    }
    expect(
      (await backend.api('GET', `/states/${state.id}/export`)).bytes.equals(documents[2] ?? Buffer.alloc(0)),
    ).toBe(true);
  });

  it('differ by instances added, changed and removed, attribute by attribute, without showing secrets', async () => {
    const state = await aHistory([
      document(
        1,
        {
          gone: { attributes: { id: 'g' } },
          same: { attributes: { id: 's', n: 1 } },
          web: {
            attributes: {
              id: 'w',
              tags: { Name: 'old' },
              ports: [80, 81],
              login: { password: 's3cr3t-1', user: 'u' },
            },
            sensitive: ['login.password'],
          },
        },
        { kept: '1', moved: '1', dropped: '1' },
      ),
      document(
        2,
        {
          same: { attributes: { id: 's', n: 1 } },
          web: {
            attributes: {
              id: 'w',
              tags: { Name: 'new', Team: 't' },
              ports: [80],
              login: { password: 's3cr3t-2', user: 'u' },
            },
            sensitive: ['login.password'],
          },
          fresh: { attributes: { id: 'f', password: 's3cr3t-3' }, sensitive: ['password'] },
        },
        { kept: '1', moved: '2', constructor: '1' },
      ),
    ]);
    const changed = (attributes: unknown[]) => [{ address: 'test_thing.web', attributes }];
    expect(await get(state, 'versions/1/diff/2')).toEqual({
      added: ['test_thing.fresh'],
      changed: changed([
        { path: 'tags.Name', before: 'old', after: 'new' },
        { path: 'tags.Team', after: 't' },
        { path: 'ports[1]', before: 81 },
        { path: 'login.password', sensitive: true },
      ]),
      removed: ['test_thing.gone'],
      outputs: { added: ['constructor'], changed: ['moved'], removed: ['dropped'] },
    });
    expect(await get(state, 'versions/2/diff/1')).toMatchObject({
      added: ['test_thing.gone'],
      removed: ['test_thing.fresh'],
    });
    expect(await get(state, 'versions/2/diff/2')).toEqual({
      added: [],
      changed: [],
      removed: [],
      outputs: { added: [], changed: [], removed: [] },
    });
    for (const path of ['versions/1/diff/2', 'versions/2/diff/1'])
      expect(JSON.stringify(await get(state, path))).not.toContain('s3cr3t');
  });

  it('cannot be compared where an instance stands twice, in either direction', async () => {
    const once = document(1, { a: { attributes: { v: 1 } } });
    const twice = JSON.parse(once.toString()) as { serial: number; resources: { instances: unknown[] }[] };
    twice.serial = 2;
    twice.resources[0]?.instances.push({ attributes: { v: 2 } });
    const state = await aHistory([once, Buffer.from(JSON.stringify(twice, null, 2))]);
    for (const path of ['versions/1/diff/2', 'versions/2/diff/1']) {
      const answer = await backend.api('GET', `/states/${state.id}/${path}`);
      expect([path, answer.status, answer.json()]).toEqual([
        path,
        400,
        { id: 'INVALID_STATE', data: expect.stringMatching(/could not be decomposed: .*more than once/) },
      ]);
    }
  });

  it('show the first of what differs when asked to, and count the rest', async () => {
    const things = (id: string) =>
      Object.fromEntries(['e', 'b', 'd', 'a', 'c'].map((name) => [name, { attributes: { id } }]));
    const state = await aHistory([document(1, things('x')), document(2, things('y'))]);
    const row = (name: string) => ({
      address: `test_thing.${name}`,
      attributes: [{ path: 'id', before: 'x', after: 'y' }],
    });
    const rest = { added: [], removed: [], outputs: { added: [], changed: [], removed: [] } };
    expect(await get(state, 'versions/1/diff/2')).toEqual({
      ...rest,
      changed: ['a', 'b', 'c', 'd', 'e'].map(row),
    });
    expect(await get(state, 'versions/1/diff/2?limit=2')).toEqual({
      ...rest,
      changed: [row('a'), row('b')],
      more_changed: 3,
    });
    for (const limit of ['0', 'x'])
      expect((await backend.api('GET', `/states/${state.id}/versions/1/diff/2?limit=${limit}`)).status).toBe(
        400,
      );
  });

  it('do not show the password of a remote state nor what it has read in a difference', async () => {
    const remote = (serial: number, password: string) =>
      Buffer.from(
        JSON.stringify({
          version: 4,
          serial,
          lineage: 'one',
          outputs: {},
          resources: [
            {
              mode: 'data',
              type: 'terraform_remote_state',
              name: 'net',
              provider: 'provider["terraform.io/builtin/terraform"]',
              instances: [
                {
                  schema_version: 0,
                  attributes: {
                    backend: 'http',
                    config: { value: { address: 'http://u:pw-in-address@h/', password } },
                    outputs: { value: { db: `${password}-read` }, type: ['object', { db: 'string' }] },
                  },
                  sensitive_attributes: [],
                },
              ],
            },
          ],
        }),
      );
    const state = await aHistory([remote(1, 's3cr3t-1'), remote(2, 's3cr3t-2')]);
    const difference = await get(state, 'versions/1/diff/2');
    expect(JSON.stringify(difference)).not.toMatch(/s3cr3t|pw-in-address/);
    expect(difference).toMatchObject({
      changed: [{ attributes: [{ path: 'outputs.value.db', sensitive: true }] }],
    });
    const instances = await backend.api('GET', `/states/${state.id}/instances`);
    expect(instances.bytes.toString()).not.toMatch(/s3cr3t|pw-in-address/);
  });

  it('roll forward on restore: the old content with the next serial and the same lineage', async () => {
    const first = document(1, { a: { attributes: { id: 'one' } } }, { o: '1' });
    const state = await aHistory([first, document(6, { b: { attributes: { id: 'two' } } })]);
    const restored = await backend.api('POST', `/states/${state.id}/versions/1/restore`);
    expect([restored.status, restored.json()]).toEqual([
      200,
      { state_id: state.id, serial: 7, version: 3, result: 'stored', tx_id: any },
    ]);
    const now = await send(state.address, { key: backend.key });
    expect(now.json()).toEqual({ ...(JSON.parse(first.toString()) as object), serial: 7 });
    expect(now.headers['content-md5']).toBe(md5(now.bytes));
    expect(await get(state, 'versions')).toMatchObject({
      results: [{ version: 3, serial: 7, origin: 'restore' }, { version: 2 }, { version: 1 }],
    });
    const audit = await backend.service.pool.query<{ data: unknown }>(
      `SELECT data FROM audit_entries WHERE action = 'state.restore' AND object_id = $1`,
      [state.id],
    );
    expect(audit.rows).toEqual([{ data: { from_serial: 1, serial: 7 } }]);
  });

  it('make a run refuse that began before a restore and touches what it brought back', async () => {
    const state = await aHistory([
      document(1, { a: { attributes: { id: 'one' } } }),
      document(2, { a: { attributes: { id: 'two' } } }),
    ]);
    const client = new BackendClient(state.address, backend.key);
    await client.get();
    await backend.api('POST', `/states/${state.id}/versions/1/restore`);
    const refused = await client.post(document(3, { a: { attributes: { id: 'three' } } }));
    expect([refused.status, refused.json()]).toEqual([409, { id: 'TX_CONFLICT', data: any }]);
    client.close();
  });

  it('share the chunks of content that goes and comes back', async () => {
    const state = await backend.aState();
    const texts = ['x', 'y', 'x', 'z', 'y'];
    const chunks = async () => {
      const { rows } = await backend.service.pool.query<{ hash: string; place: string }>(
        `SELECT encode(hash, 'hex') AS hash, ctid::text AS place FROM state_chunks WHERE state_id = $1 AND kind <> 0`,
        [state.id],
      );
      return new Map(rows.map(({ hash, place }) => [hash, place]));
    };
    const counts: number[] = [];
    for (const [index, id] of texts.entries()) {
      const before = await chunks();
      const bytes = document(index + 1, { a: { attributes: { id } } });
      const client = new BackendClient(state.address, backend.key);
      expect((await client.post(bytes)).status).toBe(200);
      expect((await client.get()).bytes.equals(bytes)).toBe(true);
      client.close();
      const after = await chunks();
      expect([...after].filter(([hash]) => before.has(hash))).toEqual([...before]);
      counts.push(after.size);
      const { results } = (await get(state, 'instances')) as { results: { attributes: unknown }[] };
      expect(results.map(({ attributes }) => attributes)).toEqual([{ id }]);
    }
    expect(counts).toEqual([1, 2, 2, 3, 3]);
    const restored = await backend.api('POST', `/states/${state.id}/versions/1/restore`);
    expect([restored.status, (await chunks()).size]).toEqual([200, 3]);
  });

  it('vanish with their state, and everything else of it', async () => {
    const state = await aHistory([
      document(1, { a: { attributes: { id: 'x' } } }, { o: '1' }),
      document(2, { b: { attributes: { id: 'y' } } }),
    ]);
    const client = new BackendClient(state.address, backend.key);
    await client.post(
      document(9, { b: { attributes: { id: 'z' } } })
        .toString()
        .replace('"one"', '"another"'),
    );
    await client.lock({ ID: 'held' });
    const { rows: tables } = await backend.service.pool.query<{ table_name: string }>(
      `SELECT table_name FROM information_schema.columns WHERE table_schema = 'public' AND column_name = 'state_id'
         AND table_name <> 'security_losses' ORDER BY 1`, // a note for the next scan, which deletes it
    );
    expect(tables.map((row) => row.table_name)).toEqual(
      expect.arrayContaining([
        'instances',
        'outputs',
        'resources',
        'state_bases',
        'state_changes',
        'state_chunks',
        'state_locks',
        'state_submissions',
        'state_versions',
      ]),
    );
    const deleted = await backend.api('DELETE', `/states/${state.id}`);
    expect([deleted.status, deleted.json()]).toEqual([200, { id: state.id, deleted: true }]);
    for (const { table_name: table } of tables) {
      const left = await backend.service.pool.query(`SELECT 1 FROM ${table} WHERE state_id = $1`, [state.id]);
      expect([table, left.rowCount]).toEqual([table, 0]);
    }
    expect((await backend.api('GET', `/states/${state.id}`)).status).toBe(404);
    expect((await backend.api('DELETE', `/states/${state.id}`)).status).toBe(404);
    client.close();
  });

  it('makes way, when it is deleted, for a state that takes its place meanwhile', async () => {
    const state = await backend.aState();
    await send(state.address, { method: 'LOCK', key: backend.key, body: '{"ID":"held"}' });
    const { pool } = backend.service;
    const waiting = async (count: number) => {
      const waits = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      while (((await pool.query(waits)).rowCount ?? 0) < count);
    };
    // The deletion stops in its middle, at what hangs on the state.
    const holder = await pool.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT FROM state_locks WHERE state_id = $1 FOR UPDATE', [state.id]);
    const deleting = backend.api('DELETE', `/states/${state.id}`);
    await waiting(1);
    const place = { name: 'another', group_id: state.groupId, workspace: state.workspace };
    const creating = backend.api('POST', `/tenants/${backend.tenantId}/states`, { body: place });
    await waiting(2);
    await holder.query('COMMIT');
    holder.release();
    expect([(await deleting).status, (await creating).status]).toEqual([200, 201]);
  });
});

describe('Creating, importing and listing states', () => {
  let backend: TestBackend;

  beforeAll(async () => {
    backend = await aBackend();
  });
  afterAll(() => backend.stop());

  const view = (name: string, over: object = {}) => ({
    id: any,
    name,
    group_id: any,
    workspace: 'default',
    created_at: any,
    tenant_id: backend.tenantId,
    serial: 0,
    lineage: any,
    updated_at: any,
    format: 'empty',
    version: 0,
    instances: 0,
    resources: 0,
    ...over,
  });

  it('creates a state with a group of its own, and refuses the same pair in whatever tenant', async () => {
    const created = await backend.api('POST', `/tenants/${backend.tenantId}/states`, {
      body: { name: 'network' },
    });
    expect([created.status, created.json()]).toEqual([201, view('network')]);
    const { group_id } = created.json() as { group_id: string };
    const other = await backend.aTenant();
    for (const tenant of [backend.tenantId, other]) {
      for (const body of [
        { name: 'again', group_id },
        { name: 'again', group_id: group_id.toUpperCase(), workspace: 'default' },
      ]) {
        const taken = await backend.api('POST', `/tenants/${tenant}/states`, { body });
        expect([taken.status, taken.json()]).toEqual([409, { id: 'STATE_EXISTS', data: any }]);
      }
      const imported = await backend.api('POST', `/tenants/${tenant}/states/import`, {
        body: { name: 'again', group_id, state: { version: 4, serial: 1, lineage: 'l' } },
      });
      expect([imported.status, imported.json()]).toEqual([409, { id: 'STATE_EXISTS', data: any }]);
      // Nor can another tenant take a further workspace of the group.
      const further = await backend.api('POST', `/tenants/${tenant}/states`, {
        body: { name: 'again', group_id, workspace: `of ${tenant}` },
      });
      expect(further.status).toBe(tenant === other ? 409 : 201);
      const brought = await backend.api('POST', `/tenants/${tenant}/states/import`, {
        body: {
          name: 'again',
          group_id,
          workspace: 'brought',
          state: { version: 4, serial: 1, lineage: 'l' },
        },
      });
      expect(brought.status).toBe(tenant === other ? 409 : 201);
    }
    expect(
      (
        await backend.api('POST', `/tenants/${backend.tenantId}/states`, {
          body: { name: 'network', group_id, workspace: 'staging' },
        })
      ).status,
    ).toBe(201);
  });

  it('goes to exactly one of many who import it at once, and the others hear that it is taken', async () => {
    const group_id = randomUUID();
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        backend.api('POST', `/tenants/${backend.tenantId}/states/import`, {
          body: { name: 'once', group_id, state: { version: 4, serial: 1, lineage: `l${index}` } },
        }),
      ),
    );
    const taken = answers.filter(({ status }) => status !== 201);
    expect(taken.map((answer) => [answer.status, answer.json()])).toEqual(
      Array.from({ length: 7 }, () => [409, { id: 'STATE_EXISTS', data: any }]),
    );
  });

  it('imports a document and keeps every token of it', async () => {
    const state =
      '{ "version": 4,\t"serial": 12, "lineage": "l", "terraform_version":"1.5.0", "outputs": {"o": {"value": 9007199254740993.10, "type": "number"}},\r\n "resources": [], "x": "\\u003c\\ud800" }';
    const group = randomUUID();
    const body = `{"tags": {"a": [1, {}]}, "workspace": "imported", "state": ${state} , "name": "old \\u00fc", "group_id": "${group}"}`;
    const imported = await send(`${backend.url}/api/v1/tenants/${backend.tenantId}/states/import`, {
      method: 'POST',
      key: backend.key,
      body,
      headers: { 'content-type': 'application/json' },
    });
    expect([imported.status, imported.json()]).toEqual([
      201,
      view('old ü', {
        group_id: group,
        workspace: 'imported',
        serial: 12,
        version: 1,
        lineage: 'l',
        format: 'terraform',
        terraform_version: '1.5.0',
      }),
    ]);
    const target = stateOf(backend.url, imported.json() as Record<string, string>);
    const { results } = (await backend.api('GET', `/states/${target.id}/versions`)).json() as {
      results: { tx_id: string }[];
    };
    const { tx } = (await backend.api('GET', `/tx/${results[0]?.tx_id}`)).json() as { tx: { tags: unknown } };
    expect(tx.tags).toEqual({ a: [1, {}] });
    for (const answer of [
      await send(target.address, { key: backend.key }),
      await backend.api('GET', `/states/${target.id}/export`),
    ]) {
      expect([answer.status, answer.bytes.toString()]).toEqual([200, state]);
    }
  });

  it('exports the same empty document as the backend for a state that was never written', async () => {
    const state = await backend.aState();
    expect(
      (await backend.api('GET', `/states/${state.id}/export`)).bytes.equals(
        (await send(state.address, { key: backend.key })).bytes,
      ),
    ).toBe(true);
  });

  it('lists the states of one tenant in pages, each once', async () => {
    const tenant = await backend.aTenant();
    const made = [];
    for (let index = 0; index < 7; index++)
      made.push((await backend.aState({ tenant_id: tenant, name: `s${index}` })).id);
    const seen: string[][] = [];
    let page: string | undefined = '';
    while (page !== undefined) {
      const answer = await backend.api(
        'GET',
        `/tenants/${tenant}/states?limit=3&q=ignored&tz=UTC${page ? `&page=${encodeURIComponent(page)}` : ''}`,
      );
      expect(answer.status).toBe(200);
      const body = answer.json() as { results: { id: string }[]; next_page?: string };
      seen.push(body.results.map((state) => state.id));
      expect(/rel="?next"?/.test(String(answer.headers.link ?? ''))).toBe(body.next_page !== undefined);
      page = body.next_page;
    }
    expect(seen.map((ids) => ids.length)).toEqual([3, 3, 1]);
    expect(seen.flat().sort()).toEqual(made.sort());
    expect(
      ((await backend.api('GET', `/tenants/${tenant}/states`)).json() as { results: unknown[] }).results,
    ).toHaveLength(7);
    const stranger = await backend.api('GET', `/tenants/${tenant}/states`, {
      key: (await backend.aUser()).key,
    });
    expect(stranger.status).toBe(200);
  });
});

describeWith('terraform', 'The real client after a restore', () => {
  let backend: TestBackend;

  beforeAll(async () => {
    backend = await aBackend();
  });
  afterAll(() => backend.stop());

  it('plans what has to be done again, applies it and has nothing left to do', async () => {
    const state = await backend.aState();
    const main = (names: string[]) =>
      names.map((name) => `resource "terraform_data" "${name}" {\n  input = "${name}"\n}\n`).join('');
    const workspace = new TerraformWorkspace({
      'backend.tf': backendBlock(state.address, backend.key),
      'main.tf': main(['a']),
    });
    await workspace.run(['init']);
    await workspace.run(['apply', '-auto-approve']);
    workspace.write({ 'main.tf': main(['a', 'b']) });
    await workspace.run(['apply', '-auto-approve']);
    expect((await backend.api('POST', `/states/${state.id}/versions/1/restore`)).status).toBe(200);
    expect(await workspace.run(['plan', '-no-color'])).toContain(
      'Plan: 1 to add, 0 to change, 0 to destroy.',
    );
    await workspace.run(['apply', '-auto-approve']);
    expect(await workspace.run(['plan', '-no-color'])).toContain('No changes.');
    expect((await workspace.run(['state', 'list'])).trim().split('\n')).toEqual([
      'terraform_data.a',
      'terraform_data.b',
    ]);
    workspace.remove();
  });
});
