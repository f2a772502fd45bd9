import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { gzipSync } from 'node:zlib';
import { aBackend } from '../support/backend.js';
import { aLine, BillingEstate, focusCsv, type Source } from '../support/billing.js';
import { eventually } from '../support/estate.js';
import { killWhileBlocked } from '../support/held-lock.js';
import { type HeldAt, HeldStore } from '../support/held-store.js';
import { loseQueues } from '../support/lost-queues.js';
import { childrenOf, isAlive } from '../support/processes.js';

describe('Syncs that meet trouble', () => {
  let store: HeldStore;
  let estate: BillingEstate;
  beforeAll(async () => {
    store = await HeldStore.start();
    store.content = focusCsv([aLine({ BilledCost: '7' }), aLine({ BilledCost: '8' })]);
    estate = await BillingEstate.create((env) => aBackend({ env }), {
      SERVICE_BILLING_S3_ENDPOINT: store.url,
      AWS_ACCESS_KEY_ID: 'a',
      AWS_SECRET_ACCESS_KEY: 'b',
      SERVICE_BILLING_MAX_SYNC_SIZE: '8m',
    });
  }, 120_000);
  afterAll(async () => {
    store.release();
    await estate.stop();
    await store.stop();
  });
  afterEach(() => store.release());

  const total = async (tenantId: string): Promise<string> =>
    (await estate.api<{ total_cost: string }>('GET', `/tenants/${tenantId}/costs/attribution`)).total_cost;
  const start = (
    tenantId: string,
    id: string,
  ): Promise<{ status: string; task: { id: string; state: string } }> =>
    estate.api('POST', `/tenants/${tenantId}/billing-sources/${id}/sync`, {});
  const ended = (taskId: string): Promise<{ state: string; error?: string }> =>
    eventually('the task', async () => {
      const task = await estate.api<{ state: string; error?: string }>('GET', `/tasks/${taskId}`);
      return ['completed', 'failed', 'aborted'].includes(task.state) ? task : undefined;
    });
  const held = async (): Promise<void> => {
    await eventually('the store is asked', async () => Promise.resolve(store.held > 0 ? true : undefined));
  };
  /** Folders of the worker that runs now; others run tests of their own. */
  const folders = (): string[] =>
    readdirSync(tmpdir()).filter((name) =>
      name.startsWith(`infrastate-billing-${estate.worker.process.pid}-`),
    );

  async function aHeldSync(
    at: HeldAt = 'object',
  ): Promise<{ tenantId: string; source: Source; taskId: string }> {
    const tenantId = await estate.backend.aTenant();
    const source = await estate.aSource(tenantId, 's3://bills/**');
    store.hold(at);
    const { task } = await start(tenantId, source.id);
    await held();
    return { tenantId, source, taskId: task.id };
  }

  it('are one sync for several requests', async () => {
    const { tenantId, source, taskId } = await aHeldSync();
    expect(await start(tenantId, source.id)).toEqual({
      status: 'queued',
      task: { id: taskId, state: 'running' },
    });
    expect((await estate.source(tenantId, source.id)).last_status).toBe('running');
    expect(folders()).toHaveLength(1);
    store.release();
    expect(await ended(taskId)).toMatchObject({ state: 'completed' });
    expect(await total(tenantId)).toBe('15.00');
    await eventually('no folder is left', async () =>
      Promise.resolve(folders().length === 0 ? true : undefined),
    );
    const next = await start(tenantId, source.id);
    expect(next.task.id).not.toBe(taskId);
    await ended(next.task.id);
    expect(await total(tenantId)).toBe('15.00');
  });

  it('store nothing for a source that was deleted meanwhile', async () => {
    const { tenantId, source, taskId } = await aHeldSync();
    await estate.api('DELETE', `/tenants/${tenantId}/billing-sources/${source.id}`);
    store.release();
    expect(await ended(taskId)).toMatchObject({ state: 'failed', error: 'BILLING_SYNC_FAILED' });
    expect(await total(tenantId)).toBe('0');
    const { rowCount } = await estate.backend.service.pool.query(
      'SELECT FROM billing_rows WHERE tenant_id = $1',
      [tenantId],
    );
    expect(rowCount).toBe(0);
  });

  it('store nothing for a source that points elsewhere meanwhile', async () => {
    const { tenantId, source, taskId } = await aHeldSync();
    await estate.api('PUT', `/tenants/${tenantId}/billing-sources/${source.id}`, {
      source_uri: 's3://bills/b.csv',
    });
    store.release();
    expect(await ended(taskId)).toMatchObject({ state: 'failed' });
    expect(await estate.source(tenantId, source.id)).toMatchObject({
      last_status: 'error',
      last_error: 'the source was changed or deleted while it was synced',
    });
    expect(await total(tenantId)).toBe('0');
  });

  it.each([
    ['lists the files', 'listing'],
    ['waits for the last file', 'object'],
    ['is inside of the last file', 'half of an object'],
  ] as const)(
    'are done again by another worker when theirs is killed while it %s, without a line twice',
    async (_, at) => {
      store.objects.set('b.csv', focusCsv([aLine({ BilledCost: '0.5' }), aLine({ BilledCost: '0.25' })]));
      try {
        const { tenantId, source, taskId } = await aHeldSync(at);
        const left = folders();
        expect(left).toHaveLength(1);
        await killAndLose();
        store.release();
        await estate.worker.restart();
        expect(await ended(taskId)).toMatchObject({ state: 'completed' });
        expect(await estate.source(tenantId, source.id)).toMatchObject({
          last_status: 'ok',
          last_row_count: 4,
        });
        expect(await leftOf(tenantId)).toMatchObject({
          attribution: { total_cost: '15.75', line_count: 4 },
          rows: [{ n: 4 }],
        });
        expect(readdirSync(tmpdir())).not.toEqual(expect.arrayContaining(left));
      } finally {
        store.objects.delete('b.csv');
      }
    },
    180_000,
  );

  /** Nobody was seen at the killed worker's tasks for long, and the queues forget them. */
  async function killAndLose(): Promise<void> {
    const { pool } = estate.backend.service;
    await estate.worker.kill9();
    await loseQueues(pool);
    await pool.query("UPDATE tasks SET seen_at = now() - interval '1 hour' WHERE state = 'running'");
  }

  /** In the order in which a load writes them; the first one is locked by its row. */
  it.each([
    'billing_sources',
    'billing_rows',
    'billed_resources',
    'billed_resource_ids',
    'billing_attributions',
  ])(
    'change nothing when their worker is killed before %s is written',
    async (table) => {
      const { pool } = estate.backend.service;
      const tenantId = await estate.backend.aTenant();
      const { id } = await estate.aSource(tenantId, 's3://bills/**');
      await estate.sync(tenantId, id);
      const before = await leftOf(tenantId);
      expect(before).toMatchObject({ attribution: { total_cost: '15.00' }, rows: [{ n: 2 }] });
      const content = store.content;
      store.hold();
      store.content = focusCsv([aLine({ BilledCost: '100' }), aLine({ BilledCost: '20' }), aLine()]);
      try {
        const { task } = await start(tenantId, id);
        await held();
        const lock =
          table === 'billing_sources'
            ? { text: 'SELECT FROM billing_sources WHERE id = $1 FOR UPDATE', values: [id] }
            : { text: `LOCK TABLE ${table} IN EXCLUSIVE MODE` };
        await killWhileBlocked({ pool, kill9: () => estate.worker.kill9() }, lock, async () => {
          store.release();
          await Promise.resolve();
        });
        expect(await leftOf(tenantId)).toEqual(before);
        expect(await estate.source(tenantId, id)).toMatchObject({ last_row_count: 2 });
        await killAndLose();
        await estate.worker.restart();
        // The same task, done again from its beginning.
        expect(await ended(task.id)).toMatchObject({ state: 'completed' });
        expect(await estate.source(tenantId, id)).toMatchObject({ last_status: 'ok', last_row_count: 3 });
        expect(await leftOf(tenantId)).toMatchObject({
          attribution: { total_cost: '121.00' },
          rows: [{ n: 3 }],
        });
      } finally {
        store.content = content;
      }
    },
    180_000,
  );

  /** What a sync leaves for a tenant, however it ends. */
  async function leftOf(tenantId: string): Promise<unknown> {
    const rows = async (sql: string) =>
      (await estate.backend.service.pool.query<object>(sql, [tenantId])).rows;
    return {
      attribution: await estate.api('GET', `/tenants/${tenantId}/costs/attribution`),
      rows: await rows('SELECT count(*)::int AS n FROM billing_rows WHERE tenant_id = $1'),
      resources: await rows(
        'SELECT resource_id, billed_cost, line_count FROM billed_resources WHERE tenant_id = $1 ORDER BY 1',
      ),
      ids: await rows('SELECT id FROM billed_resource_ids WHERE tenant_id = $1 ORDER BY 1'),
    };
  }

  it('end the reading process with their worker', async () => {
    const { taskId } = await aHeldSync();
    const [reader] = childrenOf(estate.worker.process.pid ?? 0);
    expect(reader).toBeDefined();
    await estate.worker.kill9();
    await eventually('the end of the reader', async () =>
      Promise.resolve(isAlive(reader ?? 0) ? undefined : true),
    );
    await estate.backend.service.pool.query(
      `UPDATE tasks SET state = 'failed', finished_at = now() WHERE id = $1`,
      [taskId],
    );
    store.release();
    await estate.worker.restart();
  });

  it('end at a bomb, and leave the worker and the rows before it alone', async () => {
    const tenantId = await estate.backend.aTenant();
    const uri = await estate.folder.write(
      `${tenantId}/bill.csv.gz`,
      gzipSync(focusCsv([aLine({ BilledCost: '3' })])),
    );
    const { id } = await estate.aSource(tenantId, uri);
    expect((await estate.sync(tenantId, id)).last_status).toBe('ok');
    await estate.folder.write(`${tenantId}/bill.csv.gz`, gzipSync(Buffer.alloc(64 * 2 ** 20)));
    const failed = await estate.sync(tenantId, id);
    expect(failed.last_status).toBe('error');
    expect(failed.last_error).toContain(
      'the files exceed SERVICE_BILLING_MAX_SYNC_SIZE (8388608 bytes unpacked)',
    );
    expect(failed).toMatchObject({ last_row_count: 1 });
    expect(await total(tenantId)).toBe('3.00');
    expect(folders()).toEqual([]);
  });

  it.each([
    ['a million columns', `${'a,'.repeat(1_000_000)}b\n`, 'the header is not a line of CSV'],
    [
      'a line without end',
      `BilledCost,BillingCurrency,ChargePeriodStart,ResourceId\n${'1'.repeat(4_000_000)}\n`,
      'line 2: ',
    ],
    ['nothing', '', 'the file is empty'],
  ])('end at a file with %s', async (_, content, message) => {
    const { source } = await estate.loaded(content);
    expect(source.last_status).toBe('error');
    expect(source.last_error).toContain(message);
  });

  it('end at a Parquet footer that lies', async () => {
    const footer = Buffer.alloc(8);
    footer.writeUInt32LE(0x7fffffff, 0);
    footer.write('PAR1', 4);
    const { source } = await estate.loaded(Buffer.concat([Buffer.from('PAR1'), footer]), {
      name: 'bill.parquet',
    });
    expect(source.last_error).toContain('bill.parquet: the file is not a whole Parquet file');
  });
});
