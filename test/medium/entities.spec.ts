import type { DataSource } from 'typeorm';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js';
import { connectedSource, freshDatabase, type TestDatabase } from '../support/database.js';

/** Tables that no entity describes, and why. */
const WITHOUT_ENTITY: Readonly<Record<string, string>> = {
  api_presence: 'one row of times of the database, changed by one statement',
  migrations: 'of the migration runner',
  query_catalog: 'of the SQL views, written by the function that makes them',
  query_scope_keys: 'read by a SECURITY DEFINER function only',
  rate_limits: 'a counter, changed by one statement',
  security_losses: 'a queue of deletions, filled and emptied in bulk',
  state_version_times: 'written by a trigger, read by the SQL views',
  state_chunks: 'content-addressed bytes, by COPY and streams',
  ...Object.fromEntries(
    [
      ...[
        'check_results',
        'config_dependencies',
        'instance_history',
        'instances',
        'modules',
        'output_sources',
      ],
      ...['outputs', 'providers', 'resources', 'state_graphs', 'state_links'],
    ].map((table) => [table, 'a projection of the current document, rewritten in bulk']),
  ),
  state_changes: 'the change log, written in bulk and joined by the conflict statements',
  configuration_edges: 'a projection of the configuration, rewritten in bulk',
  configuration_accesses: 'read and write sets, joined by the conflict statements',
  transaction_nodes: 'read and write sets, joined by the conflict statements',
};

/** Types that TypeORM does not know: hand-written SQL alone reads and writes these columns. */
const OF_SQL_ALONE: ReadonlySet<string> = new Set(['pg_snapshot', 'xid8']);

/** Written in bulk by SQL: their entities name the key and what single rows are read by. */
const PARTIAL: ReadonlySet<string> = new Set([
  ...['cost_changes', 'cost_items', 'cost_links', 'cost_sums', 'cost_tag_changes', 'cost_totals'],
]);

/** Columns that an entity inherits from one whose table allows null: the schema is stricter. */
const STRICTER_IN_SCHEMA: ReadonlySet<string> = new Set(['state_submissions.md5']);

interface Described {
  type: string;
  nullable: boolean;
  key: boolean;
}

describe('The entities beside the migrated schema', () => {
  let database: TestDatabase;
  let source: DataSource;
  let schema: Map<string, Map<string, Described>>;

  beforeAll(async () => {
    database = await freshDatabase();
    source = await connectedSource(database);
    schema = await readSchema();
  });
  afterAll(async () => {
    await source.destroy();
    await database.drop();
  });

  async function readSchema(): Promise<Map<string, Map<string, Described>>> {
    const { rows } = await database.pool.query<{
      table: string;
      column: string;
      type: string;
      nullable: boolean;
      key: boolean;
    }>(`SELECT c.relname AS table, a.attname AS column, format_type(a.atttypid, NULL) AS type, NOT a.attnotnull AS nullable,
          coalesce(a.attnum = ANY (i.indkey), false) AS key
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = 'public'
          JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
          LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
        WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition ORDER BY c.relname, a.attnum`);
    const tables = new Map<string, Map<string, Described>>();
    for (const { table, column, ...described } of rows) {
      if (STRICTER_IN_SCHEMA.has(`${table}.${column}`)) described.nullable = true;
      const columns = tables.get(table) ?? new Map<string, Described>();
      tables.set(table, columns.set(column, described));
    }
    return tables;
  }

  function described(column: ColumnMetadata): Described {
    const type = source.driver.normalizeType(column);
    return {
      type: column.isArray ? `${type}[]` : type,
      nullable: column.isNullable,
      key: column.isPrimary,
    };
  }

  it('have every column of their table, with its type, nullability and place in the key', () => {
    const complete = source.entityMetadatas.filter(({ tableName }) => !PARTIAL.has(tableName));
    const found = complete.map(({ tableName, columns }) => [
      tableName,
      Object.fromEntries(columns.map((column) => [column.databaseName, described(column)])),
    ]);
    const expected = complete.map(({ tableName }) => [
      tableName,
      Object.fromEntries(
        [...(schema.get(tableName) ?? [])].filter(([, { type }]) => !OF_SQL_ALONE.has(type)),
      ),
    ]);
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(expected));
  });

  it('describe every table but those that are named here with a reason', () => {
    const withEntity = new Set(source.entityMetadatas.map(({ tableName }) => tableName));
    const without = [...schema.keys()].filter((table) => !withEntity.has(table));
    expect(without.sort()).toEqual(Object.keys(WITHOUT_ENTITY).sort());
  });
});
