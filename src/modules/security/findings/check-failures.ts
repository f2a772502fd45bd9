import { Injectable, Logger } from '@nestjs/common';
import { Counter } from 'prom-client';
import { Metrics } from '../../../platform/metrics/index.js';

/** A check that throws is a defect of ours: logged by its id and counted, never with a value. */
@Injectable()
export class CheckFailures {
  private readonly logger = new Logger('SecurityChecks');
  private readonly failures: Counter<'check'>;

  constructor(metrics: Metrics) {
    this.failures = new Counter({
      name: 'security_check_failures_total',
      help: 'evaluations of a check that threw',
      labelNames: ['check'] as const,
      registers: [metrics.registry],
    });
  }

  report(checkId: string, error: unknown): void {
    // Ids of custom checks are the users': one label stands for all of them.
    this.failures.inc({ check: checkId.startsWith('CUSTOM-') ? 'custom' : checkId });
    this.logger.error({
      msg: 'security check failed to evaluate',
      checkId,
      kind: error instanceof Error ? error.name : typeof error,
    });
  }
}
