import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { defineJob, HandlesJob, type JobRun } from '../../../platform/queue/index.js';

const MINUTE_MS = 60_000;

/** Every minute: what writes put into the waiting list of the index on attributes is sorted in. */
export const SortAttributeIndexJob = defineJob('sort-attribute-index', {
  everyMs: MINUTE_MS,
  attempts: 1,
  concurrency: 1,
});

/**
 * New attributes wait in a list that every query reads as a whole, until they are sorted into the index
 * (docs/adr/0005-sql-queries.md). Without this it is done by whichever write finds the list full.
 */
@Injectable()
export class AttributeIndexUpkeep {
  constructor(private readonly work: UnitOfWork) {}

  @HandlesJob(SortAttributeIndexJob)
  async sort(_payload: object, _run: JobRun): Promise<void> {
    await this.work.query(`SELECT gin_clean_pending_list('instances_by_attributes')`);
  }
}
