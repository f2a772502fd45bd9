import { aBackend, type TestBackend } from '../support/backend.js';
import { aServer, costsOf, FREE, UNKNOWN } from '../support/costs.js';
import { rounds } from '../support/endurance.js';
import { EstateWriter, eventually } from '../support/estate.js';
import { killWhileBlocked } from '../support/held-lock.js';
import { loseQueues } from '../support/lost-queues.js';
import { type RunningService, startService } from '../support/service.js';

const ON = { SERVICE_COST_ENABLED: 'true', SERVICE_SECURITY: 'off' };
const DAY_MS = 86_400_000;
const ROUNDS = rounds(1, 12);

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
    for (let round = 1; round <= ROUNDS; round++) {
      const servers = Array.from({ length: 40 * round }, (_, index) =>
        aServer(`s${index}`, index % 7 === round % 7 ? { instance_type: 'm5.xlarge' } : {}),
      );
      await writer.write([...servers, FREE, UNKNOWN]);
      // Somewhere between the commit of the write and that of the snapshot.
      await new Promise((resolve) => setTimeout(resolve, (round % 7) * 15));
      await worker.kill9();
      await expectInvariants(id);
      await worker.restart();
    }
    const costs = await costsOf(backend, id, ({ resource_count: count }) => count === 40 * ROUNDS + 2);
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

  interface Taken {
    seq: number;
    triggered_by: string;
    monthly: string;
    day: string;
  }
  const snapshotsOf = (stateId: string): Promise<Taken[]> =>
    query<Taken>(
      `SELECT seq, triggered_by, trim_scale(monthly_cost)::text AS monthly, (calculated_at AT TIME ZONE 'UTC')::date::text AS day
       FROM cost_snapshots WHERE state_id = $1 ORDER BY seq`,
      [stateId],
    );

  /** A state that was priced yesterday, of a tenant of its own. */
  async function pricedYesterday(): Promise<{ writer: EstateWriter; tenantId: string; yesterday: string }> {
    const tenantId = await backend.aTenant();
    const writer = new EstateWriter(backend, await backend.aState({ tenant_id: tenantId }));
    const { id } = writer.state;
    await writer.write([aServer('first')]);
    await costsOf(backend, id, ({ resource_count: count }) => count === 1);
    const { pool } = backend.service;
    const moved = `- interval '25 hours'`;
    await pool.query(`UPDATE cost_snapshots SET calculated_at = calculated_at ${moved} WHERE state_id = $1`, [
      id,
    ]);
    await pool.query(`UPDATE cost_states SET snapshot_at = snapshot_at ${moved} WHERE state_id = $1`, [id]);
    const [snapshot] = await snapshotsOf(id);
    const yesterday = snapshot?.day ?? '';
    await pool.query('UPDATE cost_sums SET from_day = $2 WHERE state_id = $1', [id, yesterday]);
    await pool.query('UPDATE cost_changes SET day = $2 WHERE tenant_id = $1', [tenantId, yesterday]);
    return { writer, tenantId, yesterday };
  }

  async function history(tenantId: string, from: string): Promise<(string | undefined)[]> {
    const path = `/tenants/${tenantId}/costs/history?from=${from}T00:00:00Z`;
    const { points } = (await backend.api('GET', path)).json() as {
      points: { date: string; monthly_cost?: string }[];
    };
    const days = Math.round((Date.parse(points.at(-1)?.date ?? '') - Date.parse(from)) / DAY_MS) + 1;
    expect(points.map(({ date }) => date)).toEqual(
      Array.from({ length: days }, (_, day) =>
        new Date(Date.parse(from) + day * DAY_MS).toISOString().slice(0, 10),
      ),
    );
    return points.map(({ monthly_cost: cost }) => cost);
  }

  /** In the order in which a snapshot writes them. */
  it.each(['cost_items', 'cost_sums', 'cost_changes', 'cost_snapshots'])(
    'takes the snapshot of a write once when the worker is killed before %s is written',
    async (table) => {
      const { writer, tenantId, yesterday } = await pricedYesterday();
      const { id } = writer.state;
      const { pool } = backend.service;
      const before = await snapshotsOf(id);
      const lock = { text: `LOCK TABLE ${table} IN EXCLUSIVE MODE` };
      await killWhileBlocked({ pool, kill9: () => worker.kill9() }, lock, () =>
        writer.write([aServer('first'), aServer('second')]),
      );
      await loseQueues(pool);
      expect(await snapshotsOf(id)).toEqual(before);
      await expectInvariants(id);
      await worker.restart();
      await costsOf(backend, id, ({ resource_count: count }) => count === 2);
      expect(await snapshotsOf(id)).toMatchObject([
        { seq: 1, monthly: '70.88', day: yesterday },
        { seq: 2, monthly: '141.76', triggered_by: 'backend_write' },
      ]);
      await expectInvariants(id);
      const costs = await history(tenantId, yesterday);
      expect([costs[0], costs.at(-1)]).toEqual(['70.88', '141.76']);
    },
    180_000,
  );

  it('keeps the links of a snapshot once when the worker is killed before they are written', async () => {
    const { pool } = backend.service;
    const writer = new EstateWriter(backend, await backend.aState());
    const { id } = writer.state;
    const template = (size: string) => ({
      type: 'aws_launch_template',
      name: 'web',
      attributes: { id: 'lt-1', name: 'web', instance_type: size },
    });
    const machine = aServer('linked', { instance_type: null, launch_template: [{ id: 'lt-1' }] });
    const linksOf = () =>
      query<{ role: string; n: number }>(
        'SELECT role::text AS role, count(*)::int AS n FROM cost_links WHERE state_id = $1 GROUP BY 1 ORDER BY 1',
        [id],
      );
    const lock = { text: 'LOCK TABLE cost_links IN EXCLUSIVE MODE' };
    await killWhileBlocked({ pool, kill9: () => worker.kill9() }, lock, () =>
      writer.write([template('m5.large'), machine]),
    );
    await loseQueues(pool);
    expect(await linksOf()).toEqual([]);
    expect(await snapshotsOf(id)).toEqual([]);
    await worker.restart();
    await costsOf(backend, id, ({ monthly_cost: cost }) => cost === '70.88');
    const links = await linksOf();
    expect(links).toContainEqual({ role: 'a', n: 1 });
    // Lost links would leave the machine at its old price, for ever.
    await killWhileBlocked({ pool, kill9: () => worker.kill9() }, lock, () =>
      writer.write([template('m5.xlarge'), machine]),
    );
    await loseQueues(pool);
    expect(await linksOf()).toEqual(links);
    await worker.restart();
    await costsOf(backend, id, ({ monthly_cost: cost }) => cost === '140.96');
    expect(await linksOf()).toEqual(links);
    expect((await snapshotsOf(id)).map(({ seq, monthly }) => [seq, monthly])).toEqual([
      [1, '70.88'],
      [2, '140.96'],
    ]);
    await expectInvariants(id);
  }, 180_000);

  it('loses no day and takes none twice when the worker is killed during the daily snapshot', async () => {
    const { pool } = backend.service;
    const { writer, tenantId, yesterday } = await pricedYesterday();
    const { id } = writer.state;
    await worker.kill9();
    await loseQueues(pool);
    const lock = { text: 'LOCK TABLE cost_snapshots IN EXCLUSIVE MODE' };
    await killWhileBlocked({ pool, kill9: () => worker.kill9() }, lock, () => worker.restart());
    expect(await snapshotsOf(id)).toHaveLength(1);
    for (let start = 0; start < 2; start++) {
      // The second one finds the day taken.
      await loseQueues(pool);
      await worker.restart();
      await costsOf(backend, id, ({ triggered_by: by }) => by === 'scheduled');
      if (start === 0) await worker.kill9();
    }
    const other = new EstateWriter(backend, await backend.aState());
    await other.write([aServer('later')]);
    await costsOf(backend, other.state.id, ({ resource_count: count }) => count === 1);
    expect(await snapshotsOf(id)).toMatchObject([
      { seq: 1, day: yesterday, monthly: '70.88' },
      { seq: 2, triggered_by: 'scheduled', monthly: '70.88' },
    ]);
    await expectInvariants(id);
    expect(new Set(await history(tenantId, yesterday))).toEqual(new Set(['70.88']));
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
