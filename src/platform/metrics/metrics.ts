import { Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { DataSource } from 'typeorm';

interface PoolCounts {
  totalCount: number;
  idleCount: number;
  waitingCount: number;
}

/** What Prometheus reads from the internal port. Labels come from closed sets, never from a request's values. */
@Injectable()
export class Metrics {
  readonly registry = new Registry();
  readonly requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'time from the first byte of a request to the last of its answer',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120],
    registers: [this.registry],
  });
  readonly jobs = new Histogram({
    name: 'job_duration_seconds',
    help: 'time one attempt of a job took',
    labelNames: ['job', 'outcome'] as const,
    buckets: [0.01, 0.05, 0.25, 1, 5, 30, 120, 600],
    registers: [this.registry],
  });

  constructor(source: DataSource) {
    collectDefaultMetrics({ register: this.registry });
    // The driver's pool; TypeORM does not declare it.
    const pool = (): PoolCounts | undefined => (source.driver as unknown as { master?: PoolCounts }).master;
    this.gauge('pg_pool_connections', 'connections open to PostgreSQL', () => pool()?.totalCount);
    this.gauge('pg_pool_idle_connections', 'open connections without work', () => pool()?.idleCount);
    this.gauge('pg_pool_waiting', 'requests that wait for a connection', () => pool()?.waitingCount);
  }

  private gauge(name: string, help: string, read: () => number | undefined): void {
    const gauge: Gauge = new Gauge({
      name,
      help,
      registers: [this.registry],
      collect: () => gauge.set(read() ?? 0),
    });
  }
}
