import type { DataSource } from 'typeorm';
import { RunUpkeep } from '../../src/modules/orchestration/dispatching/run-upkeep.job.js';
import { UnitOfWork } from '../../src/platform/database/index.js';
import { connectedSource, freshDatabase, type TestDatabase } from '../support/database.js';
import { aRepository, aRun, type TestRepository } from '../support/run-records.js';

describe('Runs whose end could not be reported', () => {
  let database: TestDatabase;
  let source: DataSource;
  let now = new Date('2026-01-31T10:00:00Z');

  beforeAll(async () => {
    database = await freshDatabase();
    source = await connectedSource(database);
  });
  afterAll(async () => {
    await source.destroy();
    await database.drop();
  });

  /** Answers which runs are asked to be reported. */
  async function sweep(): Promise<string[]> {
    const asked: string[] = [];
    const enqueue = (_: unknown, { workManifestId }: { workManifestId?: string }) => {
      if (workManifestId !== undefined) asked.push(workManifestId);
      return Promise.resolve();
    };
    const unused = {} as never;
    const settings = { get: () => 3600 } as never;
    const clock = { now: () => now } as never;
    const work = new UnitOfWork(source);
    const jobs = { enqueue } as never;
    const sent = { lookAfter: () => Promise.resolve() } as never;
    await new RunUpkeep(work, clock, settings, unused, unused, sent, jobs).sweep({}, {} as never);
    return asked;
  }

  async function unreported(of: TestRepository, count: number, completedAt: string): Promise<string[]> {
    const ids: string[] = [];
    for (let n = 0; n < count; n++) ids.push(await aRun(database.pool, of, { isWaiting: true }));
    await database.pool.query('UPDATE work_manifests SET completed_at = $2 WHERE id = ANY ($1)', [
      ids,
      completedAt,
    ]);
    return ids;
  }

  it('are reported in turns of their repositories and installations, and later each time', async () => {
    const refused = await aRepository(database.pool, null);
    const { installation } = refused;
    const neighbour = await aRepository(database.pool, null, { installation });
    const other = await aRepository(database.pool, null);
    await unreported(refused, 60, '2026-01-30T10:00:00Z');
    const newer = [
      ...(await unreported(neighbour, 1, '2026-01-31T09:00:00Z')),
      ...(await unreported(other, 1, '2026-01-31T09:00:00Z')),
    ];
    const first = await sweep();
    expect(first).toHaveLength(50);
    expect(first).toEqual(expect.arrayContaining(newer));
    expect(await sweep()).toHaveLength(12);
    expect(await sweep()).toEqual([]);
    for (const pauseSeconds of [60, 120, 240]) {
      now = new Date(now.getTime() + pauseSeconds * 1000 - 1);
      expect(await sweep()).toEqual([]);
      now = new Date(now.getTime() + 1);
      expect(await sweep()).toHaveLength(50);
      expect(await sweep()).toHaveLength(12);
    }
  });
});
