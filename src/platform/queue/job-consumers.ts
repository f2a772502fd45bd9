import { Injectable, Logger, OnApplicationBootstrap } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { Job as QueuedJob } from 'bullmq';
import { Config, ProcessRole } from '../config/index.js';
import { decoratedMethods } from '../discovery/index.js';
import { describeFailure } from '../errors/index.js';
import { Metrics } from '../metrics/index.js';
import { HANDLES_JOB, JobHandler } from './handles-job.js';
import { definedJobs, Job } from './job.js';
import { QueueBackend } from './queue-backend.js';

/** Finds the handlers, insists on exactly one a job, and in a consuming process runs them. */
@Injectable()
export class JobConsumers implements OnApplicationBootstrap {
  private readonly logger = new Logger('Jobs');
  private readonly handlers = new Map<string, JobHandler<object>>();

  constructor(
    private readonly config: Config,
    private readonly role: ProcessRole,
    private readonly backend: QueueBackend,
    private readonly metrics: Metrics,
    private readonly discovery: DiscoveryService,
  ) {}

  onApplicationBootstrap(): void {
    for (const { metadata: name, method } of decoratedMethods<string, JobHandler<object>>(
      this.discovery,
      HANDLES_JOB,
    )) {
      if (this.handlers.has(name)) throw new Error(`job ${name} has two handlers`);
      this.handlers.set(name, method);
    }
    for (const name of definedJobs().keys()) {
      if (!this.handlers.has(name)) throw new Error(`job ${name} has no handler`);
    }
  }

  /** Called once everything has booted: a job must not find half an application. */
  async start(): Promise<void> {
    if (!this.role.consumesQueues) return;
    const jobs = [...definedJobs().values()].filter((job) => this.isPicked(job.queue));
    const queues = groupByQueue(jobs);
    if (queues.size === 0) return;
    const connection = this.backend.connectionForWorkers(queues.size);
    for (const [queue, members] of queues) {
      const concurrency = Math.max(...members.map((job) => job.concurrency));
      this.backend.work(queue, (queued) => this.run(queued), concurrency, connection);
      for (const job of members) await this.schedule(job);
    }
    this.logger.log({ msg: 'consuming', queues: [...queues.keys()] });
  }

  private isPicked(queue: string): boolean {
    const names = this.config
      .get('SERVICE_QUEUES')
      .split(',')
      .map((name) => name.trim());
    return names.includes('*') || names.includes(queue);
  }

  private async schedule(job: Job): Promise<void> {
    if (job.everyMs === undefined) return;
    const template = { name: job.name, data: {}, opts: { removeOnComplete: true, removeOnFail: true } };
    await this.backend.queue(job.queue).upsertJobScheduler(job.name, { every: job.everyMs }, template);
  }

  private async run(queued: QueuedJob): Promise<void> {
    const handler = this.handlers.get(queued.name);
    if (!handler) throw new Error(`no handler for job ${queued.name}`);
    const attempt = queued.attemptsMade + 1;
    const lastAttempt = attempt >= (queued.opts.attempts ?? 1);
    const stop = this.metrics.jobs.startTimer({ job: queued.name });
    try {
      await handler(queued.data as object, { id: queued.id ?? '', attempt, lastAttempt });
      stop({ outcome: 'done' });
    } catch (error) {
      stop({ outcome: 'failed' });
      const failure = describeFailure(error);
      this.logger.error({
        msg: 'job failed',
        job: queued.name,
        jobId: queued.id,
        attempt,
        lastAttempt,
        ...failure,
      });
      // The queue stores the reason it is given: the kind is enough, a message may quote data.
      throw new Error(failure.kind);
    }
  }
}

function groupByQueue(jobs: readonly Job[]): Map<string, Job[]> {
  const groups = new Map<string, Job[]>();
  for (const job of jobs) groups.set(job.queue, [...(groups.get(job.queue) ?? []), job]);
  return groups;
}
