import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import type { VcsSettings } from '../../src/modules/vcs/hosts/vcs-settings.js';
import { InstallationQueries } from '../../src/modules/vcs/installations/installations.queries.js';
import { RepositoryQueries } from '../../src/modules/vcs/repositories/repositories.queries.js';
import { DeliveriesStore } from '../../src/modules/vcs/webhooks/deliveries.store.js';
import { DUE_LANES } from '../../src/modules/vcs/webhooks/delivery-statements.js';
import { DeliveryQueries } from '../../src/modules/vcs/webhooks/deliveries.queries.js';
import { UnitOfWork } from '../../src/platform/database/index.js';
import { connectedSource, freshDatabase, type TestDatabase } from '../support/database.js';

const TENANTS = 100;
const INSTALLATIONS = 20_000;
const REPOSITORIES_OF_INSTALLATION = 5;
/** one of them has what pages need */
const REPOSITORIES_OF_LARGE = 60;
const PULLS_OF_REPOSITORY = 2;
const DELIVERIES = 200_000;
const TABLES = ['installations', 'repositories', 'pull_requests', 'webhook_deliveries', 'webhook_lanes'];

interface Statement {
  sql: string;
  parameters: unknown[];
}

interface PlanNode {
  'Index Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: PlanNode[];
}

function* nodesOf(node: PlanNode): Generator<PlanNode> {
  yield node;
  for (const child of node.Plans ?? []) yield* nodesOf(child);
}

/** The tables are large enough that PostgreSQL reads one from end to end only where no index serves. */
describe('Lists of code hosting at many rows', () => {
  let database: TestDatabase;
  let source: DataSource;
  let work: UnitOfWork;
  let tenantId: string;
  const seen: Statement[] = [];
  const settings = { isEnabled: true } as VcsSettings;

  beforeAll(async () => {
    database = await freshDatabase();
    const { rows } = await database.pool.query<{ id: string }>(
      `INSERT INTO tenants (id, name) SELECT gen_random_uuid(), 'tenant ' || n FROM generate_series(1, $1) n RETURNING id`,
      [TENANTS],
    );
    tenantId = rows[3]?.id ?? '';
    await database.pool.query(
      `INSERT INTO installations (provider, installation_id, tenant_id, name, target_type, state, created_at)
       SELECT (ARRAY['github', 'gitlab'])[1 + (n / 7) % 2], n::text, CASE WHEN n % 5 = 0 THEN NULL ELSE ($1::uuid[])[1 + n % $3] END,
              'account-' || n, 'organization', 'active', '2026-01-01'::timestamptz + n * interval '1 minute'
         FROM generate_series(1, $2) n`,
      [rows.map(({ id }) => id), INSTALLATIONS, TENANTS],
    );
    await database.pool.query(
      `INSERT INTO repositories (installation_id, provider_id, owner, name, default_branch, clone_url, web_url)
       SELECT i.id, i.installation_id || '0' || n, i.name, 'repository-' || n, 'main', 'x', 'x'
         FROM installations i CROSS JOIN generate_series(1, CASE i.installation_id WHEN '3' THEN $2::int ELSE $1::int END) n`,
      [REPOSITORIES_OF_INSTALLATION, REPOSITORIES_OF_LARGE],
    );
    await database.pool.query(
      `INSERT INTO pull_requests (repository_id, installation_id, number, branch, sha, base_branch, base_sha, state, created_at, updated_at)
       SELECT r.id, r.installation_id, n, 'topic', 'a', 'main', 'b', 'open', now(), now()
         FROM repositories r CROSS JOIN generate_series(1, $1) n`,
      [PULLS_OF_REPOSITORY],
    );
    await database.pool.query(
      `INSERT INTO webhook_deliveries (id, provider, source, delivery_id, installation_id, provider_installation_id, event, lane, state, received_at)
       SELECT gen_random_uuid(), i.provider, 'app', n::text, i.id, i.installation_id, 'push', 'lane ' || n % 1999,
              CASE WHEN n % 100 = 0 THEN 'received' ELSE 'processed' END, now() - n * interval '1 second'
         FROM generate_series(1, $1) n JOIN installations i ON i.installation_id = (1 + n % $2)::text`,
      [DELIVERIES, INSTALLATIONS],
    );
    await database.pool.query(`ANALYZE ${TABLES.join(', ')}`);
    source = await connectedSource(database, {
      logging: ['query'],
      logger: {
        logQuery: (sql: string, parameters: unknown[] = []) => void seen.push({ sql, parameters }),
        logQueryError: () => undefined,
        logQuerySlow: () => undefined,
        logSchemaBuild: () => undefined,
        logMigration: () => undefined,
        log: () => undefined,
      },
    });
    work = new UnitOfWork(source);
    const prepared = work.prepared.bind(work);
    work.prepared = (statement, values) => {
      seen.push({ sql: statement.text, parameters: [...values] });
      return prepared(statement, values);
    };
  }, 300_000);
  afterAll(async () => {
    await source.destroy();
    await database.drop();
  });
  beforeEach(() => void (seen.length = 0));

  /** The plans of what was asked since the test began. */
  async function plans(): Promise<string[]> {
    const statements = seen.filter(({ sql }) => TABLES.some((table) => sql.includes(table)));
    expect(statements.length).toBeGreaterThan(0);
    const found: string[] = [];
    for (const { sql, parameters } of statements) {
      const rows = await source.query<{ 'QUERY PLAN': string }[]>(`EXPLAIN ${sql}`, parameters);
      found.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
    }
    return found;
  }

  async function expectIndexed(): Promise<void> {
    for (const plan of await plans()) {
      expect(plan).not.toMatch(/Seq Scan/);
      expect(plan).toMatch(/Index/);
    }
  }

  async function anInstallation() {
    const { rows } = await database.pool.query<{ id: string; installation_id: string }>(
      `SELECT id, installation_id FROM installations WHERE installation_id = '3'`,
    );
    const [row] = rows;
    return { id: row?.id ?? '', installationId: row?.installation_id ?? '', tenantId } as never;
  }

  it('repositories read one range of an index on every page, both ways', async () => {
    const lists = new RepositoryQueries(work);
    const installation = await anInstallation();
    const first = await lists.listRepositories(installation, undefined, 10);
    const second = await lists.listRepositories(installation, first.next, 10);
    expect(await lists.listRepositories(installation, second.prev, 10)).toMatchObject({ rows: first.rows });
    await expectIndexed();
  });

  it('pull requests do so too, with and without a number', async () => {
    const lists = new RepositoryQueries(work);
    const installation = await anInstallation();
    const ask = (page: string | undefined, number?: number) =>
      lists.listPullRequests(installation, { page, limit: 20, number });
    const first = await ask(undefined);
    const second = await ask(first.next);
    expect(await ask(second.prev)).toMatchObject({ rows: first.rows });
    expect((await ask(undefined, 2)).rows).toHaveLength(20);
    await expectIndexed();
  });

  it('deliveries of a tenant read the newest of each of its installations', async () => {
    const lists = new DeliveryQueries(work, settings);
    const first = await lists.list(tenantId, undefined, 20);
    const second = await lists.list(tenantId, first.next, 20);
    expect((await lists.list(tenantId, second.prev, 20)).rows).toEqual(first.rows);
    await expectIndexed();
  });

  it('installations of tenants, unclaimed ones and single ones are found by an index', async () => {
    const lists = new InstallationQueries(work);
    expect((await lists.listOfTenant(tenantId)).length).toBeGreaterThan(100);
    expect((await lists.listOfTenants('github', [tenantId])).length).toBeGreaterThan(0);
    const { next } = await lists.listUnclaimed(100, undefined);
    expect((await lists.listUnclaimed(100, next ?? undefined)).rows).toHaveLength(100);
    await lists.listByProviderIds(['1', '3', '5']);
    await lists.findByProviderId('github', '2');
    await lists.findLinkedTenant('github', '2');
    await lists.find(randomUUID());
    await expectIndexed();
  });

  it('the work on deliveries reads of those that stepped aside only what is due', async () => {
    const aside = async (count: number, due: string) =>
      database.pool.query(
        `INSERT INTO webhook_deliveries (id, provider, source, delivery_id, event, lane, state, retry_at)
         SELECT d.id, 'github', 'app', d.id, 'push', 'aside:' || d.id, 'received', now() + $2::interval
           FROM (SELECT gen_random_uuid() AS id FROM generate_series(1, $1) n) d`,
        [count, due],
      );
    await aside(20_000, '1 hour');
    await aside(3, '-1 minute');
    await database.pool.query('ANALYZE webhook_deliveries');
    const { rows } = await database.pool.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
      `EXPLAIN (ANALYZE, TIMING off, FORMAT json) ${DUE_LANES}`,
      [64],
    );
    const plan = rows[0]?.['QUERY PLAN'][0].Plan;
    const nodes = plan ? [...nodesOf(plan)] : [];
    const ofAside = nodes.filter((node) => node['Index Name'] === 'webhook_deliveries_aside');
    expect(ofAside.map((node) => node['Actual Rows'])).toEqual([3]);
    // The lanes of repositories are 2,000; nothing reads as many rows as stepped aside.
    for (const node of nodes)
      expect(
        (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
      ).toBeLessThan(5000);
    const store = new DeliveriesStore(work, {} as never, {} as never, {} as never);
    expect((await store.listDueLanes(5000)).filter((lane) => lane.startsWith('aside:'))).toHaveLength(3);
    await database.pool.query(`DELETE FROM webhook_deliveries WHERE lane LIKE 'aside:%'`);
  });

  it('the work on deliveries reads those that wait, not those that were worked on', async () => {
    const store = new DeliveriesStore(work, {} as never, {} as never, {} as never);
    expect(await store.listDueLanes(64)).toHaveLength(64);
    const [lane = ''] = await store.listDueLanes(1);
    expect((await store.listNext(lane, 1))[0]).toMatchObject({ event: 'push' });
    for (const plan of await plans()) expect(plan).toMatch(/webhook_deliveries_waiting/);
  });
});
