import { Injectable } from '@nestjs/common';
import { Counter } from 'prom-client';
import { Metrics } from '../../platform/metrics/index.js';
import type { Provider } from '../vcs/index.js';

/** Counts by provider. Keys, data and installations never become labels. Calls are counted by the HTTP metrics. */
@Injectable()
export class KvMetrics {
  private readonly rows: Counter<'provider'>;
  private readonly bytes: Counter<'provider'>;
  private readonly lost: Counter<'provider'>;

  constructor(metrics: Metrics) {
    const counter = (name: string, help: string): Counter<'provider'> =>
      new Counter({ name, help, labelNames: ['provider'], registers: [metrics.registry] });
    this.rows = counter('kv_records_total', 'records of the key-value store read or written');
    this.bytes = counter('kv_record_bytes_total', 'bytes of data of records read or written');
    this.lost = counter('kv_cas_lost_total', 'compare-and-set calls that found another version');
  }

  countRecord(provider: Provider, bytes: number): void {
    this.rows.inc({ provider });
    this.bytes.inc({ provider }, bytes);
  }

  countLostCas(provider: Provider): void {
    this.lost.inc({ provider });
  }
}
