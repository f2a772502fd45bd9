import { randomBytes } from 'node:crypto';
import { Pool } from 'pg';
import { QueryCatalog } from '../../src/modules/mql/execution/query-catalog.js';
import { QueryTables } from '../../src/modules/mql/tables/query-tables.js';
import { migrate, UnitOfWork } from '../../src/platform/database/index.js';
import {
  asAdmin,
  connectedSource,
  emptyDatabase,
  freshDatabase,
  type TestDatabase,
} from '../support/database.js';

const PLUMS = {
  name: 'plums',
  description: 'What a later module brings',
  from: 'states s',
  where: (tenants: string) => `s.tenant_id = ANY (${tenants}::uuid[])`,
  columns: { id: { type: 'uuid' as const, value: 's.id', description: 'an id' } },
};

describe('What queries run on', () => {
  const open: { stop: () => Promise<void> }[] = [];
  afterEach(async () => {
    for (const each of open.splice(0).reverse()) await each.stop();
  });

  async function catalogOf(database: TestDatabase, tables = new QueryTables()): Promise<QueryCatalog> {
    const source = await connectedSource(database);
    open.push({ stop: () => source.destroy() });
    return new QueryCatalog(new UnitOfWork(source), tables);
  }

  async function aDatabase(): Promise<TestDatabase> {
    const database = await freshDatabase();
    open.push({ stop: () => database.drop() });
    return database;
  }

  /** A migrated database whose owner may do nothing but own it. */
  async function aPoorDatabase(): Promise<TestDatabase> {
    const owner = `poor_${randomBytes(4).toString('hex')}`;
    const database = await emptyDatabase();
    await asAdmin(`CREATE ROLE ${owner} LOGIN PASSWORD 'poor'`);
    await asAdmin(`ALTER DATABASE ${database.name} OWNER TO ${owner}`);
    await asAdmin('GRANT ALL ON SCHEMA public TO PUBLIC', database.name);
    const connection = { ...database.connection, user: owner, password: 'poor' };
    const pool = new Pool({ ...connection, max: 2 });
    open.push({
      stop: async () => {
        await pool.end();
        await database.drop();
        await asAdmin(`DROP ROLE IF EXISTS ${owner}_mql`);
        await asAdmin(`DROP ROLE IF EXISTS ${owner}`);
      },
    });
    await migrate(connection);
    return { ...database, connection, pool };
  }

  const viewsOf = async ({ pool }: TestDatabase): Promise<string[]> =>
    (await pool.query<{ v: string }>(`SELECT viewname AS v FROM pg_views WHERE schemaname = 'mql'`)).rows.map(
      ({ v }) => v,
    );

  it('is made once, and made again when a module brings a table', async () => {
    const database = await aDatabase();
    const first = await catalogOf(database);
    await first.publish();
    expect(first.unavailable).toBeUndefined();
    const made = async () =>
      (await database.pool.query<{ oid: string }>(`SELECT 'mql.states'::regclass::oid::text AS oid`)).rows[0]
        ?.oid;
    const before = await made();
    await (await catalogOf(database)).publish();
    expect(await made()).toBe(before);
    const tables = new QueryTables();
    tables.add([PLUMS]);
    await (await catalogOf(database, tables)).publish();
    expect(await viewsOf(database)).toContain('plums');
    expect(await made()).not.toBe(before);
    await first.publish();
    expect(await viewsOf(database)).not.toContain('plums');
  });

  it('refuses two modules with one table, and names that are none', () => {
    const tables = new QueryTables();
    expect(() => tables.add([{ ...PLUMS, name: 'states' }])).toThrow('two modules');
    expect(() => tables.add([{ ...PLUMS, name: 'x"; DROP TABLE states; --' }])).toThrow(
      'is not a valid table name',
    );
  });

  it('is made by many replicas and databases at once', async () => {
    const databases = await Promise.all([aDatabase(), aDatabase(), aDatabase()]);
    const catalogs = await Promise.all([...databases, ...databases].map((database) => catalogOf(database)));
    await Promise.all(catalogs.map((catalog) => catalog.publish()));
    expect(catalogs.map(({ unavailable }) => unavailable)).toEqual(catalogs.map(() => undefined));
  });

  it('is off, and says how to turn it on, where the service may not create its role', async () => {
    const database = await aPoorDatabase();
    const catalog = await catalogOf(database);
    await catalog.publish();
    const owner = database.connection.user;
    expect(catalog.unavailable).toContain(`ALTER ROLE "${owner}" CREATEROLE`);
    expect(catalog.unavailable).toContain(
      `CREATE ROLE "${owner}_mql" NOLOGIN; GRANT "${owner}_mql" TO "${owner}"`,
    );
    expect(await viewsOf(database)).toEqual([]);
    await asAdmin(`CREATE ROLE ${owner}_mql NOLOGIN; GRANT ${owner}_mql TO ${owner}`);
    await catalog.publish();
    expect(catalog.unavailable).toBeUndefined();
    expect(await viewsOf(database)).toContain('instances');
  });

  it('works with nothing but the right to create roles', async () => {
    const database = await aPoorDatabase();
    await asAdmin(`ALTER ROLE ${database.connection.user} CREATEROLE`);
    const catalog = await catalogOf(database);
    await catalog.publish();
    expect(catalog.unavailable).toBeUndefined();
  });

  it.each(['LOGIN', 'SUPERUSER', 'CREATEROLE', 'BYPASSRLS'])('is off when the role has %s', async (right) => {
    const database = await aPoorDatabase();
    const owner = database.connection.user;
    await asAdmin(`CREATE ROLE ${owner}_mql ${right}; GRANT ${owner}_mql TO ${owner}`);
    const catalog = await catalogOf(database);
    await catalog.publish();
    expect(catalog.unavailable).toContain('has rights that a reader must not have');
  });
});
