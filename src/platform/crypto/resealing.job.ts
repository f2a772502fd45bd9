import { Injectable, Logger } from '@nestjs/common';
import { defineJob, HandlesJob, type JobRun } from '../queue/index.js';
import { SealedColumns } from './sealed-columns.js';

const HOUR_MS = 3_600_000;

/** Hourly: values that an older encryption key seals are wrapped with the newest one. */
export const ResealValuesJob = defineJob('reseal-values', { everyMs: HOUR_MS, attempts: 1, concurrency: 1 });

@Injectable()
export class Resealing {
  private readonly logger = new Logger('Resealing');

  constructor(private readonly columns: SealedColumns) {}

  @HandlesJob(ResealValuesJob)
  async reseal(_payload: object, _run: JobRun): Promise<void> {
    const values = await this.columns.reseal();
    if (values > 0) this.logger.log({ msg: 'sealed values were wrapped with the newest key', values });
  }
}
