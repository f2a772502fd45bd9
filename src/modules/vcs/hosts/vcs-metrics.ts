import { Injectable } from '@nestjs/common';
import { Counter, Gauge } from 'prom-client';
import { UnitOfWork } from '../../../platform/database/index.js';
import { Metrics } from '../../../platform/metrics/index.js';
import type { Provider } from '../entities/installation.entity.js';

/** Labels that a sender could choose are reduced to these. */
const EVENTS = new Set([
  ...['installation', 'installation_repositories', 'repository', 'pull_request', 'issue_comment'],
  ...['workflow_job', 'push', 'ping', 'merge_request', 'note', 'build', 'pipeline'],
]);

@Injectable()
export class VcsMetrics {
  private readonly deliveries: Counter<'provider' | 'event' | 'result'>;
  private readonly requests: Counter<'provider' | 'route' | 'status'>;
  private readonly remaining: Gauge<'provider' | 'installation'>;

  constructor(metrics: Metrics, work: UnitOfWork) {
    const registers = [metrics.registry];
    this.deliveries = new Counter({
      name: 'vcs_deliveries_total',
      help: 'webhook deliveries by event and result',
      labelNames: ['provider', 'event', 'result'],
      registers,
    });
    this.requests = new Counter({
      name: 'vcs_provider_requests_total',
      help: 'requests to code hosts by route and status; status 0: no answer',
      labelNames: ['provider', 'route', 'status'],
      registers,
    });
    this.remaining = new Gauge({
      name: 'vcs_provider_rate_limit_remaining',
      help: 'requests that the code host still allows, by installation',
      labelNames: ['provider', 'installation'],
      registers,
    });
    const oldest: Gauge = new Gauge({
      name: 'vcs_oldest_delivery_age_seconds',
      help: 'age of the oldest delivery that waits for its processing; 0: none waits',
      registers,
      collect: async () => oldest.set(await oldestAge(work)),
    });
    const failing: Gauge = new Gauge({
      name: 'vcs_failing_deliveries',
      help: 'deliveries that failed and will be tried again',
      registers,
      collect: async () => failing.set(await countFailing(work)),
    });
  }

  countDelivery(provider: Provider, event: string, result: string): void {
    this.deliveries.inc({ provider, event: EVENTS.has(event) ? event : 'other', result });
  }

  countRequest(provider: Provider, route: string, status: number): void {
    this.requests.inc({ provider, route, status: String(status) });
  }

  setRemaining(provider: Provider, installation: string, remaining: number): void {
    this.remaining.set({ provider, installation }, remaining);
  }
}

async function oldestAge(work: UnitOfWork): Promise<number> {
  const [row] = await work.query<{ age: string }>(
    `SELECT coalesce(extract(epoch FROM now() - min(received_at)), 0) AS age
       FROM webhook_deliveries WHERE state = 'received'`,
  );
  return Number(row?.age ?? 0);
}

async function countFailing(work: UnitOfWork): Promise<number> {
  const [row] = await work.query<{ failing: string }>(
    `SELECT count(*) AS failing FROM webhook_deliveries WHERE state = 'received' AND attempts > 0`,
  );
  return Number(row?.failing ?? 0);
}
