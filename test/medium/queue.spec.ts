import { randomUUID } from 'node:crypto';
import { once, EventEmitter } from 'node:events';
import { type INestApplicationContext, Injectable, Logger, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ConfigModule, loadConfig, ProcessRole, type Role } from '../../src/platform/config/index.js';
import { DatabaseModule, UnitOfWork } from '../../src/platform/database/index.js';
import { PinoLogger } from '../../src/platform/logging/index.js';
import { MetricsModule } from '../../src/platform/metrics/index.js';
import { PlatformModule } from '../../src/platform/platform.module.js';
import {
  defineJob,
  HandlesJob,
  JobConsumers,
  type JobRun,
  Jobs,
  QueueModule,
} from '../../src/platform/queue/index.js';
import { QueueBackend } from '../../src/platform/queue/queue-backend.js';
import { Clock } from '../../src/platform/time/clock.js';
import { environmentOf, freshDatabase, type TestDatabase } from '../support/database.js';
import { startRedis, type TestRedis } from '../support/redis.js';
import { describeWith } from '../support/terraform.js';

interface Note {
  id: string;
  failures?: number;
}

const note = defineJob<Note>('test-note', { attempts: 3, backoffMs: 20 });
const tick = defineJob<object>('test-tick', { everyMs: 200 });

@Injectable()
class NoteKeeper {
  static readonly heard = new EventEmitter();
  static readonly runs: { id: string; run: JobRun }[] = [];

  @HandlesJob(note)
  async keep(payload: Note, run: JobRun): Promise<void> {
    NoteKeeper.runs.push({ id: payload.id, run });
    if (run.attempt <= (payload.failures ?? 0)) throw new Error(`secret ${payload.id}`);
    NoteKeeper.heard.emit(payload.id);
  }

  static ticks = 0;

  @HandlesJob(tick)
  async tick(): Promise<void> {
    NoteKeeper.ticks++;
    NoteKeeper.heard.emit('tick');
  }
}

/** Handles the same jobs in another worker. */
@Injectable()
class Bystander {
  static runs = 0;

  @HandlesJob(note)
  async keep(): Promise<void> {
    Bystander.runs++;
  }

  @HandlesJob(tick)
  async tick(): Promise<void> {
    Bystander.runs++;
  }
}

@Injectable()
class SecondKeeper {
  @HandlesJob(note)
  async keep(): Promise<void> {}
}

let database: TestDatabase;
beforeAll(async () => {
  Logger.overrideLogger(new PinoLogger('silent'));
  database = await freshDatabase();
});
afterAll(() => database.drop());

async function anApplication(
  role: Role,
  providers: Type<unknown>[],
  env: Record<string, string> = {},
): Promise<INestApplicationContext> {
  const config = loadConfig({ SERVICE_UI_BASE: 'http://localhost', ...environmentOf(database), ...env });

  @Module({
    imports: [
      ConfigModule.of(config, new ProcessRole(role)),
      PlatformModule,
      DatabaseModule,
      MetricsModule,
      QueueModule,
    ],
    providers,
  })
  class Composition {}

  return NestFactory.createApplicationContext(Composition, { abortOnError: false, logger: false });
}

describe('jobs at boot', () => {
  it('refuses a job without a handler', async () => {
    await expect(anApplication('worker', [])).rejects.toThrow('job test-note has no handler');
  });

  it('refuses a job with two handlers', async () => {
    await expect(anApplication('worker', [NoteKeeper, SecondKeeper])).rejects.toThrow(
      'job test-note has two handlers',
    );
  });

  it('refuses the same name twice', () => {
    expect(() => defineJob('test-note')).toThrow('defined twice');
  });
});

function worksOn(environment: () => Record<string, string>): void {
  let producer: INestApplicationContext;
  let worker: INestApplicationContext;
  let jobs: Jobs;

  beforeAll(async () => {
    producer = await anApplication('api', [NoteKeeper], environment());
    worker = await anApplication('worker', [NoteKeeper], environment());
    await producer.get(JobConsumers).start();
    await worker.get(JobConsumers).start();
    jobs = producer.get(Jobs);
  });
  afterAll(async () => {
    await producer.close();
    await worker.close();
  });

  it('runs a job in the worker', async () => {
    const id = randomUUID();
    const heard = once(NoteKeeper.heard, id);
    await jobs.enqueue(note, { id }, { jobId: id });
    await heard;
    expect(NoteKeeper.runs.filter((one) => one.id === id)).toEqual([
      { id, run: { id, attempt: 1, lastAttempt: false } },
    ]);
  });

  it('tries again after a failure, and says when it is the last time', async () => {
    const id = randomUUID();
    const heard = once(NoteKeeper.heard, id);
    await jobs.enqueue(note, { id, failures: 2 }, { jobId: id });
    await heard;
    const runs = NoteKeeper.runs
      .filter((one) => one.id === id)
      .map(({ run }) => [run.attempt, run.lastAttempt]);
    expect(runs).toEqual([
      [1, false],
      [2, false],
      [3, true],
    ]);
  });

  it('queues only what was committed', async () => {
    const work = producer.get(UnitOfWork);
    const [kept, lost] = [randomUUID(), randomUUID()];
    const heard = once(NoteKeeper.heard, kept);
    await work
      .run(async () => {
        await jobs.enqueue(note, { id: lost }, { jobId: lost });
        throw new Error('rolled back');
      })
      .catch(() => undefined);
    await work.run(() => jobs.enqueue(note, { id: kept }, { jobId: kept }));
    await heard;
    expect(NoteKeeper.runs.some((one) => one.id === lost)).toBe(false);
  });

  it('runs a delayed job later', async () => {
    const id = randomUUID();
    const heard = once(NoteKeeper.heard, id);
    const begun = Date.now();
    await jobs.enqueue(note, { id }, { jobId: id, delay: 300 });
    await heard;
    expect(Date.now() - begun).toBeGreaterThanOrEqual(290);
  });

  it('repeats a scheduled job', async () => {
    const before = NoteKeeper.ticks;
    await once(NoteKeeper.heard, 'tick');
    await once(NoteKeeper.heard, 'tick');
    expect(NoteKeeper.ticks - before).toBeGreaterThanOrEqual(2);
  });

  it('leaves the queues alone that a worker was not given', async () => {
    const other = await anApplication('worker', [Bystander], {
      ...environment(),
      SERVICE_QUEUES: 'nothing-of-ours',
    });
    await other.get(JobConsumers).start();
    const ids = Array.from({ length: 8 }, () => randomUUID());
    const heard = ids.map((id) => once(NoteKeeper.heard, id));
    for (const id of ids) await jobs.enqueue(note, { id }, { jobId: id });
    await Promise.all(heard);
    await other.close();
    expect(Bystander.runs).toBe(0);
  });

  it('finishes the job in hand before it closes', async () => {
    const { backend, hand, begun, ended } = await aBackendWithJob('test-in-hand');
    await begun;
    const closed = backend.beforeApplicationShutdown().then(() => ended.push('backend'));
    hand.emit('over');
    await closed;
    expect(ended).toEqual(['job', 'backend']);
  });

  it('closes although a job goes on for longer than it has to finish', async () => {
    const { backend, hand, begun, ended } = await aBackendWithJob('test-endless');
    backend.patience = 10;
    await begun;
    await backend.beforeApplicationShutdown();
    expect(ended).toEqual([]);
    hand.emit('over');
  });

  /** A job that goes on until `hand` emits `over`, on a backend of its own. */
  async function aBackendWithJob(queue: string): Promise<{
    backend: QueueBackend;
    hand: EventEmitter;
    begun: Promise<unknown>;
    ended: string[];
  }> {
    const config = loadConfig({
      SERVICE_UI_BASE: 'http://localhost',
      ...environmentOf(database),
      ...environment(),
    });
    const backend = new QueueBackend(config, new Clock());
    const hand = new EventEmitter();
    const [begun, over] = [once(hand, 'begun'), once(hand, 'over')];
    const ended: string[] = [];
    const work = async (): Promise<void> => {
      hand.emit('begun');
      await over;
      ended.push('job');
    };
    backend.work(queue, work, 1, backend.connectionForWorkers(1));
    await backend.queue(queue).add('endless', {}, { removeOnComplete: true, removeOnFail: true });
    return { backend, hand, begun, ended };
  }
}

describe('queues on PostgreSQL', () => worksOn(() => ({})));

describeWith('redis-server', 'queues on Redis', () => {
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await startRedis();
  });
  worksOn(() => ({ SERVICE_REDIS_URL: redis.url }));
  // After the applications have closed: hooks run in the order in which they are declared.
  afterAll(() => redis.stop());
});
