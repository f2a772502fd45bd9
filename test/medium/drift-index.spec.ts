import type { DataSource } from 'typeorm';
import { RepositoriesFound } from '../../src/modules/vcs/index.js';
import { connectedSource, freshDatabase, type TestDatabase } from '../support/database.js';
import { aDriftWorker, Branch } from '../support/drift-worker.js';
import { aRepository, aRun } from '../support/run-records.js';

const NOON = Date.parse('2026-01-31T12:00:00Z');
const MINUTE_MS = 60_000;
const CONFIG = `indexer: {enabled: true}
drift: {enabled: true, schedules: {all: {schedule: daily, reconcile: true}}}
`;
/** What the index of the default branch says: `m` is a module that `a` calls. */
const CALLED = JSON.stringify({ calls: { a: ['m'], m: [] }, links: {} });
/** What a pull request says that calls it no more: `m` stands alone, and would be applied. */
const ALONE = JSON.stringify({ calls: { a: [], m: [] }, links: {} });

describe('Drift of a repository with an index', () => {
  let database: TestDatabase;
  let source: DataSource;
  let now: number;

  beforeAll(async () => {
    database = await freshDatabase();
    source = await connectedSource(database);
  });
  afterAll(async () => {
    await source.destroy();
    await database.drop();
  });

  async function aWorld() {
    now = NOON;
    const {
      rows: [tenant],
    } = await database.pool.query<{ id: string }>(
      `INSERT INTO tenants (name) VALUES ('drift-' || gen_random_uuid()) RETURNING id`,
    );
    const at = await aRepository(database.pool, tenant?.id ?? '');
    const branch = new Branch();
    branch.files = { 'a/main.tf': '', 'm/main.tf': '', '.infrastate/config.yml': CONFIG };
    const worker = aDriftWorker({
      source,
      branches: new Map([[at.repoId, branch]]),
      tenantId: tenant?.id ?? '',
      now: () => new Date(now),
      enqueue: () => Promise.resolve(),
    });
    await worker.reading.found(new RepositoriesFound(at.installation));
    await worker.readUnread();
    const rows = async <Row>(sql: string): Promise<Row[]> =>
      (await database.pool.query(sql, [at.repository])).rows as Row[];
    /** Looks a minute later, whatever is due. */
    async function sweep(): Promise<void> {
      now += MINUTE_MS;
      await rows('UPDATE drift_schedules SET retry_at = NULL WHERE repository_id = $1');
      await worker.sweep();
    }
    const indexRuns = () =>
      rows<{ sha: string }>(
        `SELECT branch_ref AS sha FROM work_manifests
          WHERE repository_id = $1 AND run_type = 'index' AND pull_number IS NULL ORDER BY created_at`,
      );
    const looks = () =>
      rows<{ run_type: string; dirs: string[] }>(
        `SELECT m.run_type, array_agg(d.dir ORDER BY d.dir) AS dirs FROM work_manifests m
           JOIN work_manifest_dirspaces d ON d.work_manifest_id = m.id
          WHERE m.repository_id = $1 AND m.kind = 'drift' GROUP BY m.id ORDER BY m.created_at`,
      );
    const keep = (sha: string, content: string) =>
      worker.artifacts.keep({ repositoryId: at.repository, sha, baseBranch: 'main', kind: 'index', content });
    /** The index runs of the branch end with what they found out. */
    async function indexed(sha: string): Promise<void> {
      await rows(
        `UPDATE work_manifests SET state = 'completed', completed_at = created_at, reported_at = created_at
          WHERE repository_id = $1 AND run_type = 'index'`,
      );
      await keep(sha, CALLED);
    }
    return { at, branch, sweep, indexRuns, looks, keep, indexed };
  }

  it('counts what a run of the default branch found out, and never that of a pull request', async () => {
    const { at, branch, sweep, indexRuns, looks, keep, indexed } = await aWorld();
    await aRun(database.pool, at, { runType: 'index', createdAt: new Date(now).toISOString() });
    await keep('aaaa', ALONE);
    await sweep();
    expect([await indexRuns(), await looks()]).toEqual([[{ sha: branch.sha }], []]);
    await indexed(branch.sha);
    await keep('aaaa', ALONE);
    await sweep();
    expect(await looks()).toEqual([{ run_type: 'apply', dirs: ['a'] }]);
  });

  it('applies nothing while only an older commit was indexed, and waits where that was before it was due', async () => {
    const { at, branch, sweep, indexRuns, looks, indexed } = await aWorld();
    await sweep();
    await indexed(branch.sha);
    branch.files = { ...branch.files, 'c/main.tf': '' };
    await sweep();
    expect(await looks()).toEqual([{ run_type: 'plan', dirs: ['a', 'c'] }]);
    expect(await indexRuns()).toHaveLength(1);
    now += 25 * 60 * MINUTE_MS;
    await database.pool.query('UPDATE drift_schedules SET next_at = $2 WHERE repository_id = $1', [
      at.repository,
      new Date(now),
    ]);
    await sweep();
    expect(await looks()).toHaveLength(1);
    expect((await indexRuns()).at(-1)).toEqual({ sha: branch.sha });
  });
});
