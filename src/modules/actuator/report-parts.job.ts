import { Injectable } from '@nestjs/common';
import { defineJob, HandlesJob, type JobRun } from '../../platform/queue/index.js';
import { ReportParts } from './report-parts.store.js';

/** A runner's token is valid for a day. After that, nobody can open what is sealed with it. */
const MAX_AGE = '25 hours';

export const DeleteOldReportPartsJob = defineJob('delete-old-report-parts', {
  everyMs: 10 * 60_000,
  attempts: 1,
  concurrency: 1,
});

/** Deletes the parts of reports that were never completed. */
@Injectable()
export class ReportPartsRetention {
  constructor(private readonly parts: ReportParts) {}

  @HandlesJob(DeleteOldReportPartsJob)
  async run(_payload: object, _run: JobRun): Promise<void> {
    await this.parts.deleteOlderThan(MAX_AGE);
  }
}
