import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import type { Principal } from '../../src/modules/access/index.js';
import { AwsDefaults } from '../../src/modules/gaps/providers/aws-defaults.js';
import { AwsInventory } from '../../src/modules/gaps/providers/aws-inventory.js';
import type { CloudAccess } from '../../src/modules/gaps/settings/cloud-access.js';
import {
  CloudFailure,
  type ScanPart,
  type ScanPosition,
} from '../../src/modules/gaps/clouds/cloud-inventory.js';
import { GapInventoryStore } from '../../src/modules/gaps/inventory/gap-inventory.store.js';
import { GapScansStore } from '../../src/modules/gaps/inventory/gap-scans.store.js';
import { GapScans } from '../../src/modules/gaps/scanning/gap-scans.service.js';
import { ScanInventory } from '../../src/modules/gaps/scanning/scan-inventory.job.js';
import type { TaskRun, Tasks } from '../../src/modules/tasks/index.js';
import type { Config } from '../../src/platform/config/index.js';
import { Secrets } from '../../src/platform/crypto/secrets.js';
import { UnitOfWork } from '../../src/platform/database/index.js';
import { Clock } from '../../src/platform/time/clock.js';
import { anAccount, AwsCloud, awsResource, SERVER_KEY } from '../support/clouds/aws-cloud.js';
import { connectedSource, freshDatabase, type TestDatabase } from '../support/database.js';

const ACCOUNT = '111111111111';
const MINUTE_MS = 60_000;
const FRESH_SECONDS = 300;
const CALLER = { userId: randomUUID() } as Principal;

describe('Scans of clouds', () => {
  let database: TestDatabase;
  let source: DataSource;
  let work: UnitOfWork;
  let now = new Date('2026-03-01T10:00:00Z');
  const clock: Clock = { now: () => now };
  let store: GapScansStore;
  let inventory: GapInventoryStore;
  beforeAll(async () => {
    Logger.overrideLogger(false);
    database = await freshDatabase();
    source = await connectedSource(database);
    work = new UnitOfWork(source);
    store = new GapScansStore(work, new Secrets(), clock);
    inventory = new GapInventoryStore(work, store);
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

  /** A cloud that answers these parts. */
  function scanOf(parts: (signal: AbortSignal) => AsyncGenerator<ScanPart>): ScanInventory {
    const access = {
      find: async () => ({ settings: {} }),
      scan: (_: unknown, signal: AbortSignal) => parts(signal),
    };
    return new ScanInventory(work, access as unknown as CloudAccess, store, inventory, clock);
  }

  async function aRun(tenantId: string): Promise<TaskRun> {
    const of = { tenantId, provider: 'aws' as const };
    const id = randomUUID();
    await work.run(async () => {
      expect(await store.claim(of, await store.find(of))).toBe(true);
      await store.assignTask(of, id);
    });
    return {
      ...{ id, tenantId, createdBy: null, payload: { provider: 'aws' } },
      signal: new AbortController().signal,
      progress: async () => undefined,
      complete: async () => undefined,
    };
  }

  const part = (...names: string[]): ScanPart => ({
    resources: names.map((name) => ({
      id: `arn:aws:sns:eu-west-1:${ACCOUNT}:${name}`,
      service: 'sns',
      resourceType: 'sns:topic',
    })),
    position: { listing: 'all', page: null },
  });
  const idsOf = async (tenantId: string): Promise<string[]> =>
    (
      await database.pool.query<{ id: string }>(
        'SELECT id FROM gap_inventory WHERE tenant_id = $1 ORDER BY id',
        [tenantId],
      )
    ).rows.map(({ id }) => id.split(':').at(-1) ?? '');

  it('end after thirty minutes with TIME_LIMIT, and keep the older inventory', async () => {
    const tenantId = await aTenant();
    await scanOf(async function* () {
      yield part('old');
    }).scan(await aRun(tenantId));
    expect(await idsOf(tenantId)).toEqual(['old']);

    // The time is the test's: the timer of the scan is found by its length, and nothing else is touched.
    const timers = jest.spyOn(globalThis, 'setTimeout');
    const state = { isSilent: false, isAborted: false };
    const scanning = scanOf(async function* (signal) {
      yield part('new');
      state.isSilent = true;
      // What the clients of clouds throw when their signal stops a request.
      await new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          state.isAborted = true;
          reject(new CloudFailure('UNREACHABLE'));
        });
      });
    }).scan(await aRun(tenantId));
    scanning.catch(() => undefined);
    while (!state.isSilent) await new Promise(setImmediate);
    const limits = timers.mock.calls.filter(([, ms]) => ms === 30 * MINUTE_MS);
    timers.mockRestore();
    expect([limits.length, state.isAborted]).toEqual([1, false]);
    limits[0]?.[0]();
    await expect(scanning).rejects.toMatchObject({ id: 'GAP_SCAN_FAILED' });
    expect(await store.find({ tenantId, provider: 'aws' })).toMatchObject({
      status: 'failed',
      error: { code: 'TIME_LIMIT' },
      collectingId: null,
    });
    expect(await idsOf(tenantId)).toEqual(['old']);
  });

  it('begin again on request once the freshness period is over, and not before', async () => {
    const tenantId = await aTenant();
    const of = { tenantId, provider: 'aws' as const };
    let started = 0;
    const tasks = {
      start: async () => {
        started += 1;
        return randomUUID();
      },
      stateOf: async () => ({ state: 'running' }),
    } as unknown as Tasks;
    const scans = new GapScans(
      work,
      clock,
      { get: () => FRESH_SECONDS } as unknown as Config,
      tasks,
      { find: async () => ({}) } as unknown as CloudAccess,
      store,
    );
    const after = (seconds: number): void => {
      now = new Date(now.getTime() + seconds * 1_000);
    };
    const kinds = async (): Promise<string[]> => {
      const kindOf = async (sourceKind: 'cache' | 'no-cache'): Promise<string> => {
        const answer = await scans.request(CALLER, of, sourceKind);
        return 'pending' in answer ? answer.pending.status : 'inventory';
      };
      return [await kindOf('cache'), await kindOf('no-cache')];
    };
    const finish = async (): Promise<void> => {
      const attempt = await store.beginAttempt(of, (await store.find(of))?.taskId ?? '');
      if (!attempt) throw new Error('no scan runs');
      await store.publish(attempt);
    };
    // The first request starts a scan; further ones are told of it.
    expect([await kinds(), started]).toEqual([['running', 'running'], 1]);
    await finish();
    after(FRESH_SECONDS);
    // Exactly as old as it may be: the account is not asked again.
    expect([await kinds(), started]).toEqual([['inventory', 'inventory'], 1]);
    after(1);
    expect([await kinds(), started]).toEqual([['inventory', 'running'], 2]);
    // A scan that failed counts as one: its account is not asked again before the period is over.
    await store.fail(
      { ...of, taskId: (await store.find(of))?.taskId ?? '' },
      new CloudFailure('THROTTLED').view,
    );
    after(FRESH_SECONDS);
    expect([await kinds(), started]).toEqual([['inventory', 'inventory'], 2]);
    after(1);
    expect([await kinds(), started]).toEqual([['inventory', 'running'], 3]);
  });

  it('tell a failed first scan until the freshness period is over, and then begin another', async () => {
    const tenantId = await aTenant();
    const of = { tenantId, provider: 'aws' as const };
    const tasks = { start: async () => randomUUID(), stateOf: async () => ({ state: 'running' }) };
    const scans = new GapScans(
      work,
      clock,
      { get: () => FRESH_SECONDS } as unknown as Config,
      tasks as unknown as Tasks,
      { find: async () => ({}) } as unknown as CloudAccess,
      store,
    );
    const status = async (): Promise<unknown> => {
      const answer = await scans.request(CALLER, of, 'cache');
      return 'pending' in answer ? [answer.pending.status, answer.pending.error?.code] : 'inventory';
    };
    expect(await status()).toEqual(['running', undefined]);
    await store.fail(
      { ...of, taskId: (await store.find(of))?.taskId ?? '' },
      new CloudFailure('NOT_READY').view,
    );
    now = new Date(now.getTime() + FRESH_SECONDS * 1_000);
    expect(await status()).toEqual(['failed', 'NOT_READY']);
    now = new Date(now.getTime() + 1_000);
    expect(await status()).toEqual(['running', undefined]);
  });
});

describe('The position of a scan of AWS', () => {
  const cloud = new AwsCloud();
  const before = { ...process.env };
  const account = anAccount({
    id: ACCOUNT,
    externalId: 'ours',
    resources: Array.from({ length: 2_500 }, (_, at) =>
      awsResource(`arn:aws:sns:eu-west-1:${ACCOUNT}:t${at}`, 'sns:topic'),
    ),
  });
  beforeAll(async () => {
    await cloud.start();
    cloud.accounts.push(account);
    Object.assign(process.env, SERVER_KEY);
  });
  afterAll(async () => {
    for (const name of Object.keys(SERVER_KEY))
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    await cloud.stop();
  });

  /** Pages from a position on, at most so many, and where the last one ended. */
  async function read(from: ScanPosition | undefined, most = Infinity) {
    const aws = new AwsInventory(
      { get: () => cloud.url } as unknown as Config,
      new AwsDefaults(),
      new Clock(),
    );
    const settings = {
      ...{ provider: 'aws' as const, roleArn: `arn:aws:iam::${ACCOUNT}:role/inventory` },
      ...{ externalId: 'ours', region: 'eu-west-1' },
    };
    const sizes: number[] = [];
    let position: ScanPosition | undefined;
    for await (const each of aws.scan(settings, new AbortController().signal, from)) {
      if (!('resources' in each)) continue;
      sizes.push(each.resources.length);
      position = each.position;
      if (sizes.length >= most) break;
    }
    return { sizes, position };
  }

  it('goes on with the page that follows, of the same view only', async () => {
    const { sizes, position } = await read(undefined, 1);
    expect(sizes).toEqual([999]);
    expect((await read(position)).sizes).toEqual([999, 502]);
    // Another default view lists other resources: its pages have nothing to do with a token of the older one.
    account.viewId = '22222222-2222-4222-8222-222222222222';
    expect((await read(position)).sizes).toEqual([999, 999, 502]);
    // A position as it was kept before views were named.
    expect((await read({ listing: 'eu-west-1', page: position?.page ?? null })).sizes).toEqual([
      999, 999, 502,
    ]);
  });
});
