import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type INestApplicationContext, Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AppModule } from '../../src/app/app.module.js';
import { HandlesTask, type TaskRun, Tasks } from '../../src/modules/tasks/index.js';
import { TaskRunner } from '../../src/modules/tasks/task-runner.job.js';
import { loadConfig } from '../../src/platform/config/index.js';
import { UnitOfWork } from '../../src/platform/database/index.js';
import { httpErrors } from '../../src/platform/errors/index.js';
import { JobConsumers, type JobRun } from '../../src/platform/queue/index.js';
import { environmentOf, freshDatabase, type TestDatabase } from '../support/database.js';
import { startRedis, type TestRedis } from '../support/redis.js';
import { describeWith } from '../support/terraform.js';

@Injectable()
class SomeWork {
  static attempts = new Map<string, number>();

  @HandlesTask('test-sum', { timeLimitMs: 5_000 })
  async sum({ payload, progress }: TaskRun): Promise<unknown> {
    await progress(1, 2, 'half way');
    const name = String(payload['name']);
    const attempt = (SomeWork.attempts.get(name) ?? 0) + 1;
    SomeWork.attempts.set(name, attempt);
    if (attempt <= Number(payload['failures'] ?? 0)) throw new Error('out of order');
    return { sum: Number(payload['a']) + Number(payload['b']), text: '\u{1F600}' };
  }

  @HandlesTask('test-refuse', { timeLimitMs: 5_000 })
  refuse(_run: TaskRun): Promise<unknown> {
    throw httpErrors.FORBIDDEN();
  }

  @HandlesTask('test-sleep', { timeLimitMs: 300 })
  async sleep({ signal }: TaskRun): Promise<unknown> {
    await delay(60_000, undefined, { signal });
    return 'awake';
  }

  @HandlesTask('test-linger', { timeLimitMs: 60_000 })
  async linger({ signal }: TaskRun): Promise<unknown> {
    await delay(60_000, undefined, { signal });
    return 'awake';
  }
}

interface TaskRow {
  state: string;
  error: string | null;
  done: string | null;
  message: string | null;
  attempts: number;
}

function suite(environment: () => Promise<{ env: Record<string, string>; end: () => Promise<void> }>): void {
  let database: TestDatabase;
  let context: INestApplicationContext;
  let tasks: Tasks;
  let work: UnitOfWork;
  let end: () => Promise<void>;

  beforeAll(async () => {
    database = await freshDatabase();
    const extra = await environment();
    end = extra.end;
    const config = loadConfig({
      SERVICE_UI_BASE: 'http://localhost',
      SERVICE_LOG_LEVEL: 'silent',
      ...environmentOf(database),
      ...extra.env,
    });

    @Module({ imports: [AppModule.of(config, { role: 'worker' })], providers: [SomeWork] })
    class Composition {}

    context = await NestFactory.createApplicationContext(Composition, { logger: false, abortOnError: false });
    await context.get(JobConsumers).start();
    tasks = context.get(Tasks);
    work = context.get(UnitOfWork);
  });
  afterAll(async () => {
    await context.close();
    await database.drop();
    await end();
  });

  const start = (kind: string, payload: Record<string, unknown> = {}) =>
    tasks.start({ kind, tenantId: undefined, createdBy: randomUUID(), payload });

  async function row(id: string): Promise<TaskRow> {
    const [task] = await work.query<TaskRow>('SELECT * FROM tasks WHERE id = $1', [id]);
    if (!task) throw new Error('no such task');
    return task;
  }

  async function ended(id: string): Promise<TaskRow> {
    for (let i = 0; i < 400; i++) {
      const task = await row(id);
      if (!['pending', 'running'].includes(task.state)) return task;
      await delay(50);
    }
    throw new Error('the task did not end');
  }

  async function result(id: string): Promise<unknown> {
    const rows = await work.query<{ data: string }>('SELECT data FROM task_results WHERE task_id = $1', [id]);
    return rows.length === 0 ? undefined : JSON.parse(rows.map((each) => each.data).join(''));
  }

  it('are worked on, and their result is stored with their end', async () => {
    const id = await start('test-sum', { name: randomUUID(), a: 1, b: 2 });
    expect(await ended(id)).toMatchObject({
      state: 'completed',
      done: '1',
      message: 'half way',
      attempts: 1,
    });
    expect(await result(id)).toEqual({ sum: 3, text: '\u{1F600}' });
  });

  it('are tried again after an unexpected failure', async () => {
    const id = await start('test-sum', { name: randomUUID(), a: 1, b: 2, failures: 1 });
    expect(await ended(id)).toMatchObject({ state: 'completed', attempts: 2 });
  });

  it('fail at once with the id of a refusal', async () => {
    const id = await start('test-refuse');
    expect(await ended(id)).toMatchObject({ state: 'failed', error: 'FORBIDDEN', attempts: 1 });
  });

  it('end when they take too long', async () => {
    const id = await start('test-sleep');
    const run: JobRun = { id: 'x', attempt: 4, lastAttempt: true };
    await expect(context.get(TaskRunner).run({ taskId: id }, run)).rejects.toThrow();
    expect(await ended(id)).toMatchObject({ state: 'failed', error: 'TIME_LIMIT' });
  });

  it('can be aborted while somebody works on them, and stay so', async () => {
    const id = await start('test-linger');
    for (let i = 0; (await row(id)).state === 'pending' && i < 200; i++) await delay(25);
    expect(await tasks.abort(id)).toBe(true);
    expect(await tasks.complete(id, 'late')).toBe(false);
    expect((await ended(id)).state).toBe('aborted');
    expect(await result(id)).toBeUndefined();
  });

  /** As a process leaves it that died while it worked. */
  async function left(attempts: number, seen: string): Promise<string> {
    const id = randomUUID();
    await work.query(
      `INSERT INTO tasks (id, kind, payload, attempts, state, created_at, seen_at)
       VALUES ($1, 'test-sum', $2, $3, 'running', now() - interval '1 hour', now() - $4::interval)`,
      [id, JSON.stringify({ name: id, a: 1, b: 1 }), attempts, seen],
    );
    return id;
  }

  it('are given up when eight processes did not live to their end', async () => {
    const [poison, unlucky] = [await left(8, '1 hour'), await left(7, '1 hour')];
    await context.get(TaskRunner).sweep({}, { id: '', attempt: 1, lastAttempt: true });
    expect(await ended(unlucky)).toMatchObject({ state: 'completed', attempts: 8 });
    expect(await ended(poison)).toMatchObject({ state: 'failed', error: 'INTERNAL_ERROR', attempts: 8 });
    expect(SomeWork.attempts.has(poison)).toBe(false);
  });

  it('are left alone while somebody may still work on the last attempt', async () => {
    const id = await left(8, '5 seconds');
    await context.get(TaskRunner).run({ taskId: id }, { id: 'x', attempt: 1, lastAttempt: true });
    expect(await row(id)).toMatchObject({ state: 'running', attempts: 8 });
    expect(SomeWork.attempts.has(id)).toBe(false);
    await tasks.abort(id);
  });

  it('count a beginning before they are worked on, and no waiting', async () => {
    const waiting = await tasks.createIdle({
      kind: 'noted',
      tenantId: undefined,
      createdBy: undefined,
      payload: {},
    });
    const id = await start('test-linger');
    for (let i = 0; (await row(id)).state === 'pending' && i < 200; i++) await delay(25);
    await context.get(TaskRunner).sweep({}, { id: '', attempt: 1, lastAttempt: true });
    expect([(await row(id)).attempts, (await row(waiting)).attempts]).toEqual([1, 0]);
    await tasks.abort(id);
  });

  it('do not exist when the transaction that started them is rolled back', async () => {
    let id = '';
    const undone = work.run(async () => {
      id = await start('test-sum', { name: 'never', a: 1, b: 1 });
      throw new Error('no');
    });
    await expect(undone).rejects.toThrow('no');
    await expect(row(id)).rejects.toThrow('no such task');
    expect(SomeWork.attempts.has('never')).toBe(false);
  });

  it('are swept up when their job was lost', async () => {
    const [lost, orphan] = [randomUUID(), randomUUID()];
    const insert = `INSERT INTO tasks (id, kind, payload, created_at, state, seen_at)
                    VALUES ($1, 'test-sum', '{"name":"swept","a":2,"b":2}', now() - interval '1 hour', $2, now() - interval '1 hour')`;
    await work.query(insert, [lost, 'pending']);
    await work.query(insert, [orphan, 'running']);
    await context.get(TaskRunner).sweep({}, { id: '', attempt: 1, lastAttempt: true });
    expect([(await ended(lost)).state, (await ended(orphan)).state]).toEqual(['completed', 'completed']);
  });
}

describe('Tasks, queued in PostgreSQL', () => {
  suite(() => Promise.resolve({ env: {}, end: () => Promise.resolve() }));
});

describeWith('redis-server', 'Tasks, queued in Redis', () => {
  suite(async () => {
    const redis: TestRedis = await startRedis();
    return { env: { SERVICE_REDIS_URL: redis.url }, end: () => redis.stop() };
  });
});
