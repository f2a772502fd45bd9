import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { TaskRetention } from '../../src/modules/tasks/task-retention.job.js';
import { loadConfig } from '../../src/platform/config/index.js';
import { UnitOfWork } from '../../src/platform/database/index.js';
import { connectedSource, environmentOf, freshDatabase, type TestDatabase } from '../support/database.js';

const RUN = { id: 'run', attempt: 1, lastAttempt: true };

describe('Tasks that have ended', () => {
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

  async function prune(settings: Record<string, string>): Promise<void> {
    const config = loadConfig({
      SERVICE_UI_BASE: 'http://localhost',
      ...environmentOf(database),
      ...settings,
    });
    await new TaskRetention(new UnitOfWork(source), config).prune({}, RUN);
  }

  async function aTask(state: string, age: number): Promise<string> {
    const id = randomUUID();
    await database.pool.query(
      `INSERT INTO tasks (id, kind, state, payload, created_at, finished_at)
       SELECT $1, 'x', $2::text, '{}', t, CASE WHEN $2::text NOT IN ('pending', 'running') THEN t END FROM (SELECT now() - make_interval(days => $3) AS t) a`,
      [id, state, age],
    );
    await database.pool.query(`INSERT INTO task_results (task_id, idx, data) VALUES ($1, 0, '1')`, [id]);
    return id;
  }

  async function left(): Promise<{ tasks: string[]; results: string[] }> {
    const ids = async (sql: string) =>
      (await database.pool.query<{ id: string }>(sql)).rows.map(({ id }) => id).sort();
    return {
      tasks: await ids('SELECT id FROM tasks'),
      results: await ids('SELECT task_id AS id FROM task_results'),
    };
  }

  it('stay with their results when nothing is configured, and go when they are too old', async () => {
    const old = [await aTask('completed', 11), await aTask('failed', 11), await aTask('aborted', 300)];
    const kept = [
      await aTask('completed', 9),
      await aTask('pending', 300),
      await aTask('running', 300),
    ].sort();
    const all = [...old, ...kept].sort();
    await prune({});
    expect(await left()).toEqual({ tasks: all, results: all });
    await prune({ SERVICE_TASKS_MAX_AGE_DAYS: '10' });
    expect(await left()).toEqual({ tasks: kept, results: kept });
  });

  it('go however many there are', async () => {
    await database.pool.query(
      `INSERT INTO tasks (id, kind, state, payload, finished_at)
       SELECT gen_random_uuid(), 'x', 'completed', '{}', now() - interval '11 days' FROM generate_series(1, 10001)`,
    );
    await prune({ SERVICE_TASKS_MAX_AGE_DAYS: '10' });
    expect(
      (await database.pool.query(`SELECT FROM tasks WHERE finished_at < now() - interval '10 days'`))
        .rowCount,
    ).toBe(0);
  });
});
