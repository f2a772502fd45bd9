import { randomBytes } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { DeliveriesStore } from '../../src/modules/vcs/webhooks/deliveries.store.js';
import { SealedColumns, Sealing } from '../../src/platform/crypto/index.js';
import { Secrets } from '../../src/platform/crypto/secrets.js';
import { loadConfig } from '../../src/platform/config/index.js';
import { UnitOfWork } from '../../src/platform/database/index.js';
import { connectedSource, freshDatabase, type TestDatabase } from '../support/database.js';

describe('Deliveries that are kept', () => {
  let database: TestDatabase;
  let source: DataSource;
  let store: DeliveriesStore;

  beforeAll(async () => {
    database = await freshDatabase();
    source = await connectedSource(database);
    const config = loadConfig({
      SERVICE_UI_BASE: 'http://localhost',
      DB_HOST: 'x',
      DB_USER: 'x',
      DB_PASS: 'x',
      DB_NAME: 'x',
      SERVICE_ENCRYPTION_KEYS: `test:${randomBytes(32).toString('base64')}`,
    });
    const work = new UnitOfWork(source);
    const sealing = new Sealing(config);
    store = new DeliveriesStore(work, sealing, new SealedColumns(work, sealing), new Secrets());
  });
  afterAll(async () => {
    await source.destroy();
    await database.drop();
  });
  beforeEach(() => database.pool.query('DELETE FROM webhook_deliveries'));

  async function arrived(deliveryId: string, days: number): Promise<string> {
    await store.store([
      {
        ...{ provider: 'github', source: 'app', deliveryId, event: 'push', action: undefined, lane: 'lane' },
        ...{ installationId: undefined, providerInstallationId: undefined, body: Buffer.from('{}') },
      },
    ]);
    const { rows } = await database.pool.query<{ id: string }>(
      `UPDATE webhook_deliveries SET received_at = now() - make_interval(days => $2) WHERE delivery_id = $1 RETURNING id`,
      [deliveryId, days],
    );
    return rows[0]?.id ?? '';
  }

  const kept = async () =>
    (
      await database.pool.query(
        `SELECT delivery_id, state, error, body IS NOT NULL AS has_body FROM webhook_deliveries ORDER BY delivery_id`,
      )
    ).rows;

  it('stay with their bodies for a week while they wait, then they are shown as failed for another one', async () => {
    await arrived('a-waits', 6);
    await store.retry(await arrived('b-fails', 6), { pauseMs: 1_000, isAside: true }, 'INTERNAL_ERROR');
    await store.retry(await arrived('c-failed', 8), { pauseMs: 1_000, isAside: true }, 'INTERNAL_ERROR');
    await arrived('d-never-tried', 8);
    for (let times = 0; times < 2; times += 1) expect(await store.removeOld()).toBe(times === 0 ? 2 : 0);
    expect(await kept()).toEqual([
      { delivery_id: 'a-waits', state: 'received', error: null, has_body: true },
      { delivery_id: 'b-fails', state: 'received', error: 'INTERNAL_ERROR', has_body: true },
      { delivery_id: 'c-failed', state: 'failed', error: 'INTERNAL_ERROR', has_body: false },
      { delivery_id: 'd-never-tried', state: 'failed', error: 'TOO_OLD', has_body: false },
    ]);
    await database.pool.query(
      `UPDATE webhook_deliveries SET processed_at = now() - interval '8 days' WHERE state = 'failed'`,
    );
    await store.removeOld();
    expect((await kept()).map(({ delivery_id }) => delivery_id)).toEqual(['a-waits', 'b-fails']);
  });

  it('lose their bodies after a day and are forgotten after a week once they were worked on', async () => {
    for (const [id, days] of [
      ['a-new', 0],
      ['b-old', 2],
      ['c-older', 8],
    ] as const) {
      await store.finish(await arrived(id, days), 'processed');
      await database.pool.query(
        'UPDATE webhook_deliveries SET processed_at = received_at WHERE delivery_id = $1',
        [id],
      );
    }
    expect(await store.removeOld()).toBe(0);
    expect(await kept()).toMatchObject([
      { delivery_id: 'a-new', has_body: true },
      { delivery_id: 'b-old', has_body: false },
    ]);
  });

  it('postponed deliveries do not delay others, and run after new ones when they are due', async () => {
    const first = await arrived('first', 1);
    await arrived('second', 0);
    await store.retry(first, { pauseMs: 60_000, isAside: false }, 'INTERNAL_ERROR');
    expect(await store.listDueLanes(10)).toEqual([]);
    await store.retry(first, { pauseMs: 60_000, isAside: true }, 'INTERNAL_ERROR');
    expect(await store.listDueLanes(10)).toEqual(['lane']);
    expect(await store.listNext('lane', 16)).toHaveLength(1);
    await database.pool.query(
      `UPDATE webhook_deliveries SET retry_at = now() - interval '1 hour' WHERE id = $1`,
      [first],
    );
    expect(await store.listDueLanes(10)).toEqual(['lane', `aside:${first}`]);
    expect(await store.listNext(`aside:${first}`, 16)).toMatchObject([{ id: first, attempts: 2 }]);
  });
});
