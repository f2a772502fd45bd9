import { Injectable } from '@nestjs/common';
import { Counter, Histogram } from 'prom-client';
import { Metrics } from '../../platform/metrics/index.js';

/** Syncs by outcome. Tenants, accounts and addresses never become labels. */
@Injectable()
export class BillingMetrics {
  private readonly syncs: Histogram<'outcome'>;
  private readonly lines: Counter;

  constructor(metrics: Metrics) {
    const registers = [metrics.registry];
    this.syncs = new Histogram({
      name: 'billing_sync_duration_seconds',
      help: 'time one sync of a billing source took',
      labelNames: ['outcome'],
      buckets: [0.5, 1, 5, 15, 60, 300, 1800, 7200],
      registers,
    });
    this.lines = new Counter({ name: 'billing_lines_total', help: 'billed lines loaded', registers });
  }

  countSync(outcome: 'ok' | 'error', seconds: number, lines: number): void {
    this.syncs.observe({ outcome }, seconds);
    this.lines.inc(lines);
  }
}
