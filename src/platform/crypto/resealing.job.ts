import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { describeFailure } from '../errors/index.js';
import { defineJob, HandlesJob, Jobs, type JobRun } from '../queue/index.js';
import { SealedColumns } from './sealed-columns.js';
import { Sealing } from './sealing.js';

const HOUR_MS = 3_600_000;

/** Hourly, and when a process starts with several keys: values that an older key seals are wrapped with the newest one. */
export const ResealValuesJob = defineJob('reseal-values', { everyMs: HOUR_MS, attempts: 1, concurrency: 1 });

@Injectable()
export class Resealing implements OnApplicationBootstrap {
  private readonly logger = new Logger('Resealing');

  constructor(
    private readonly columns: SealedColumns,
    private readonly sealing: Sealing,
    private readonly jobs: Jobs,
  ) {}

  /** Processes that stop without the new key cannot open what is wrapped here, so the keys come to all of them first. */
  onApplicationBootstrap(): void {
    if (!this.sealing.hasOlderKeys) return;
    this.jobs.enqueue(ResealValuesJob, {}, { jobId: 'reseal-values-at-start' }).catch((error: unknown) => {
      this.logger.warn({
        msg: 'could not re-encrypt values; retrying within an hour',
        ...describeFailure(error),
      });
    });
  }

  @HandlesJob(ResealValuesJob)
  async reseal(_payload: object, _run: JobRun): Promise<void> {
    const values = await this.columns.reseal();
    if (values > 0) this.logger.log({ msg: 're-encrypted values with the newest key', values });
  }
}
