import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/index.js';
import { defineJob, HandlesJob, type JobRun } from '../../../platform/queue/index.js';
import { RunTransactions } from '../runs/run-transactions.js';

export const CloseLeftSessionsJob = defineJob('close-left-sessions', {
  queue: 'runs',
  everyMs: 60_000,
  attempts: 1,
});

/** Ends the session transactions that applies with `mode: full` left when their runner was killed. */
@Injectable()
export class LeftSessions {
  constructor(
    private readonly config: Config,
    private readonly transactions: RunTransactions,
  ) {}

  @HandlesJob(CloseLeftSessionsJob)
  async close(_payload: object, _run: JobRun): Promise<void> {
    if (!this.config.get('SERVICE_ORCHESTRATION_ENABLED')) return;
    await this.transactions.closeLeftSessions();
  }
}
