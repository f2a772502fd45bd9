import type { DataSource } from 'typeorm';
import { DirspaceQueries } from '../../src/modules/orchestration/records/dirspaces.queries.js';
import { WorkManifestQueries } from '../../src/modules/orchestration/records/work-manifests.queries.js';
import { UnitOfWork } from '../../src/platform/database/index.js';
import { connectedSource, freshDatabase, type TestDatabase } from '../support/database.js';
import { aRepository, type TestRepository } from '../support/run-records.js';

const INSTALLATIONS = 50;
const MANIFESTS = 100_000;
const DIRS_OF_MANIFEST = 10;

describe('Pages of a million dirspaces and a hundred thousand runs', () => {
  let database: TestDatabase;
  let source: DataSource;
  const at: TestRepository[] = [];
  const statements: { sql: string; parameters: unknown[] }[] = [];

  beforeAll(async () => {
    database = await freshDatabase();
    for (let n = 0; n < INSTALLATIONS; n++) at.push(await aRepository(database.pool, null));
    await database.pool.query(
      `INSERT INTO work_manifests (id, installation_id, repository_id, pull_number, kind, run_type, state, owner, repo, username,
         branch, branch_ref, base_branch, base_ref, created_at)
       SELECT gen_random_uuid(), i.installation, i.repository, 7, 'pull_request', (ARRAY['plan', 'apply'])[1 + n % 2], 'completed',
              'octo', i.name, 'user-' || n % 40, 'topic-' || n % 500, 'aaaa', 'main', 'bbbb', '2026-01-01'::timestamptz + n * interval '1 minute'
         FROM generate_series(1, $1) n
         JOIN unnest($2::uuid[], $3::uuid[], $4::text[]) WITH ORDINALITY AS i (installation, repository, name, nr) ON i.nr = 1 + n % $5`,
      [
        MANIFESTS,
        at.map((each) => each.installation),
        at.map((each) => each.repository),
        at.map(({ name }) => name),
        INSTALLATIONS,
      ],
    );
    await database.pool.query(
      `INSERT INTO work_manifest_dirspaces (work_manifest_id, position, dir, workspace, state, success, installation_id, repo,
         username, kind, run_type, pull_number, branch, created_at)
       SELECT m.id, p, 'dir-' || p || '/' || m.branch, 'default', (ARRAY['success', 'failure', 'aborted'])[1 + p % 3], p % 3 = 0,
              m.installation_id, m.repo, m.username, m.kind, m.run_type, m.pull_number, m.branch, m.created_at
         FROM work_manifests m CROSS JOIN generate_series(0, $1) p`,
      [DIRS_OF_MANIFEST - 1],
    );
    await database.pool.query('ANALYZE work_manifests, work_manifest_dirspaces, repositories');
    source = await connectedSource(database);
  }, 550_000);
  afterAll(async () => {
    await source.destroy();
    await database.drop();
  });

  /** The queries with every statement remembered. */
  function recording(): UnitOfWork {
    const work = new UnitOfWork(source);
    const query = work.query.bind(work);
    work.query = <T>(sql: string, parameters: readonly unknown[] = []): Promise<T[]> => {
      statements.push({ sql, parameters: [...parameters] });
      return query<T>(sql, parameters);
    };
    return work;
  }

  it.each([
    '',
    'state:failure',
    'user:user-7 type:plan created_at:2026-01-10..2026-02-20',
    'dir:dir-3/topic-107 or dir:dir-4/topic-107',
    'pr:7 state:success not user:user-3 created_at:2026-01-15..',
  ])('reads no table from end to end for %j, whatever the page', async (q) => {
    const installation = at[7]?.installation ?? '';
    statements.length = 0;
    const work = recording();
    for (const list of [new DirspaceQueries(work), new WorkManifestQueries(work)]) {
      let page = await list.list(installation, { q, limit: '20' });
      expect(page.rows.length).toBeLessThanOrEqual(20);
      for (let n = 0; n < 3 && page.next !== undefined; n++)
        page = await list.list(installation, { q, limit: '20', page: page.next });
    }
    for (const { sql, parameters } of statements) {
      const plan = await source.query<{ 'QUERY PLAN': string }[]>(`EXPLAIN ${sql}`, parameters);
      const text = plan.map((row) => row['QUERY PLAN']).join('\n');
      expect(text).not.toMatch(/Seq Scan on work_manifest/);
    }
  });
});
