import { randomBytes, randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { InstanceQueries } from '../../src/modules/graph/instances/instances.queries.js';
import { LoadedGraphs } from '../../src/modules/graph/topology/loaded-graphs.js';
import { UnitOfWork } from '../../src/platform/database/index.js';
import { connectedSource, freshDatabase, type TestDatabase } from '../support/database.js';

const MIB = 1024 * 1024;
const LARGEST_PAGE = 32 * MIB;

/** Weighs what each statement brings. */
class WeighingWork extends UnitOfWork {
  readonly brought: number[] = [];

  override async query<T>(sql: string, parameters: readonly unknown[] = []): Promise<T[]> {
    const rows = await super.query<T>(sql, parameters);
    this.brought.push(JSON.stringify(rows).length);
    return rows;
  }
}

describe('A page of instances', () => {
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

  /** Instances in the order of their addresses, each with a text of so many characters that does not compress below half. */
  async function aStateOf(sizes: readonly number[]): Promise<string> {
    const stateId = randomUUID();
    for (const [n, size] of sizes.entries())
      await database.pool.query(
        `INSERT INTO instances (state_id, key, tenant_id, address, resource_address, mode, type, name, provider, create_before_destroy, attributes, hash)
         VALUES ($1, gen_random_uuid(), $1, $2, $2, 'managed', 't', 'a', 'p', false, jsonb_build_object('text', $3::text, 'even', $4::boolean), '')`,
        [stateId, addressOf(n), randomBytes(size / 2).toString('hex'), n % 2 === 0],
      );
    return stateId;
  }

  const addressOf = (n: number) => `t.a[${String(n).padStart(3, '0')}]`;

  async function pagesOf(stateId: string, q: string, limit: number, work = new UnitOfWork(source)) {
    const instances = new InstanceQueries(work, new LoadedGraphs(work));
    const pages: { addresses: string[]; size: number }[] = [];
    let token: string | undefined;
    do {
      const { results, next } = await instances.list(stateId, q, limit, token);
      const rows = JSON.parse(results) as { address: string; attributes: { text: string } }[];
      pages.push({ addresses: rows.map(({ address }) => address), size: results.length });
      token = next;
    } while (token !== undefined);
    return pages;
  }

  it.each([
    ['', 1],
    ['attr:even:true', 2],
  ])('reads no more than it may hold, and loses nothing, with q=%j', async (q, each) => {
    const sizes = Array.from({ length: 28 }, (_, n) => (n % 4 === 3 ? 100 : 3 * MIB));
    const stateId = await aStateOf(sizes);
    const work = new WeighingWork(source);
    const pages = await pagesOf(stateId, q, 1000, work);
    expect(pages.flatMap(({ addresses }) => addresses)).toEqual(
      sizes.flatMap((_, n) => (n % each === 0 ? [addressOf(n)] : [])),
    );
    expect(Math.max(...work.brought)).toBeLessThan(LARGEST_PAGE + 4 * MIB);
    expect(pages.length).toBeGreaterThan(1);
    for (const { size } of pages) expect(size).toBeLessThanOrEqual(LARGEST_PAGE);
    for (const { size } of pages.slice(0, -1)) expect(size).toBeGreaterThan(LARGEST_PAGE / 2);
  });

  it('holds one instance at least, however large', async () => {
    const pages = await pagesOf(await aStateOf([33 * MIB, 100, 34 * MIB]), '', 100);
    expect(pages.map(({ addresses }) => addresses)).toEqual([[addressOf(0)], [addressOf(1)], [addressOf(2)]]);
  });

  it('is one statement when no instance is large', async () => {
    const work = new WeighingWork(source);
    const pages = await pagesOf(await aStateOf(Array<number>(100).fill(3000)), '', 100, work);
    expect([pages.length, work.brought.length]).toEqual([1, 1]);
  });
});
