import type { DataSource } from 'typeorm';
import { Config, loadConfig } from '../../src/platform/config/index.js';
import { UnitOfWork } from '../../src/platform/database/index.js';
import { connectedSource, environmentOf, freshDatabase, type TestDatabase } from '../support/database.js';

const STATEMENT = { name: 'a-test', text: 'SELECT $1::int AS value' };

describe('Statements with a name', () => {
  let database: TestDatabase;
  let source: DataSource;

  beforeAll(async () => {
    database = await freshDatabase();
    source = await connectedSource(database);
  });
  afterAll(async () => {
    await source.destroy();
    await database.drop();
  });

  function configured(prepared: string): Config {
    const base = { SERVICE_UI_BASE: 'http://localhost', ...environmentOf(database) };
    return loadConfig({ ...base, DB_PREPARED_STATEMENTS: prepared });
  }

  it.each([
    ['true', 1],
    ['false', 0],
  ])('are prepared once where DB_PREPARED_STATEMENTS is %s', async (prepared, count) => {
    const work = new UnitOfWork(source, configured(prepared));
    const kept = await work.run(async () => {
      await work.query('DEALLOCATE ALL');
      const rows = await work.prepared<{ value: number }>(STATEMENT, [7]);
      expect(rows).toEqual([{ value: 7 }]);
      return work.query('SELECT FROM pg_prepared_statements WHERE name = $1', [STATEMENT.name]);
    });
    expect(kept).toHaveLength(count);
  });
});
