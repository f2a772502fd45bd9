import type { DataSource } from 'typeorm';
import { DriftOverviewQueries } from '../../src/modules/orchestration/overview/drift-overview.queries.js';
import type { LinkedInstallation } from '../../src/modules/vcs/index.js';
import { UnitOfWork } from '../../src/platform/database/index.js';
import { connectedSource, freshDatabase, type TestDatabase } from '../support/database.js';
import { aRepository, type TestRepository } from '../support/run-records.js';

const DIRECTORIES = 20;
const LOOKS = 400;

interface PlanNode {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: PlanNode[];
}

/** Rows of a table that a plan has read. */
function rowsRead(node: PlanNode, table: string): number {
  const own =
    node['Relation Name'] === table
      ? (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']
      : 0;
  return own + (node.Plans ?? []).reduce((sum, child) => sum + rowsRead(child, table), 0);
}

describe('The list of drift over a long history', () => {
  let database: TestDatabase;
  let source: DataSource;
  let at: TestRepository;
  const statements: { sql: string; parameters: unknown[] }[] = [];

  beforeAll(async () => {
    database = await freshDatabase();
    at = await aRepository(database.pool, null, { name: 'drifting' });
    const other = await aRepository(database.pool, null, { name: 'somebody else' });
    for (const each of [at, other])
      await database.pool.query(
        `INSERT INTO work_manifests (id, installation_id, repository_id, kind, run_type, state, owner, repo, branch, branch_ref,
           base_branch, base_ref, created_at)
         SELECT gen_random_uuid(), $1, $2, 'drift', 'plan', 'completed', 'octo', $3, 'main', 'a', 'main', 'a',
                '2026-01-01'::timestamptz + n * interval '1 hour' FROM generate_series(1, $4) n`,
        [each.installation, each.repository, each.name, LOOKS],
      );
    // The newest looks of every third directory were given up, and directory 4 was never looked at to the end.
    await database.pool.query(
      `INSERT INTO work_manifest_dirspaces (work_manifest_id, position, dir, workspace, state, success, has_changes, ended_at,
         installation_id, repository_id, repo, kind, run_type, branch, created_at)
       SELECT m.id, p, 'dir-' || p, 'default', CASE WHEN given_up THEN 'aborted' ELSE 'success' END,
              CASE WHEN given_up THEN NULL ELSE true END, CASE WHEN given_up THEN NULL ELSE p % 2 = 0 END, m.created_at,
              m.installation_id, m.repository_id, m.repo, 'drift', 'plan', 'main', m.created_at
         FROM work_manifests m CROSS JOIN generate_series(0, $1) p
        CROSS JOIN LATERAL (SELECT p = 4 OR p % 3 = 0 AND m.created_at > '2026-01-10' AS given_up) g`,
      [DIRECTORIES - 1],
    );
    await database.pool.query('ANALYZE work_manifests, work_manifest_dirspaces, repositories');
    source = await connectedSource(database);
  }, 120_000);
  afterAll(async () => {
    await source.destroy();
    await database.drop();
  });

  function queries(): DriftOverviewQueries {
    const work = new UnitOfWork(source);
    const query = work.query.bind(work);
    work.query = <T>(sql: string, parameters: readonly unknown[] = []): Promise<T[]> => {
      statements.push({ sql, parameters: [...parameters] });
      return query<T>(sql, parameters);
    };
    return new DriftOverviewQueries(work);
  }

  it('names the newest result of each directory, page by page, and reads no history to find it', async () => {
    const installation = { id: at.installation, provider: 'github' } as LinkedInstallation;
    const list = queries();
    const request = { limit: 7, state: undefined, repo: undefined };
    const rows = [];
    for (let page: string | undefined; ;) {
      const found = await list.list(installation, { ...request, page });
      rows.push(...found.rows);
      page = found.next;
      if (page === undefined) break;
    }
    // What a sort of everything says.
    const expected = await database.pool.query<{ dir: string; run: string; state: string }>(
      `SELECT * FROM (
         SELECT DISTINCT ON (d.dir) d.dir, d.work_manifest_id AS run,
                CASE WHEN d.success IS NULL THEN 'failed' WHEN d.has_changes THEN 'drifted' ELSE 'clean' END AS state
           FROM work_manifest_dirspaces d WHERE d.installation_id = $1
          ORDER BY d.dir, d.success IS NULL, d.created_at DESC) newest ORDER BY dir COLLATE "C"`,
      [at.installation],
    );
    expect(rows.map(({ dir, work_manifest_id: run, state }) => ({ dir, run, state }))).toEqual(expected.rows);
    expect(rows).toHaveLength(DIRECTORIES);
    expect(new Set(rows.map(({ state }) => state))).toEqual(new Set(['clean', 'drifted', 'failed']));

    const first = statements[0];
    const [explained] = await source.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }[]>(
      `EXPLAIN (ANALYZE, FORMAT JSON) SELECT count(*) FROM (${first?.sql}) list`,
      first?.parameters ?? [],
    );
    const plan = explained?.['QUERY PLAN'][0].Plan;
    // All of them are 16,000.
    expect(plan && rowsRead(plan, 'work_manifest_dirspaces')).toBeLessThan(100 * DIRECTORIES);
  });
});
