import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../database/index.js';
import type { Job } from './job.js';
import { QueueBackend } from './queue-backend.js';
import { withDeadline } from '../time/deadline.js';

/** The caller's request waits no longer than this; a sweeper enqueues again what is lost here. */
const QUEUE_TIMEOUT_MS = 2_000;

export interface EnqueueOptions {
  /** an id that is queued already is not queued again; the task's id where there is one */
  jobId?: string;
  /** milliseconds before it may run */
  delay?: number;
}

@Injectable()
export class Jobs {
  constructor(
    private readonly backend: QueueBackend,
    private readonly work: UnitOfWork,
  ) {}

  /** Inside a transaction the job is queued once that has committed; outside at once. */
  async enqueue<Payload extends object>(
    job: Job<Payload>,
    payload: Payload,
    options: EnqueueOptions = {},
  ): Promise<void> {
    if (this.work.isActive) this.work.afterCommit(() => this.add(job, payload, options));
    else await this.add(job, payload, options);
  }

  private async add(job: Job, payload: object, options: EnqueueOptions): Promise<void> {
    const added = this.backend.queue(job.queue).add(job.name, payload, {
      ...options,
      attempts: job.attempts,
      backoff: { type: 'exponential', delay: job.backoffMs },
      // The task row is the record; a finished job left behind would block its id from being queued again.
      removeOnComplete: true,
      removeOnFail: true,
    });
    await withDeadline(added, QUEUE_TIMEOUT_MS, () => {
      throw new Error(`job ${job.name} could not be queued in time`);
    });
  }
}
