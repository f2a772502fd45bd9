import type { DataSource } from 'typeorm';
import { PlanFiles } from '../../src/modules/orchestration/runs/plan-files.store.js';
import { parseEncryptionKeys, Sealing } from '../../src/platform/crypto/index.js';
import { Secrets } from '../../src/platform/crypto/secrets.js';
import { UnitOfWork } from '../../src/platform/database/index.js';
import { connectedSource, freshDatabase, type TestDatabase } from '../support/database.js';
import { aRepository, aRun, TEST_ENCRYPTION_KEYS } from '../support/run-records.js';

describe('The upload of a plan file', () => {
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

  it('keeps the file when the answer to its commit is lost', async () => {
    const id = await aRun(database.pool, await aRepository(database.pool, null), { state: 'running' });
    const keys = { get: () => parseEncryptionKeys(TEST_ENCRYPTION_KEYS) } as never;
    const filesOf = (work: UnitOfWork) =>
      new PlanFiles(work, new Sealing(keys), new Secrets(), { add: () => undefined } as never);
    const cut = new UnitOfWork(source);
    const run = cut.run.bind(cut);
    let transactions = 0;
    cut.run = async <T>(action: () => Promise<T>): Promise<T> => {
      const result = await run(action);
      // The first one begins the upload, the second one publishes the file.
      if (++transactions === 2) throw new Error('cut');
      return result;
    };
    const bytes = async function* () {
      yield Buffer.from('the plan');
    };
    await expect(filesOf(cut).store(id, 0, bytes())).rejects.toThrow('cut');
    const file = await filesOf(new UnitOfWork(source)).read(id, 0);
    const parts: Buffer[] = [];
    for await (const part of file?.parts ?? []) parts.push(part);
    expect(Buffer.concat(parts).toString()).toBe('the plan');
  });

  it('leaves no part when it fails', async () => {
    const id = await aRun(database.pool, await aRepository(database.pool, null), { state: 'running' });
    const keys = { get: () => parseEncryptionKeys(TEST_ENCRYPTION_KEYS) } as never;
    const files = new PlanFiles(new UnitOfWork(source), new Sealing(keys), new Secrets(), {
      add: () => undefined,
    } as never);
    const bytes = async function* () {
      yield Buffer.alloc(5 * 1024 * 1024);
      throw new Error('cut');
    };
    await expect(files.store(id, 0, bytes())).rejects.toThrow('cut');
    const { rows } = await database.pool.query('SELECT 1 FROM plan_file_parts WHERE work_manifest_id = $1', [
      id,
    ]);
    expect(rows).toEqual([]);
  });
});
