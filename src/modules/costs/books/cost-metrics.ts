import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Histogram } from 'prom-client';
import { Metrics } from '../../../platform/metrics/index.js';

/** What Prometheus reads of cost estimation. */
@Injectable()
export class CostMetrics {
  readonly bookPrices: Gauge;
  readonly bookDate: Gauge;
  readonly bookFailures: Counter;
  readonly pricing: Histogram<'scope'>;
  readonly lag: Histogram;
  readonly unpriced: Counter<'type' | 'reason'>;

  constructor({ registry }: Metrics) {
    const registers = [registry];
    this.bookPrices = new Gauge({
      name: 'cost_price_book_prices',
      help: 'prices of the loaded price book; 0 before one is loaded',
      registers,
    });
    this.bookDate = new Gauge({
      name: 'cost_price_book_generated_timestamp_seconds',
      help: 'when the newest part of the loaded price book was made',
      registers,
    });
    this.bookFailures = new Counter({
      name: 'cost_price_book_failures_total',
      help: 'attempts to load a price book that failed',
      registers,
    });
    this.pricing = new Histogram({
      name: 'cost_pricing_duration_seconds',
      help: 'time from the begin of a pricing to its commit',
      labelNames: ['scope'] as const,
      buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60],
      registers,
    });
    this.lag = new Histogram({
      name: 'cost_pricing_lag_seconds',
      help: 'time from a version of a state to the snapshot that prices it',
      buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 600, 86_400],
      registers,
    });
    this.unpriced = new Counter({
      name: 'cost_unpriced_resources_total',
      help: 'instances whose newly computed price is incomplete, by resource type and first reason',
      labelNames: ['type', 'reason'] as const,
      registers,
    });
  }
}
