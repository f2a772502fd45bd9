import { BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { createPostgresBackend, createRedisBackend, Processor, Queue, Worker } from 'bullmq';
import type { BackendFactory, IQueueBackend, QueueOptions, WorkerOptions } from 'bullmq';
import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { Config } from '../config/index.js';
import { connectionOf } from '../database/index.js';
import { describeFailure } from '../errors/index.js';
import { Clock } from '../time/clock.js';
import { withDeadline } from '../time/deadline.js';

/** Producers need few connections; each worker keeps one more for LISTEN. */
const SPARE_CONNECTIONS = 3;
/** The same failure is said once in this time. */
const LOG_THROTTLE_MS = 10_000;

/** What has nothing in hand closes at once. */
const SHORT_TIMEOUT_MS = 2_000;

type Connection = QueueOptions['connection'];
type Factory = BackendFactory<IQueueBackend, Connection>;

/** Where queues live: Redis when SERVICE_REDIS_URL is set, else BullMQ's own tables in the service's database. */
@Injectable()
export class QueueBackend implements BeforeApplicationShutdown {
  private readonly logger = new Logger('Queue');
  private readonly queues = new Map<string, Queue>();
  private readonly workers: Worker[] = [];
  private readonly connections: { close(): Promise<unknown> }[] = [];
  private readonly factory: Factory;
  private producers: Connection | undefined;
  private readonly redis: Redis[] = [];
  private readonly said = new Map<string, number>();
  /** Milliseconds that a job in hand has to finish when the process stops. */
  patience = 20_000;

  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
  ) {
    const onRedis = config.get('SERVICE_REDIS_URL') !== undefined;
    // BullMQ types its options for Redis; a factory takes its own kind of connection.
    this.factory = (onRedis ? createRedisBackend : createPostgresBackend) as unknown as Factory;
  }

  queue(name: string): Queue {
    const known = this.queues.get(name);
    if (known) return known;
    this.producers ??= this.connect(SPARE_CONNECTIONS);
    const queue: Queue = new Queue(name, { connection: this.producers }, this.factory as never);
    queue.on('error', (error: unknown) => this.report(name, error));
    this.queues.set(name, queue);
    return queue;
  }

  /** Starts consuming on a connection made by `connectionForWorkers`. */
  work(name: string, process: Processor, concurrency: number, connection: Connection): void {
    const options = { connection, concurrency } as WorkerOptions;
    const worker: Worker = new Worker(name, process, options, this.factory as never);
    worker.on('error', (error) => this.report(name, error));
    this.workers.push(worker);
  }

  /** One connection, or pool, for `workers` workers. */
  connectionForWorkers(workers: number): Connection {
    return this.connect(workers * 2 + SPARE_CONNECTIONS);
  }

  /**
   * Workers finish what they are at; then the connections go, before the database's own do. Each has its time: a job that
   * goes on keeps its connection checked out, and a queue server that is gone answers nothing.
   */
  async beforeApplicationShutdown(): Promise<void> {
    const isThere = this.redis.every(({ status }) => status === 'ready');
    await closeAll(this.workers, isThere ? this.patience : SHORT_TIMEOUT_MS);
    await closeAll([...this.queues.values()], SHORT_TIMEOUT_MS);
    await closeAll(this.connections, SHORT_TIMEOUT_MS);
  }

  private connect(size: number): Connection {
    const url = this.config.get('SERVICE_REDIS_URL');
    if (url !== undefined) {
      const redis = new Redis(url, { maxRetriesPerRequest: null });
      redis.on('error', (error) => this.report('redis', error));
      this.redis.push(redis);
      this.connections.push({ close: async () => redis.disconnect() });
      return redis;
    }
    const pool = new Pool({
      ...connectionOf(this.config),
      options: '-c search_path=bullmq,public',
      application_name: 'infrastructure-state-service queues',
      keepAlive: true,
      max: size,
    });
    // Every queue and worker listens to it.
    pool.setMaxListeners(0);
    pool.on('error', (error) => this.report('postgresql', error));
    this.connections.push({ close: () => pool.end() });
    return pool;
  }

  /** Only the kind: BullMQ hands over errors that carry whole connections, each queue the same one again and again. */
  private report(queue: string, error: unknown): void {
    const { kind } = describeFailure(error);
    const now = this.clock.now().getTime();
    if (now - (this.said.get(kind) ?? -Infinity) < LOG_THROTTLE_MS) return;
    this.said.set(kind, now);
    const msg =
      this.redis.length > 0 ? 'the Redis that SERVICE_REDIS_URL names fails' : 'queue connection failed';
    this.logger.warn({ msg, queue, kind });
  }
}

async function closeAll(open: readonly { close(): Promise<unknown> }[], timeoutMs: number): Promise<void> {
  const closings = open.map((one) => one.close());
  await withDeadline(Promise.allSettled(closings), timeoutMs, () => undefined);
}
