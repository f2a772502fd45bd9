import { aBackend, type TestBackend } from '../support/backend.js';
import { aServer, costsOf, FREE, UNKNOWN } from '../support/costs.js';
import { EstateWriter, eventually } from '../support/estate.js';
import { type RunningService, startService } from '../support/service.js';

const ON = { SERVICE_COST_ENABLED: 'true' };

describe('Pricing in a worker that is killed', () => {
  let backend: TestBackend;
  let worker: RunningService;
  beforeAll(async () => {
    backend = await aBackend({ env: ON });
    worker = await startService({ role: 'worker', database: backend.service.database, env: ON });
  });
  afterAll(async () => {
    await worker.stop();
    await backend.stop();
  });

  const query = async <T extends object>(sql: string, values: unknown[]): Promise<T[]> =>
    (await backend.service.pool.query<T>(sql, values)).rows;

  /** What must hold whenever anybody looks: totals are the sums of the items, and so are the sums that are kept. */
  async function expectInvariants(stateId: string): Promise<void> {
    const [broken] = await query<{ n: number }>(
      `SELECT count(*)::int AS n FROM cost_snapshots c WHERE c.state_id = $1 AND c.kind = 'current' AND (
         c.monthly_cost <> (SELECT coalesce(sum(i.monthly_cost), 0) FROM cost_items i WHERE i.state_id = c.state_id AND i.from_seq <= c.seq
           AND i.until_seq > c.seq AND i.currency = c.currency)
         OR c.resource_count <> (SELECT count(*) FROM cost_items i WHERE i.state_id = c.state_id AND i.from_seq <= c.seq AND i.until_seq > c.seq))`,
      [stateId],
    );
    expect(broken).toEqual({ n: 0 });
    const sums = await query<{ items: string; sums: string; counted: string; count: string }>(
      `SELECT (SELECT coalesce(sum(monthly_cost), 0) FROM cost_items WHERE state_id = $1 AND until_seq = 2147483647) AS items,
         (SELECT coalesce(sum(monthly_cost), 0) FROM cost_sums WHERE state_id = $1 AND dimension = 'r' AND until_day = 'infinity') AS sums,
         (SELECT count(*) FROM cost_items WHERE state_id = $1 AND until_seq = 2147483647) AS counted,
         (SELECT coalesce(sum(resource_count), 0) FROM cost_sums WHERE state_id = $1 AND dimension = 'r' AND until_day = 'infinity') AS count`,
      [stateId],
    );
    expect(Number(sums[0]?.sums)).toBe(Number(sums[0]?.items));
    expect(sums[0]?.count).toBe(sums[0]?.counted);
  }

  it('leaves nothing half done, and is made up for', async () => {
    const writer = new EstateWriter(backend, await backend.aState());
    const { id } = writer.state;
    for (let round = 1; round <= 6; round++) {
      const servers = Array.from({ length: 40 * round }, (_, index) =>
        aServer(`s${index}`, index % 7 === round ? { instance_type: 'm5.xlarge' } : {}),
      );
      await writer.write([...servers, FREE, UNKNOWN]);
      // Somewhere between the commit of the write and that of the snapshot.
      await new Promise((resolve) => setTimeout(resolve, round * 15));
      await worker.kill9();
      await expectInvariants(id);
      await worker.restart();
    }
    const costs = await costsOf(backend, id, ({ resource_count: count }) => count === 242);
    await expectInvariants(id);
    const [fresh] = await query<{ snapshot_id: string }>(
      'SELECT snapshot_id FROM cost_states WHERE state_id = $1',
      [id],
    );
    const started = await backend.api('POST', `/states/${id}/costs/calculate`);
    expect(started.status).toBe(202);
    const again = await costsOf(backend, id, ({ snapshot_id: snapshot }) => snapshot !== fresh?.snapshot_id);
    expect(again.instance_costs).toEqual(costs.instance_costs);
    expect(again.monthly_cost).toBe(costs.monthly_cost);
  }, 180_000);

  it('ends with the state that is deleted meanwhile', async () => {
    const writer = new EstateWriter(backend, await backend.aState());
    const { id } = writer.state;
    await writer.write(Array.from({ length: 200 }, (_, index) => aServer(`s${index}`)));
    expect((await backend.api('DELETE', `/states/${id}`)).status).toBeLessThan(300);
    await eventually('pricing to end', async () => {
      const rows = await query(
        'SELECT 1 FROM pg_stat_activity WHERE wait_event_type = $1 AND datname = current_database()',
        ['Lock'],
      );
      return rows.length === 0 ? true : undefined;
    });
    for (const table of ['cost_items', 'cost_links', 'cost_states', 'cost_snapshots'])
      expect(await query(`SELECT 1 FROM ${table} WHERE state_id = $1`, [id])).toEqual([]);
  });
});
