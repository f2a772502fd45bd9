import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { aBackend, type Answer, send, type TestBackend } from '../support/backend.js';
import { TransactionClient } from '../support/transactions.js';

const MIB = 1024 * 1024;
const MAX_PAGE = 8 * MIB;

interface Page {
  results: { idx?: number; data: unknown }[];
  next_page?: string;
}

/** What a list answers is bounded in bytes, whatever its rows hold. */
describe('Pages of large rows', () => {
  let backend: TestBackend;
  let txId: string;

  beforeAll(async () => {
    backend = await aBackend();
  });
  afterAll(() => backend.stop());
  beforeEach(async () => {
    txId = await new TransactionClient(backend).create();
  });

  const variable = (name: string, length: number): unknown => ({
    action: 'tfvar_set',
    object_type: 'tfvar',
    data: { file: 'a.tfvars', name, data: 'x'.repeat(length) },
  });

  function append(entries: readonly unknown[]): Promise<Answer> {
    const body = gzipSync(JSON.stringify(entries));
    return send(`${backend.url}/api/v1/tx/${txId}/logs/append`, {
      method: 'POST',
      body,
      headers: {
        authorization: `Bearer ${backend.key}`,
        'content-type': 'application/json',
        'content-encoding': 'gzip',
      },
    });
  }

  async function pagesOf(path: string): Promise<{ pages: Page[]; sizes: number[] }> {
    const pages: Page[] = [];
    const sizes: number[] = [];
    for (let token: string | undefined = ''; token !== undefined;) {
      const answer = await backend.api('GET', `${path}${token === '' ? '' : `&page=${token}`}`);
      expect(answer.status).toBe(200);
      sizes.push(answer.bytes.length);
      pages.push(answer.json() as Page);
      token = pages.at(-1)?.next_page;
    }
    return { pages, sizes };
  }

  /** What tells the rows of a list apart, over all of its pages. */
  async function idsOf(path: string): Promise<{ ids: unknown[]; sizes: number[] }> {
    const ids: unknown[] = [];
    const sizes: number[] = [];
    for (let next: string | undefined = ''; next !== undefined;) {
      const answer = await backend.api('GET', `${path}${next}`);
      expect(answer.status).toBe(200);
      sizes.push(answer.bytes.length);
      const { results, entries, next_page, next_cursor } = answer.json() as {
        results?: { id?: string; version?: number }[];
        entries?: { id?: string; version?: number }[];
        next_page?: string;
        next_cursor?: string | null;
      };
      ids.push(...(results ?? entries ?? []).map(({ id, version }) => id ?? version));
      next = next_page === undefined ? undefined : `&page=${next_page}`;
      if (typeof next_cursor === 'string') next = `&cursor=${next_cursor}`;
    }
    return { ids, sizes };
  }

  it('pages of a log end at 8 MiB, and together have every entry', async () => {
    const names = Array.from({ length: 20 }, (_, index) => `v${index}`);
    expect((await append(names.map((name) => variable(name, MIB)))).status).toBe(200);
    const { pages, sizes } = await pagesOf(`/tx/${txId}/logs?limit=10000`);
    const shown = pages.flatMap(({ results }) => results.map(({ data }) => (data as { name: string }).name));
    expect(shown).toEqual(names);
    expect(Math.max(...sizes)).toBeLessThan(MAX_PAGE + 100_000);
    expect(pages).toHaveLength(3);
  });

  it('pages of a log have at least one entry, however large', async () => {
    expect((await append([variable('a', 10 * MIB), variable('b', 10 * MIB)])).status).toBe(200);
    const { pages } = await pagesOf(`/tx/${txId}/logs?limit=10000`);
    expect(pages.map(({ results }) => results.length)).toEqual([1, 1]);
  });

  it('pages of an output and of planned operations end at 8 MiB', async () => {
    const pool = backend.service.pool;
    await pool.query(
      `INSERT INTO transaction_output (tx_id, idx, data) SELECT $1, i, repeat('x', 4 * 1024 * 1024) FROM generate_series(0, 4) i`,
      [txId],
    );
    const outputs = await pagesOf(`/tx/${txId}/output?limit=1000`);
    expect(outputs.pages.map(({ results }) => results.map(({ idx }) => idx))).toEqual([[0, 1], [2, 3], [4]]);
    const state = await backend.aState();
    await pool.query(
      `INSERT INTO transaction_plan_operations (tx_id, state_id, key, address, operation)
       SELECT $1, $2, gen_random_uuid(), 'a.' || lpad(i::text, 10000, '0'), 'create' FROM generate_series(1, 1000) i`,
      [txId, state.id],
    );
    const operations = await pagesOf(`/tx/${txId}/plan-operations?limit=1000`);
    expect(operations.pages.flatMap(({ results }) => results)).toHaveLength(1000);
    expect(Math.max(...operations.sizes)).toBeLessThan(MAX_PAGE + 100_000);
  });

  it.each([
    [
      'states',
      (tenantId: string) => `/tenants/${tenantId}/states?limit=1000`,
      `INSERT INTO states (id, tenant_id, name, group_id, workspace, lineage)
       SELECT gen_random_uuid(), $1, 'a', gen_random_uuid(), 'default', repeat('x', 1000000) FROM generate_series(1, 20)`,
    ],
    [
      'transactions',
      (tenantId: string) => `/tenants/${tenantId}/tx?limit=1000`,
      `INSERT INTO transactions (id, tenant_id, kind, state, tags)
       SELECT gen_random_uuid(), $1, 'plan', 'open', jsonb_build_object('a', repeat('x', 1000000)) FROM generate_series(1, 20)`,
    ],
    [
      'audit_entries',
      (tenantId: string) => `/tenants/${tenantId}/audit?limit=1000`,
      `INSERT INTO audit_entries (created_at, action, object_type, tenant_id, data)
       SELECT now(), 'a', 'b', $1, jsonb_build_object('a', repeat('x', 1000000)) FROM generate_series(1, 20)`,
    ],
  ])('of %s end at 8 MiB, and together have every row once', async (table, pathOf, insert) => {
    const tenantId = await backend.aTenant();
    await backend.service.pool.query(insert, [tenantId]);
    const { rows: kept } = await backend.service.pool.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM ${table} WHERE tenant_id = $1`,
      [tenantId],
    );
    const { ids, sizes } = await idsOf(pathOf(tenantId));
    expect(kept).toEqual([{ n: new Set(ids).size }]);
    expect(ids).toHaveLength(new Set(ids).size);
    expect(Math.max(...sizes)).toBeLessThan(MAX_PAGE + 100_000);
  });

  it.each([
    [
      'versions',
      `INSERT INTO state_versions (state_id, version, serial, lineage, format, crc32, size, chunks, frame, origin, tx_id, run_id)
       SELECT $1, i, i, repeat('x', 1000000), 'terraform', 0, 1, '', '{}', 'backend', gen_random_uuid(), gen_random_uuid()
       FROM generate_series(1, 20) i`,
    ],
    [
      'submissions',
      `INSERT INTO state_submissions (id, state_id, status, serial, lineage, format, md5, crc32, size, chunks, frame, tx_id, run_id, conflicts_with)
       SELECT gen_random_uuid(), $1, 'refused', i, 'l', 'terraform', '', 0, 1, '', '{}', gen_random_uuid(), gen_random_uuid(),
         array_fill(gen_random_uuid(), ARRAY[30000]) FROM generate_series(1, 20) i`,
    ],
  ])('of %s of a state end at 8 MiB, and together have every row once', async (list, insert) => {
    const state = await backend.aState();
    await backend.service.pool.query(insert, [state.id]);
    const { ids, sizes } = await idsOf(`/states/${state.id}/${list}?limit=1000`);
    expect(new Set(ids).size).toBe(20);
    expect(ids).toHaveLength(20);
    expect(Math.max(...sizes)).toBeLessThan(MAX_PAGE + 100_000);
  });

  it('entries beyond 128 MiB of a log are refused, and nothing of them is stored', async () => {
    await backend.service.pool.query(
      `INSERT INTO transaction_logs (tx_id, id, action, object_type, data)
       SELECT $1, gen_random_uuid(), 'refresh', 'refresh', to_jsonb(repeat('x', 12 * 1024 * 1024)) FROM generate_series(1, 10)`,
      [txId],
    );
    const statuses: number[] = [];
    for (let time = 0; time < 3; time++) statuses.push((await append([variable('a', 4 * MIB)])).status);
    expect(statuses).toEqual([200, 413, 413]);
    const { rows } = await backend.service.pool.query<{ n: number }>(
      'SELECT count(*)::int AS n FROM transaction_logs WHERE tx_id = $1',
      [txId],
    );
    expect(rows).toEqual([{ n: 11 }]);
  });

  it('are not needed for the result of a task: it is sent fragment by fragment', async () => {
    const { id } = (await backend.api('POST', '/tasks')).json() as { id: string };
    await backend.service.pool.query(
      `INSERT INTO task_results (task_id, idx, data) SELECT $1, i, CASE i WHEN 0 THEN '[' WHEN 6 THEN '1]' ELSE repeat('1,', 2097152) END
       FROM generate_series(0, 6) i`,
      [id],
    );
    const whole = await backend.api('GET', `/tasks/${id}/result`);
    expect((whole.json() as unknown[]).length).toBe(5 * 2097152 + 1);
    expect((await backend.api('GET', `/tasks/${id}/result?idx=6`)).bytes.toString()).toBe('1]');
    expect((await backend.api('GET', `/tasks/${id}/result?idx=7`)).status).toBe(404);
    expect((await backend.api('GET', `/tasks/${randomUUID()}/result`)).status).toBe(404);
  });

  it('entries with thousands of sensitive paths are masked', async () => {
    const names = Array.from({ length: 10_000 }, (_, index) => `m${index}`);
    const state = await backend.aState();
    const instance = {
      action: 'state_set',
      object_type: 'instance',
      state_id: state.id,
      data: {
        resource_address: 'a_b.c',
        address: 'a_b.c',
        mode: 'managed',
        type: 'a_b',
        name: 'c',
        module: '',
        provider: 'provider["registry.terraform.io/hashicorp/a"]',
        attributes: Object.fromEntries(names.map((name) => [name, 'secret'])),
        sensitive_attributes: names.map((name) => [{ type: 'get_attr', value: name }]),
      },
    };
    const appended = await append([instance]);
    expect([appended.status, appended.json()]).toEqual([200, { appended: 1 }]);
    const { pages } = await pagesOf(`/tx/${txId}/logs?limit=10`);
    expect(JSON.stringify(pages)).not.toContain('"secret"');
  });
});
