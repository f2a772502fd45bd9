import { createHash, randomUUID } from 'node:crypto';
import { Writable } from 'node:stream';
import fc from 'fast-check';
import type { Response } from 'express';
import type { DataSource } from 'typeorm';
import { type CloudProvider, CloudIds } from '../../src/modules/cloud-ids/index.js';
import { GapComparison } from '../../src/modules/gaps/comparison/gap-comparison.queries.js';
import { GapInventoryStore } from '../../src/modules/gaps/inventory/gap-inventory.store.js';
import { sendComparison } from '../../src/modules/gaps/comparison/gap-response.js';
import { GapScansStore, type ScanAttempt } from '../../src/modules/gaps/inventory/gap-scans.store.js';
import { InventoryWriter } from '../../src/modules/gaps/scanning/inventory-writer.js';
import type { Events } from '../../src/platform/events/index.js';
import { Secrets } from '../../src/platform/crypto/secrets.js';
import { UnitOfWork } from '../../src/platform/database/index.js';
import { Clock } from '../../src/platform/time/clock.js';
import { connectedSource, freshDatabase, type TestDatabase } from '../support/database.js';
import { lookAlikes, type Thing, THINGS } from '../support/gap-things.js';
import type { GapResult } from '../support/gaps.js';

const PROVIDERS: readonly CloudProvider[] = ['aws', 'gcp', 'azure'];
const STATES = 3;

/** What happens to an estate, by numbers of things and states. */
type Step =
  | { kind: 'write'; state: number; things: number[] }
  | { kind: 'delete'; state: number }
  | { kind: 'scan'; things: number[] };

const someThings = fc.subarray(THINGS.map((_, at) => at));
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('write' as const),
        state: fc.nat(STATES - 1),
        things: someThings,
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), state: fc.nat(STATES - 1) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('scan' as const), things: someThings }) },
  ),
  { minLength: 1, maxLength: 6 },
);

describe('The comparison of an inventory with the states', () => {
  let database: TestDatabase;
  let source: DataSource;
  let work: UnitOfWork;
  let scans: GapScansStore;
  let inventory: GapInventoryStore;
  let cloudIds: CloudIds;
  let version = 0;
  beforeAll(async () => {
    database = await freshDatabase();
    source = await connectedSource(database);
    work = new UnitOfWork(source);
    scans = new GapScansStore(work, new Secrets(), new Clock());
    inventory = new GapInventoryStore(work, scans);
    cloudIds = new CloudIds(work, { publish: async () => undefined } as unknown as Events);
  });
  afterAll(async () => {
    await source.destroy();
    await database.drop();
  });

  async function aTenant(): Promise<string> {
    const id = randomUUID();
    await database.pool.query('INSERT INTO tenants (id, name) VALUES ($1, $2)', [id, id]);
    return id;
  }

  async function aState(tenantId: string): Promise<string> {
    const { rows } = await database.pool.query<{ id: string }>(
      `INSERT INTO states (tenant_id, name, group_id, lineage) VALUES ($1, 'a state', gen_random_uuid(), 'one') RETURNING id`,
      [tenantId],
    );
    return rows[0]?.id ?? '';
  }

  /** Leaves the rows that a write of these things leaves, with others that only look like the rest. */
  async function write(tenantId: string, stateId: string, things: readonly Thing[]): Promise<void> {
    version += 1;
    const managed = things.map((thing) => ({
      ...thing.managedAs,
      mode: 'managed',
      deposed: null as string | null,
    }));
    const rest = THINGS.filter((thing) => !things.includes(thing)).flatMap(lookAlikes);
    const { pool } = database;
    const { rows: old } = await pool.query<{ key: string }>(
      'DELETE FROM instances WHERE state_id = $1 RETURNING key',
      [stateId],
    );
    const added = new Set<string>();
    for (const [at, { type, attributes, mode, deposed }] of [...managed, ...rest].entries()) {
      const address = `${mode}.${type}.r${at}.${deposed ?? ''}`;
      const key = uuidOf(address);
      added.add(key);
      await pool.query(
        `INSERT INTO instances (state_id, key, tenant_id, address, resource_address, mode, type, name, provider, deposed,
           create_before_destroy, attributes, hash, since) VALUES ($1, $2, $3, $4, $4, $5, $6, 'x', 'p', $7, false, $8, $9, $10)`,
        [
          stateId,
          key,
          tenantId,
          address,
          mode,
          type,
          deposed,
          JSON.stringify(attributes),
          Buffer.alloc(32),
          version,
        ],
      );
    }
    for (const { key } of old)
      if (!added.has(key))
        await pool.query(
          `INSERT INTO state_changes (state_id, version, key, op, address, tx_id, run_id) VALUES ($1, $2, $3, 'r', 'x', $4, $4)`,
          [stateId, version, key, randomUUID()],
        );
    await pool.query('UPDATE states SET version = $2 WHERE id = $1', [stateId, version]);
    await cloudIds.update(stateId);
  }

  /** One scan, whose pages overlap, and each of which is written by an attempt that goes on with the rows of the one before. */
  async function scan(tenantId: string, provider: CloudProvider, things: readonly Thing[]): Promise<void> {
    const of = { tenantId, provider };
    const taskId = randomUUID();
    await work.run(async () => {
      expect(await scans.claim(of, await scans.find(of))).toBe(true);
      await scans.assignTask(of, taskId);
    });
    const begin = async (): Promise<ScanAttempt> => {
      const begun = await scans.beginAttempt(of, taskId);
      if (!begun) throw new Error('no attempt');
      return begun;
    };
    let attempt = await begin();
    const listed = things.filter((thing) => thing.provider === provider).map((thing) => thing.listed);
    for (const [at, page] of [listed.slice(0, 4), listed.slice(2), listed].entries()) {
      const position = { listing: 'all', page: String(at) };
      const writer = new InventoryWriter(inventory, attempt);
      await writer.add([...page, ...page], position);
      await writer.flush();
      const older = new InventoryWriter(inventory, attempt);
      attempt = await begin();
      if (page.length === 0) continue;
      expect(attempt.from).toEqual(position);
      await older.add(page, position);
      await expect(older.flush()).rejects.toMatchObject({ id: 'GAP_SCAN_SUPERSEDED' });
    }
    await work.run(async () => {
      expect(await scans.publish(attempt)).toBe(true);
    });
  }

  async function compared(tenantId: string, provider: CloudProvider): Promise<GapResult> {
    const found = await scans.find({ tenantId, provider });
    if (!found) throw new Error('no scan');
    let text = '';
    const response = new Writable({
      write: (part: Buffer, _encoding, done) => {
        text += part.toString();
        done();
      },
    });
    const typed = Object.assign(response, { type: () => response }) as unknown as Response;
    await sendComparison(
      new GapComparison(work),
      { tenantId, provider },
      { response: typed, scan: found, isFresh: true },
    );
    return JSON.parse(text) as GapResult;
  }

  /** The same by a loop over things. */
  function naive(
    provider: CloudProvider,
    listed: ReadonlySet<number>,
    states: readonly (readonly number[])[],
  ) {
    const things = [...listed]
      .map((at) => ({ at, thing: THINGS[at] }))
      .filter(({ thing }) => thing?.provider === provider);
    const isManaged = (at: number): boolean => states.some((state) => state.includes(at));
    const managed = things.filter(({ at }) => isManaged(at));
    const others = things.filter(({ at }) => !isManaged(at));
    const byService: Record<string, number> = {};
    for (const { thing } of managed) {
      const service = thing?.listed.service ?? '';
      byService[service] = (byService[service] ?? 0) + 1;
    }
    const unmanaged = others
      .filter(({ thing }) => thing?.isPhantom !== true)
      .map(({ thing }) => thing?.listed.id ?? '');
    return {
      total: things.length,
      managed: byService,
      phantoms: others.length - unmanaged.length,
      unmanaged: unmanaged.sort(),
    };
  }

  it('equals one by a loop, whatever is scanned, written, forgotten and deleted', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (list) => {
        const [tenantId, neighbour] = [await aTenant(), await aTenant()];
        // The neighbour manages everything, and that must not matter.
        await write(neighbour, await aState(neighbour), THINGS);
        const ids = await Promise.all(Array.from({ length: STATES }, () => aState(tenantId)));
        const states: number[][] = ids.map(() => []);
        let listed = new Set(THINGS.keys());
        for (const provider of PROVIDERS) await scan(tenantId, provider, THINGS);
        for (const step of list) {
          if (step.kind === 'scan') {
            listed = new Set(step.things);
            for (const provider of PROVIDERS)
              await scan(
                tenantId,
                provider,
                step.things.flatMap((at) => THINGS[at] ?? []),
              );
          } else if (step.kind === 'write') {
            states[step.state] = step.things;
            await write(
              tenantId,
              ids[step.state] ?? '',
              step.things.flatMap((at) => THINGS[at] ?? []),
            );
          } else {
            states[step.state] = [];
            await database.pool.query('DELETE FROM states WHERE id = $1', [ids[step.state]]);
            ids[step.state] = await aState(tenantId);
          }
        }
        for (const provider of PROVIDERS) {
          const { summary, unmanaged_resources } = await compared(tenantId, provider);
          expect({
            total: summary.total_cloud_resources,
            managed: summary.managed_by_service,
            phantoms: summary.phantom_filtered,
            unmanaged: unmanaged_resources.map(({ id }) => id).sort(),
          }).toEqual(naive(provider, listed, states));
          expect(summary.unmanaged).toBe(unmanaged_resources.length);
        }
      }),
      { numRuns: 15, endOnFailure: true },
    );
  }, 300_000);

  it('is whole when it is too large to be held in memory', async () => {
    const tenantId = await aTenant();
    const ids = Array.from(
      { length: 6_000 },
      (_, at) => `arn:aws:sns:eu-west-1:111111111111:${'t'.repeat(40)}-${String(at).padStart(6, '0')}`,
    );
    const [first] = THINGS;
    if (!first) throw new Error('no thing');
    const topics = ids.map((id) => ({ ...first, listed: { id, service: 'sns', resourceType: 'sns:topic' } }));
    await scan(tenantId, 'aws', topics);
    const { summary, unmanaged_resources } = await compared(tenantId, 'aws');
    expect(summary).toMatchObject({ total_cloud_resources: 6_000, unmanaged: 6_000, phantom_filtered: 0 });
    expect(unmanaged_resources.map(({ id }) => id)).toEqual(ids);
    expect(JSON.stringify(unmanaged_resources).length).toBeGreaterThan(1024 * 1024);
  });

  it('is in the order of service, type and id', async () => {
    const tenantId = await aTenant();
    await scan(tenantId, 'aws', [...THINGS].reverse());
    const { unmanaged_resources } = await compared(tenantId, 'aws');
    const keys = unmanaged_resources.map(
      ({ resource_type, id }) => `${resource_type.split(':')[0]} ${resource_type} ${id}`,
    );
    expect(keys).toEqual([...keys].sort());
    expect(keys.length).toBeGreaterThan(10);
  });
});

function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
