import { Injectable } from '@nestjs/common';
import { Histogram } from 'prom-client';
import { Metrics } from '../../../platform/metrics/index.js';

export type ScanWorkKind = 'changes' | 'whole' | 'plan';

/** How long scans take and how they end. States, checks and addresses never become labels. */
@Injectable()
export class ScanMetrics {
  private readonly scans: Histogram<'kind' | 'outcome'>;

  constructor(metrics: Metrics) {
    this.scans = new Histogram({
      name: 'security_scan_duration_seconds',
      help: 'time a security scan took, by what was scanned and how it ended',
      labelNames: ['kind', 'outcome'] as const,
      buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120],
      registers: [metrics.registry],
    });
  }

  /** @param work answers undefined when there was nothing to scan */
  async measure<T>(kind: ScanWorkKind, work: () => Promise<T>): Promise<T> {
    const end = this.scans.startTimer({ kind });
    try {
      const result = await work();
      end({ outcome: result === undefined ? 'nothing-due' : 'completed' });
      return result;
    } catch (error) {
      end({ outcome: 'failed' });
      throw error;
    }
  }
}
