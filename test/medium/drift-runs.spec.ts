import type { DataSource } from 'typeorm';
import { DriftRuns } from '../../src/modules/orchestration/drift/drift-runs.js';
import { Holds } from '../../src/modules/orchestration/runs/holds.store.js';
import { dirspacesOf, parseRepoConfig } from '../../src/modules/repo-config/index.js';
import { UnitOfWork } from '../../src/platform/database/index.js';
import { connectedSource, freshDatabase, type TestDatabase } from '../support/database.js';
import { aRepository, aRun, type TestRepository } from '../support/run-records.js';

const NOW = new Date('2026-01-31T10:00:00Z');

describe('A run that reconciles drift', () => {
  let database: TestDatabase;
  let source: DataSource;
  let at: TestRepository;

  beforeAll(async () => {
    database = await freshDatabase();
    source = await connectedSource(database);
  });
  afterAll(async () => {
    await source.destroy();
    await database.drop();
  });
  beforeEach(async () => {
    at = await aRepository(database.pool, null);
  });

  /** Answers the directories of the run; `meanwhile` happens once the commit of the branch is known. */
  async function created(reconcile: boolean, meanwhile: () => Promise<unknown>): Promise<string[]> {
    const schedule = { schedule: 'daily', reconcile };
    const config = parseRepoConfig(
      `drift: {enabled: true, schedules: {nightly: ${JSON.stringify(schedule)}}}\n`,
      'config.yml',
    );
    const branch = {
      name: 'main',
      config,
      dirspaces: dirspacesOf(['a', 'b'], config),
      look: { sha: 'cccc', olderSince: undefined },
      stateGroups: [],
    };
    const read = async () => {
      await meanwhile();
      return branch;
    };
    const dirs: string[] = [];
    const create = (_: unknown, dirspaces: readonly { dir: string }[]) => {
      dirs.push(...dirspaces.map(({ dir }) => dir));
      return Promise.resolve([]);
    };
    const holds = new Holds(new UnitOfWork(source), { now: () => NOW });
    const runs = new DriftRuns(
      { read } as never,
      holds,
      { create } as never,
      {} as never,
      {
        store: () => Promise.resolve(),
      } as never,
    );
    const place = { repository: { id: at.repository }, installation: { id: at.installation } } as never;
    const prepared = await runs.prepare(place, { name: 'nightly' } as never, NOW);
    await prepared.createRuns();
    return dirs;
  }
  /** An apply of pull request 7 in `a` that was asked for at a time, and its merge. */
  async function appliedAndMerged(askedAt: string, mergeSeenAt: string): Promise<void> {
    await aRun(database.pool, at, {
      runType: 'apply',
      createdAt: askedAt,
      dirs: [{ dir: 'a', state: 'success', success: true }],
    });
    await database.pool.query(
      `UPDATE pull_requests SET state = 'merged', merged_at = $2, merge_seen_at = $2 WHERE repository_id = $1`,
      [at.repository, mergeSeenAt],
    );
  }

  it.each([
    ['applied and merged', '2026-01-31T10:00:01Z'],
    ['merged', '2026-01-31T09:00:00Z'],
  ])('takes back nothing that was %s while its branch was read', async (_, askedAt) => {
    expect(await created(true, () => appliedAndMerged(askedAt, '2026-01-31T10:00:02Z'))).toEqual(['b']);
  });

  it('concerns what was merged before', async () => {
    const merged = () => appliedAndMerged('2026-01-31T09:00:00Z', '2026-01-31T09:30:00Z');
    expect(await created(true, merged)).toEqual(['a', 'b']);
  });

  it('concerns everything when it only looks', async () => {
    const merged = () => appliedAndMerged('2026-01-31T10:00:01Z', '2026-01-31T10:00:02Z');
    expect(await created(false, merged)).toEqual(['a', 'b']);
  });
});
