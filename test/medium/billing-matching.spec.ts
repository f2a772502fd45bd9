import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { lookupIdsOf } from '../../src/modules/cloud-ids/index.js';
import { SpendMatchingJobs } from '../../src/modules/billing/spend/spend-matching.job.js';
import { SpendMatching } from '../../src/modules/billing/spend/spend-matching.store.js';
import type { SpendSum } from '../../src/modules/billing/spend/spend-sums.rules.js';
import type { Config } from '../../src/platform/config/index.js';
import { UnitOfWork } from '../../src/platform/database/index.js';
import type { Jobs, JobRun } from '../../src/platform/queue/index.js';
import { connectedSource, freshDatabase, type TestDatabase } from '../support/database.js';

const ROUNDS = 12;
/** Ids as states have them, and as bills may spell them. */
const IDS = Array.from({ length: 12 }, (_, number) =>
  number % 2 === 0
    ? {
        provider: 'aws',
        id: `i-${String(number).padStart(17, '0')}`,
        billed: `i-${String(number).padStart(17, '0')}`,
      }
    : {
        provider: 'azure',
        id: `/subscriptions/s/resourcegroups/g/providers/x/vm${number}`,
        billed: `/subscriptions/S/resourceGroups/G/providers/X/VM${number}`,
      },
);

describe('The match of bills and instances', () => {
  let database: TestDatabase;
  let source: DataSource;
  let work: UnitOfWork;
  let matching: SpendMatching;
  let tenants: string[];
  let states: { id: string; tenantId: string }[];

  beforeAll(async () => {
    database = await freshDatabase();
    source = await connectedSource(database);
    work = new UnitOfWork(source);
    matching = new SpendMatching(work);
    tenants = [randomUUID(), randomUUID()];
    states = [];
    for (const tenantId of tenants) {
      await database.pool.query('INSERT INTO tenants (id, name) VALUES ($1, $2)', [tenantId, tenantId]);
      const billing = randomUUID();
      await database.pool.query(
        `INSERT INTO billing_sources (id, tenant_id, provider, source_uri, window_months, enabled, named_by_operator, created_at, updated_at)
         VALUES ($1, $2, 'aws', 's3://b/a', 2, true, true, now(), now())`,
        [billing, tenantId],
      );
      for (let number = 0; number < 3; number++) {
        const id = randomUUID();
        states.push({ id, tenantId });
        await database.pool.query(
          `INSERT INTO states (id, tenant_id, name, group_id, workspace, lineage) VALUES ($1, $2, $3, gen_random_uuid(), 'default', '')`,
          [id, tenantId, `state ${number}`],
        );
      }
      for (const { provider, billed } of [
        ...IDS,
        { provider: 'aws', billed: '' },
        { provider: 'oracle', billed: IDS[0]?.billed ?? '' },
      ])
        await database.pool.query(
          `INSERT INTO billed_resources (source_id, tenant_id, provider, resource_id, currency, billed_cost, line_count, first_date,
             last_date, region_id, resource_type, service_name, summed_at)
           VALUES ($1, $2, $3, $4, 'USD', 1, 1, '2026-01-01', '2026-01-01', '', '', '', now())`,
          [billing, tenantId, provider, billed],
        );
      await work.run(async () => {
        await matching.lockTenant(tenantId);
        await matching.rematchAll(tenantId);
      });
    }
  });
  afterAll(async () => {
    await source.destroy();
    await database.drop();
  });

  /** What is stored for a tenant: state and address by provider and billed id. */
  async function matched(tenantId: string): Promise<Record<string, string>> {
    const { rows } = await database.pool.query<{ name: string; at: string }>(
      `SELECT provider || ' ' || resource_id AS name, coalesce(state_id::text || ' ' || address, 'nobody') AS at
       FROM billed_resources WHERE tenant_id = $1`,
      [tenantId],
    );
    return Object.fromEntries(rows.map(({ name, at }) => [name, at]));
  }

  /** The same from nothing: the first instance by state and address that has the id. */
  async function naive(tenantId: string): Promise<Record<string, string>> {
    const { rows } = await database.pool.query<{
      provider: string;
      id: string;
      state_id: string;
      address: string;
      is_part: boolean;
    }>('SELECT provider, id, state_id, address, is_part FROM cloud_ids WHERE tenant_id = $1', [tenantId]);
    const of = (provider: 'aws' | 'azure', billed: string): string => {
      const ids = lookupIdsOf(provider, billed);
      const holders = rows
        .filter((row) => row.provider === provider && ids.includes(row.id))
        .map((row) => `${row.is_part ? 'z' : 'a'}${row.state_id} ${row.address}`)
        .sort();
      return holders[0]?.slice(1) ?? 'nobody';
    };
    return Object.fromEntries([
      ...IDS.map(({ provider, billed }) => [
        `${provider} ${billed}`,
        of(provider === 'aws' ? 'aws' : 'azure', billed),
      ]),
      ['aws ', 'nobody'],
      [`oracle ${IDS[0]?.billed}`, 'nobody'],
    ]) as Record<string, string>;
  }

  /** The parts of the attribution as they are kept for reads: cost and lines by provider. */
  async function storedParts(tenantId: string): Promise<unknown> {
    const { rows } = await database.pool.query<{ sums: SpendSum[] }>(
      'SELECT sums FROM billing_attributions WHERE tenant_id = $1',
      [tenantId],
    );
    return rows[0]?.sums.map((sum) => ({
      provider: sum.provider,
      attributed: Number(sum.attributed),
      unmanaged: Number(sum.unmanaged),
      unallocated: Number(sum.unallocated),
    }));
  }

  async function naiveParts(tenantId: string): Promise<unknown> {
    const holders = Object.entries(await naive(tenantId));
    return ['aws', 'azure', 'oracle'].map((provider) => {
      const own = holders.filter(([name]) => name.startsWith(`${provider} `));
      const unallocated = own.filter(([name]) => name === `${provider} `).length;
      const attributed = own.filter(([, holder]) => holder !== 'nobody').length;
      return { provider, attributed, unallocated, unmanaged: own.length - attributed - unallocated };
    });
  }

  it('after random writes is what it would be from nothing, for each tenant on its own', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const state = states[Math.floor(Math.random() * states.length)];
      const chosen = IDS[Math.floor(Math.random() * IDS.length)];
      if (!state || !chosen) throw new Error('nothing to choose from');
      await work.run(async () => {
        const removed = await work.query<{ id: string }>(
          'DELETE FROM cloud_ids WHERE state_id = $1 AND random() < 0.3 RETURNING id',
          [state.id],
        );
        await work.query(
          `INSERT INTO cloud_ids (state_id, key, id, tenant_id, provider, address, is_part)
             VALUES ($1, gen_random_uuid(), $2, $3, $4, $5, random() < 0.5)`,
          [state.id, chosen.id, state.tenantId, chosen.provider, `x.${randomUUID()}`],
        );
        await matching.markChanged(state.tenantId, [...removed.map(({ id }) => id), chosen.id]);
      });
      await work.run(() => matching.rematchChanged(state.tenantId));
      for (const tenantId of tenants) {
        expect(await matched(tenantId)).toEqual(await naive(tenantId));
        expect(await storedParts(tenantId)).toEqual(await naiveParts(tenantId));
      }
    }
    expect(
      Object.values(await matched(tenants[0] ?? '')).filter((at) => at !== 'nobody').length,
    ).toBeGreaterThan(0);
  });

  it('makes the ids of all billed resources again at a change after the rules were raised', async () => {
    const [tenantId = ''] = tenants;
    const ids = async () =>
      (
        await database.pool.query<{ id: string }>(
          'SELECT id FROM billed_resource_ids WHERE tenant_id = $1 ORDER BY id',
          [tenantId],
        )
      ).rows;
    const before = await ids();
    await database.pool.query('UPDATE billing_attributions SET matcher = matcher - 1 WHERE tenant_id = $1', [
      tenantId,
    ]);
    await database.pool.query(`UPDATE billed_resource_ids SET id = 'as before ' || id WHERE tenant_id = $1`, [
      tenantId,
    ]);
    await work.run(() => matching.markChanged(tenantId, ['i-0']));
    await work.run(() => matching.rematchChanged(tenantId));
    expect(await ids()).toEqual(before);
    expect(await matched(tenantId)).toEqual(await naive(tenantId));
    expect(await storedParts(tenantId)).toEqual(await naiveParts(tenantId));
  });

  it('moves the sums of what changed, also when a state was deleted in between', async () => {
    const [tenantId = ''] = tenants;
    const { rows } = await database.pool.query<{ state_id: string }>(
      'SELECT DISTINCT state_id FROM billed_resources WHERE tenant_id = $1 AND state_id IS NOT NULL LIMIT 1',
      [tenantId],
    );
    expect(rows).toHaveLength(1);
    await database.pool.query('DELETE FROM states WHERE id = $1', [rows[0]?.state_id]);
    await database.pool.query('UPDATE billing_attributions SET sums = NULL WHERE tenant_id = $1', [tenantId]);
    // The first match adds up while deleted ones wait, the second one moves.
    for (let round = 0; round < 2; round++) {
      await work.run(() => matching.markChanged(tenantId, ['i-0']));
      await work.run(() => matching.rematchChanged(tenantId));
      expect(await matched(tenantId)).toEqual(await naive(tenantId));
      expect(await storedParts(tenantId)).toEqual(await naiveParts(tenantId));
    }
  });

  it('is due after a state was deleted, and right again once it is done', async () => {
    const { rows } = await database.pool.query<{ state_id: string; tenant_id: string }>(
      'SELECT state_id, tenant_id FROM billed_resources WHERE state_id IS NOT NULL LIMIT 1',
    );
    const [held] = rows;
    if (!held) throw new Error('nothing was matched');
    await database.pool.query('DELETE FROM states WHERE id = $1', [held.state_id]);
    expect(await matching.dueTenants(10)).toContain(held.tenant_id);
    await work.run(async () => {
      await matching.lockTenant(held.tenant_id);
      await matching.rematchAll(held.tenant_id);
    });
    expect(await matched(held.tenant_id)).toEqual(await naive(held.tenant_id));
    expect(await matching.dueTenants(10)).toEqual([]);
  });

  describe('whose job was lost', () => {
    let isOn = true;
    let jobs: SpendMatchingJobs;
    beforeAll(() => {
      const config = { get: () => isOn } as unknown as Config;
      jobs = new SpendMatchingJobs(config, work, {} as Jobs, matching);
    });
    const sweep = (): Promise<void> => jobs.sweep({}, {} as JobRun);

    async function expectCurrent(): Promise<void> {
      expect(await matching.dueTenants(10)).toEqual([]);
      for (const tenantId of tenants) {
        expect(await matched(tenantId)).toEqual(await naive(tenantId));
        expect(await storedParts(tenantId)).toEqual(await naiveParts(tenantId));
      }
    }

    /** A write that gave an instance of the tenant an id that was billed and that nobody has. */
    async function gainedId(tenantId: string, address: string): Promise<string> {
      const state = randomUUID();
      await database.pool.query(
        `INSERT INTO states (id, tenant_id, name, group_id, workspace, lineage) VALUES ($1, $2, 'late', gen_random_uuid(), 'default', '')`,
        [state, tenantId],
      );
      const known = await matched(tenantId);
      const free = IDS.find(({ provider, billed }) => known[`${provider} ${billed}`] === 'nobody');
      if (free === undefined) throw new Error('every id has an instance');
      await database.pool.query(
        `INSERT INTO cloud_ids (state_id, key, id, tenant_id, provider, address, is_part) VALUES ($1, gen_random_uuid(), $2, $3, $4, $5, false)`,
        [state, free.id, tenantId, free.provider, address],
      );
      await work.run(() => matching.markChanged(tenantId, [free.id]));
      return state;
    }

    beforeEach(async () => {
      await database.pool.query('DELETE FROM cloud_ids');
      await database.pool.query('INSERT INTO billing_rematches (tenant_id) SELECT unnest($1::uuid[])', [
        tenants,
      ]);
      await sweep();
      await expectCurrent();
    });

    it('is done by the sweep after a write, a deletion and new rules, for every tenant', async () => {
      const [one = '', two = ''] = tenants;
      const state = await gainedId(one, 'x.late');
      await gainedId(two, 'x.late');
      expect((await matching.dueTenants(10)).sort()).toEqual([...tenants].sort());
      await sweep();
      await expectCurrent();
      expect(Object.values(await matched(one))).toContain(`${state} x.late`);

      // Nothing is marked by a deletion: what is left without its state tells.
      await database.pool.query('DELETE FROM states WHERE id = $1', [state]);
      expect(await matching.dueTenants(10)).toEqual([one]);
      await sweep();
      await expectCurrent();
      expect(Object.values(await matched(one))).not.toContain(`${state} x.late`);

      await database.pool.query(
        'UPDATE billing_attributions SET matcher = matcher - 1 WHERE tenant_id = $1',
        [two],
      );
      await database.pool.query(
        `UPDATE billed_resource_ids SET id = 'as before ' || id WHERE tenant_id = $1`,
        [two],
      );
      expect(await matching.dueTenants(10)).toEqual([two]);
      await sweep();
      await expectCurrent();
    });

    it('goes on with the other tenants when one cannot be matched', async () => {
      const [one = '', two = ''] = tenants;
      for (const tenantId of tenants) await gainedId(tenantId, 'x.after');
      for (const [broken, whole] of [
        [one, two],
        [two, one],
      ] as const) {
        await database.pool.query('INSERT INTO billing_rematches (tenant_id) VALUES ($1)', [whole]);
        await database.pool.query(`CREATE FUNCTION refuse_tenant() RETURNS trigger LANGUAGE plpgsql AS
          'BEGIN IF NEW.tenant_id = ''${broken}'' THEN RAISE ''broken''; END IF; RETURN NEW; END';
          CREATE TRIGGER refuse_tenant BEFORE INSERT OR UPDATE ON billing_attributions FOR EACH ROW EXECUTE FUNCTION refuse_tenant()`);
        await database.pool.query('INSERT INTO billing_rematches (tenant_id) VALUES ($1)', [broken]);
        await sweep();
        await database.pool.query('DROP FUNCTION refuse_tenant() CASCADE');
        expect(await matching.dueTenants(10)).toEqual([broken]);
        await sweep();
        await expectCurrent();
      }
    });

    it('waits while costs are switched off', async () => {
      const [one = ''] = tenants;
      await gainedId(one, 'x.off');
      isOn = false;
      await sweep();
      expect(await matching.dueTenants(10)).toEqual([one]);
      isOn = true;
      await sweep();
      await expectCurrent();
    });
  });

  it('takes turns with a load of the same tenant', async () => {
    const [tenantId = ''] = tenants;
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    let isLocked: () => void = () => undefined;
    const locked = new Promise<void>((resolve) => (isLocked = resolve));
    const load = work.run(async () => {
      await matching.lockTenant(tenantId);
      isLocked();
      await held;
      return 'load';
    });
    await locked;
    const order: string[] = [];
    const rematch = work.run(() => matching.rematchChanged(tenantId)).then(() => order.push('rematch'));
    const waiting = await waitForLock(database);
    order.push('load');
    release();
    await Promise.all([load, rematch]);
    expect([waiting, order]).toEqual([true, ['load', 'rematch']]);
  });
});

async function waitForLock(database: TestDatabase): Promise<boolean> {
  for (let attempt = 0; attempt < 1_000; attempt++) {
    const { rowCount } = await database.pool.query(
      `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    );
    if (rowCount === 1) return true;
  }
  return false;
}
