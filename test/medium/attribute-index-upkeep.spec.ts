import type { DataSource } from 'typeorm';
import { AttributeIndexUpkeep } from '../../src/modules/graph/instances/attribute-index-upkeep.job.js';
import { UnitOfWork } from '../../src/platform/database/index.js';
import { connectedSource, freshDatabase, type TestDatabase } from '../support/database.js';

const RUN = { id: 'run', attempt: 1, lastAttempt: true };

describe('The index on attributes', () => {
  let database: TestDatabase;
  let source: DataSource;

  beforeAll(async () => {
    database = await freshDatabase();
    source = await connectedSource(database);
  });
  afterAll(async () => {
    await source.destroy();
    await database.drop();
  });

  async function insert(count: number): Promise<void> {
    await database.pool.query(
      `INSERT INTO instances (state_id, key, tenant_id, address, resource_address, mode, type, name, provider, create_before_destroy, attributes, hash)
       SELECT gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'a.b', 'a.b', 'managed', 'a', 'b', 'p', false, jsonb_build_object('n', n), ''
       FROM generate_series(1, $1) n`,
      [count],
    );
  }

  /** Pages of the waiting list, which this sorts in. */
  async function waiting(): Promise<number> {
    const { rows } = await database.pool.query<{ pages: string }>(
      `SELECT gin_clean_pending_list('instances_by_attributes') AS pages`,
    );
    return Number(rows[0]?.pages);
  }

  it('has nothing waiting after its upkeep, and finds what waited', async () => {
    await insert(500);
    expect(await waiting()).toBeGreaterThan(0);
    await insert(500);
    await new AttributeIndexUpkeep(new UnitOfWork(source)).sort({}, RUN);
    expect(await waiting()).toBe(0);
    const client = await database.pool.connect();
    try {
      await client.query('SET enable_seqscan = off');
      const { rows } = await client.query<{ n: string }>(
        `SELECT count(*) AS n FROM instances WHERE attributes @> '{"n": 7}'`,
      );
      expect(rows).toEqual([{ n: '2' }]);
    } finally {
      client.release();
    }
  });
});
